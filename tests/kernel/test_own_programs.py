"""What the counters of a real RDMA link show of a student's own program: run by test_another_kernel."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.machine import own_hand_in
from tests.machine.tampered_programs import MAIN, OTHERS, USUAL, change

from lab.experiment.reader import load
from lab.grade.finding import Flaw
from lab.grade.witness.claims import unsent
from lab.plan.builds import keep_binaries
from lab.plan.plan import SiteFacts, make_plan
from lab.run.measure import measure
from lab.sites.wall import WallSite

pytestmark = pytest.mark.modules
ATTACKS = {each.name: each for each in (*USUAL, *OTHERS) if each.name in ("one_message_for_many", "writes_by_tcp")}
FOUND: dict[str, list[Flaw]] = {"honest": [], **{name: [Flaw.MESSAGES] for name in ATTACKS}}
EXPERIMENT = own_hand_in.HEAD.format(sizes="64").replace("deadline_s = 20", "deadline_s = 200") + own_hand_in.PLAIN


def build(folder: Path) -> None:
    """The programs, on a computer where a compiler takes a second."""
    for name in FOUND:
        shutil.copytree(own_hand_in.PROGRAM, folder / name / "program", ignore=shutil.ignore_patterns("plain"))
        (folder / name / "own.toml").write_text(EXPERIMENT)
        change(folder / name / MAIN, "DEADLINE_S 60", "DEADLINE_S 190")  # that computer is slow
        if name in ATTACKS:
            ATTACKS[name].apply(folder / name)
        subprocess.run(["make", "-s", "-C", folder / name / "program"], check=True)


@pytest.mark.parametrize("name", FOUND)
def test_the_device_has_counted_a_packet_for_each_message_or_it_was_never_sent(site: WallSite, name: str) -> None:
    folder, facts = Path(os.environ["LAB_TWO_HOSTS"]) / name, SiteFacts.of(site)
    programs = keep_binaries([folder / "program" / "plain"])
    (planned,) = make_plan(load(folder / "own.toml"), facts, programs).planned
    record = measure(planned, site, facts)
    found = list(unsent(planned, site.ends, record.facts.measured, record.samples))
    assert [kind for kind, _ in found] == FOUND[name], record.facts.measured
    assert "lab_rxe0.sent_pkts" in record.facts.measured.counters_after
