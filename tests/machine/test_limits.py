"""What a shell's ulimit and a cache that goes away refuse to a real trial: a sentence each."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine.checkout import SMALL

from lab.errors import LabError
from lab.model.trial import Job
from lab.places import CACHE, MACHINE, ROOT
from lab.sites.exact import ExactSite

LIMITED = 'ulimit "$1" "$2" && shift 2 && exec "$@"'
FILES, LENGTH = "-n", "-f"
Limited = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def limited(tmp_path: Path, exact: ExactSite) -> Limited:
    """Run a command of `lab` under a limit, or without one."""
    exact.verified_snapshot()
    (tmp_path / "small.toml").write_text(SMALL)

    def run(command: str, *more: str, kind: str = FILES, most: str = "1024") -> subprocess.CompletedProcess[str]:
        words = (sys.executable, "-m", "lab", command, str(tmp_path / "small.toml"), "--results", str(tmp_path / "r"))
        shell = ("sh", "-c", LIMITED, "sh", kind, most)
        done = subprocess.run([*shell, *words, *more], cwd=ROOT, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def test_few_descriptors_are_said_and_the_run_goes_on_with_more(limited: Limited) -> None:
    short = limited("run", "--site", "exact", "--jobs", "1", most="12")
    assert short.returncode in (1, 2) and "too many files are open (try: ulimit -n 4096" in short.stderr
    whole = limited("run", "--site", "exact", "--jobs", "1")
    assert (whole.returncode, whole.stdout) == (0, "1 trials measured, 0 done before, 0 failed\n"), whole.stderr


@pytest.mark.parametrize(("most", "status"), [("1", 2), ("64", 1)])
def test_short_files_are_said_by_a_run(limited: Limited, most: str, status: int) -> None:
    """With 512 bytes or 1 KiB it can write nothing at all; with more, no machine has its memory."""
    done = limited("run", "--site", "exact", kind=LENGTH, most=most)
    assert done.returncode == status and "a file may not grow so large here (try: ulimit -f" in done.stderr


def test_short_files_are_said_by_a_report(limited: Limited, tmp_path: Path) -> None:
    assert limited("run", "--site", "exact").returncode == 0
    done = limited("report", "--out", str(tmp_path / "out"), kind=LENGTH, most="8")
    assert done.returncode == 2 and "a file may not grow so large here" in done.stderr.splitlines()[-1], done.stderr
    assert not list((tmp_path / "out").glob("*.pdf"))


@pytest.mark.parametrize("gone", ["machine", "."])
def test_a_cache_that_goes_away_during_a_run_fails_the_trial_in_words(
    exact: ExactSite, shell: Callable[..., Job], tmp_path: Path, gone: str
) -> None:
    exact.verified_snapshot()
    cache = tmp_path / "cache"
    for part in ("image", "machine", "plugin"):
        shutil.copytree(CACHE / part, cache / part, copy_function=lambda one, other: Path(other).hardlink_to(one))
    site = ExactSite(MACHINE, cache)
    site.verified_snapshot()
    (cache / gone).resolve().rename(tmp_path / "away")
    try:
        (step,) = site.run(shell("echo well")).steps
        assert step.client_out == "well\n"  # what it needs was open, or is not asked again
    except (LabError, FileNotFoundError) as error:
        assert "cache" in str(error)
