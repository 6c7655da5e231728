"""The command `lab run` on the exact site: signals."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.machine.checkout import SMALL

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
