"""The command `lab run` on the exact site: signals, a shell's ulimit, and a cache that disappears."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.machine.checkout import SMALL

from lab.errors import LabError
from lab.machine.snapshot import CHECKED
from lab.model.trial import Job
from lab.places import CACHE, MACHINE, ROOT
from lab.sites.exact import ExactSite

LAB = str(Path(sys.executable).with_name("lab"))
SIX = SMALL.replace("repetitions = 1", "repetitions = 6")


@pytest.fixture
def command(tmp_path: Path, exact: ExactSite) -> list[str]:
    """The command that runs the small experiment into a folder of the test; the snapshot exists already."""
    assert exact.identity()
    (tmp_path / "small.toml").write_text(SIX)
    (tmp_path / "results").mkdir()
    return [LAB, "run", str(tmp_path / "small.toml"), "--site", "exact", "--results", str(tmp_path / "results")]


def records(tmp_path: Path) -> set[Path]:
    return {record.parent for record in tmp_path.glob("results/records/*/*/record.json")}


def children(of: int) -> list[Path]:
    """The child processes, as folders of /proc."""
    pids = Path(f"/proc/{of}/task").glob("*/children")
    return [Path("/proc", pid) for each in pids for pid in each.read_text().split()]


def await_record(tmp_path: Path, run: subprocess.Popen[str], before: set[Path]) -> None:
    while records(tmp_path) == before:
        assert run.poll() is None
        time.sleep(0.02)


def test_stopped_run_prints_how_to_continue_and_leaves_no_process(command: list[str], tmp_path: Path) -> None:
    """Ctrl-C, then SIGTERM, each after one more record."""
    for number in (signal.SIGINT, signal.SIGTERM):
        before = records(tmp_path)
        with subprocess.Popen([*command, "--jobs", "1"], stderr=subprocess.PIPE, text=True) as run:
            await_record(tmp_path, run, before)
            started = children(run.pid)
            run.send_signal(number)
            printed = run.communicate()[1]
        assert run.returncode != 0 and "every finished record is kept" in printed, printed
        assert "to continue: lab run" in printed
        assert not any(process.exists() for process in started)
        finished = records(tmp_path)
    subprocess.run(command, check=True)
    assert finished < records(tmp_path) and len(records(tmp_path)) == 6


LIMITED = 'ulimit "$1" "$2" && shift 2 && exec "$@"'
FILES, LENGTH = "-n", "-f"
Limited = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def limited(tmp_path: Path, exact: ExactSite) -> Limited:
    """Run a command of `lab` under a limit of the shell."""
    exact.verified_snapshot()
    (tmp_path / "small.toml").write_text(SMALL)

    def run(command: str, *more: str, kind: str = FILES, most: str = "1024") -> subprocess.CompletedProcess[str]:
        words = (sys.executable, "-m", "lab", command, str(tmp_path / "small.toml"), "--results", str(tmp_path / "r"))
        shell = ("sh", "-c", LIMITED, "sh", kind, most)
        env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would keep what the limit cuts short
        done = subprocess.run([*shell, *words, *more], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    assert run("plan", "--site", "exact").returncode == 0  # compiles, before any limit
    return run


def test_limits_are_reported_and_the_next_run_and_report_continue(limited: Limited, tmp_path: Path) -> None:
    """With 1 KiB a run can write nothing at all; with more, no VM has its memory."""
    run = ("run", "--site", "exact", "--jobs", "1")
    for most, status in (("1", 2), ("64", 1)):
        done = limited(*run, kind=LENGTH, most=most)
        assert done.returncode == status and "a file may not grow so large here (try: ulimit -f" in done.stderr
    short = limited(*run, most="12")
    assert short.returncode in (1, 2) and "too many files are open (try: ulimit -n 4096" in short.stderr
    whole = limited(*run)
    assert (whole.returncode, whole.stdout) == (0, "1 trial measured, 0 done before, 0 failed\n"), whole.stderr
    done = limited("report", "--out", str(tmp_path / "out"), kind=LENGTH, most="8")
    assert done.returncode == 2 and "a file may not grow so large here" in done.stderr.splitlines()[-1], done.stderr
    assert not list((tmp_path / "out").glob("*.pdf"))


def test_cache_that_disappears_during_a_run_fails_the_trial_with_a_message(
    exact: ExactSite, shell: Callable[..., Job], tmp_path: Path
) -> None:
    exact.verified_snapshot()
    cache = tmp_path / "cache"
    for part in ("image", "machine", "plugin", CHECKED):
        shutil.copytree(CACHE / part, cache / part, copy_function=lambda source, copy: Path(copy).hardlink_to(source))
    site = ExactSite(MACHINE, cache)
    site.verified_snapshot()
    cache.rename(tmp_path / "away")
    try:
        (step,) = site.run(shell("echo well")).steps
        assert step.client_out == "well\n"  # its files were open already
    except (LabError, FileNotFoundError) as error:
        assert "cache" in str(error)
