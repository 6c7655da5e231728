"""The common bound of a hand-in's own programs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.errors import SiteError, SiteStopped, TrialFailed
from lab.grade.metered import Allowance
from lab.machine.qemu import MachineError
from lab.model.trial import NS_PER_S, Job, Link, Outcome, Perturbation

OWN = Job((), Link(), Perturbation(), deadline_s=20, stranger=True)
LASTED = Outcome((), {}, {}, 5 * NS_PER_S, 11 * NS_PER_S, "", 99.0)


def test_all_that_is_run_of_a_hand_in_counts_and_nothing_else_does() -> None:
    allowance = Allowance(12)
    for _ in range(2):
        assert allowance.run(OWN, lambda: LASTED) is LASTED
    with pytest.raises(TrialFailed, match="for more than 12 s, in all checks together"):
        allowance.run(OWN, lambda: LASTED)
    assert allowance.run(replace(OWN, stranger=False), lambda: LASTED) is LASTED


def raising(error: SiteError) -> Outcome:
    raise error


def test_a_machine_that_only_they_broke_is_their_fault_and_costs_its_deadline() -> None:
    allowance = Allowance(20)
    with pytest.raises(TrialFailed, match="broke the machine: it went off"):
        allowance.run(OWN, lambda: raising(MachineError("it went off")))
    assert allowance.left_ns == 0


@pytest.mark.parametrize("error", [SiteStopped("stopped"), SiteError("the disk is full")])
def test_what_the_graders_computer_does_is_not_their_fault(error: SiteError) -> None:
    allowance = Allowance(20)
    with pytest.raises(type(error)):
        allowance.run(OWN, lambda: raising(error))
    assert allowance.left_ns == 20 * NS_PER_S
