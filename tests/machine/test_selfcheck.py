"""The self-check on the real machine, as a computer's first trial sees it: lab.machine.snapshot."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.machine import snapshot
from lab.machine.qemu import MachineError
from lab.model.trial import Job
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite


@pytest.fixture
def newcomer(exact: ExactSite, tmp_path: Path) -> Callable[[], ExactSite]:
    """The frozen machine on a computer that never ran it."""
    assert exact.identity()
    cache, machine = tmp_path / "cache", tmp_path / "machine"
    cache.mkdir()
    for each in CACHE.iterdir():
        if each.name != snapshot.CHECKED:
            (cache / each.name).symlink_to(each)
    shutil.copytree(MACHINE, machine)
    return lambda: ExactSite(machine, cache)


def told_by(site: ExactSite, job: Job) -> list[str]:
    told: list[str] = []
    site.prepare(told.append)
    site.run(job)
    return told


def test_a_computer_is_checked_before_its_first_trial_and_never_again(
    newcomer: Callable[[], ExactSite], shell: Callable[..., Job]
) -> None:
    assert any("exactly (once)" in line for line in told_by(newcomer(), shell("true")))
    assert not any("exactly" in line for line in told_by(newcomer(), shell("true")))


@pytest.mark.parametrize("step", snapshot.CHECK_STEPS)
def test_a_computer_that_finds_other_bytes_is_refused_before_its_first_trial(
    newcomer: Callable[[], ExactSite], shell: Callable[..., Job], step: str
) -> None:
    site = newcomer()
    known = snapshot.read(site.machine)
    assert known
    snapshot.write(site.machine, replace(known, checks={**known.checks, step: "0" * 64}))
    with pytest.raises(MachineError, match=f"{step} gives other bytes"):
        site.run(shell("true"))
