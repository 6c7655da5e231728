"""The one file that a course publishes, on a computer that has nothing and reaches nobody: `lab image`."""

from __future__ import annotations

import resource
from pathlib import Path

from tests.machine.checkout import OWN, checkout, done
from tests.pace import slowness

from lab.places import ROOT
from lab.sites.exact import ExactSite

LARGEST_BYTES = 80_000_000
PROCESSOR_S = 15  # from the file to the first trial; of the clock it takes less only where nothing else runs
LAB = ".venv/bin/lab"
NOBODY_GIVES = {"LAB_SUPPLY": "/nowhere"}


def processor_s() -> float:
    """What the commands of this test have used so far, with all that they started."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_a_computer_without_a_network_measures_its_first_trial_by_it(exact: ExactSite, tmp_path: Path) -> None:
    exact.verified_snapshot()
    file, place = tmp_path / "course.lab", checkout(tmp_path / "new")
    done(ROOT, LAB, "image", "export", file)
    assert file.stat().st_size <= LARGEST_BYTES
    before = processor_s()
    done(place, LAB, "image", "import", file, **NOBODY_GIVES)
    run = done(place, LAB, "run", OWN, "--site", "exact", **NOBODY_GIVES)
    assert run == "1 trials measured, 0 done before, 0 failed\n"
    assert (processor_s() - before) / slowness() < PROCESSOR_S
    done(ROOT, LAB, "run", place / OWN, "--site", "exact", "--results", tmp_path / "here")
    here, there = ((folder / OWN).with_suffix(".csv").read_text() for folder in (tmp_path / "here", place / "results"))
    assert here == there
