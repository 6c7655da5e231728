"""A checkout at an unusual path, and one that has only a course's image file."""

import json
import resource
from pathlib import Path

from tests.machine.checkout import OWN, checkout, done, ended
from tests.pace import slowness

from lab.machine.snapshot import CHECKED, FILE
from lab.places import BENCH, ROOT
from lab.sites.exact import ExactSite

STRANGE = 'Ada\'s "Prüfung" (2. Übung) $HOME & co; 100% #1'
# Unpacking and booting takes minutes, and test_equality does it below another folder; linked, and never written.
KEPT = ("compiler", "exact-here", "image", "machine", "packages", "plugin", "runner")
LARGEST_BYTES = 80_000_000
PROCESSOR_S = 15  # from the file to the first trial; of the clock it takes less only where nothing else runs
LAB = ".venv/bin/lab"
NOBODY_GIVES = {"LAB_SUPPLY": "/nowhere"}


def test_build_run_and_report_work_in_a_path_of_any_characters(exact: ExactSite, reachable: Path) -> None:
    exact.verified_snapshot()
    place = checkout(reachable / STRANGE, KEPT)
    done(place, "make", "-s", "build")
    done(ROOT, "make", "-s", "-C", "code/bench")
    for name in ("verbs-client", "mpi-pingpong"):
        assert (place / ".cache" / "bench" / name).read_bytes() == (BENCH / name).read_bytes()
    run = done(place, ".venv/bin/lab", "run", OWN, "--site", "exact")
    assert run == "1 trial measured, 0 done before, 0 failed\n"
    assert done(place, ".venv/bin/lab", "report", OWN) == "report/own's (1).pdf\n"
    frozen, taken = ROOT / ".cache" / "machine", place / ".cache" / "machine"
    assert {each.name for each in taken.iterdir()} == {each.name for each in frozen.iterdir() if each.is_dir()}


def test_host_that_is_not_exact_keeps_no_record(exact: ExactSite, reachable: Path) -> None:
    """The self-check runs beside the first trial, which may end before it."""
    exact.verified_snapshot()
    place = checkout(reachable / "other", set(KEPT) - {CHECKED})
    expectation = place / "code/machine" / FILE
    expected = json.loads(expectation.read_text())
    expectation.write_text(json.dumps({**expected, "checks": {**expected["checks"], "sleeping": "other bytes"}}))
    run = ended(place, LAB, "run", OWN, "--site", "exact")
    assert run.returncode == 1 and "this computer does not run the snapshot exactly: sleeping" in run.stderr
    assert not list((place / "results").glob("records/*"))


def processor_s() -> float:
    """CPU time of this test's commands so far, with their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_host_without_a_network_measures_with_an_imported_image(
    exact: ExactSite, reachable: Path, tmp_path: Path
) -> None:
    exact.verified_snapshot()
    file, place = tmp_path / "course.lab", checkout(reachable / "new")
    done(ROOT, LAB, "image", "export", file)
    assert file.stat().st_size <= LARGEST_BYTES
    before = processor_s()
    done(place, LAB, "image", "import", file, **NOBODY_GIVES)
    run = done(place, LAB, "run", OWN, "--site", "exact", **NOBODY_GIVES)
    assert run == "1 trial measured, 0 done before, 0 failed\n"
    assert (processor_s() - before) / slowness() < PROCESSOR_S
