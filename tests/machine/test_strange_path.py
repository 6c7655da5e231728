"""A checkout in a folder that people's names, courses and backups make: the lab's commands work in it."""

from __future__ import annotations

from pathlib import Path

from tests.machine.checkout import OWN, checkout, done

from lab.places import ROOT
from lab.sites.exact import ExactSite

STRANGE = 'Ada\'s "Prüfung" (2. Übung) $HOME & co; 100% #1'
KEPT = ("image", "machine", "packages", "plugin")  # what takes minutes to make: by links, and nothing of it is written


def test_build_run_and_report_work_in_a_path_of_any_letters(exact: ExactSite, tmp_path: Path) -> None:
    exact.verified_snapshot()
    place = checkout(tmp_path / STRANGE, KEPT)
    done(place, "make", "-s", "build")
    assert (place / ".cache" / "bench" / "verbs-client").exists()
    run = done(place, ".venv/bin/lab", "run", OWN, "--site", "exact")
    assert run == "1 trials measured, 0 done before, 0 failed\n"
    assert done(place, ".venv/bin/lab", "report", OWN) == "report/own's (1).pdf\n"
    frozen, taken = ROOT / ".cache" / "machine", place / ".cache" / "machine"
    assert {each.name for each in taken.iterdir()} == {each.name for each in frozen.iterdir() if each.is_dir()}
