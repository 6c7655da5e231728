"""The commands `lab run` and `lab try` on the exact site: signals, a first figure."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lab.sites.exact import ExactSite

LAB = str(Path(sys.executable).with_name("lab"))
SMALL_RUN = """
title = "A small run"
question = "Does it survive?"
[parameters]
sizes = "64,4K"
iterations = 100
warmup = 10
repetitions = 4
wait = "event"
[link]
mtu = 4200
[[series]]
name = "verbs"
program = "verbs"
operation = "write"
measure = "throughput"
"""
ROW = re.compile(r"(?P<series>card|tcp|soft) .* (?P<rate>[0-9.]+) (?P<unit>[kMG]?B/s)$")
UNITS = {"GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3}
PNG = b"\x89PNG"


@pytest.fixture
def command(tmp_path: Path, exact: ExactSite) -> list[str]:
    """The command that runs the small experiment into a folder of the test; the snapshot exists already."""
    assert exact.identity()
    (tmp_path / "small.toml").write_text(SMALL_RUN)
    (tmp_path / "results").mkdir()
    return [LAB, "run", str(tmp_path / "small.toml"), "--site", "exact", "--results", str(tmp_path / "results")]


def records(tmp_path: Path) -> set[Path]:
    return {record.parent for record in tmp_path.glob("results/records/*/*/record.json")}


def children(of: int) -> list[Path]:
    """The child processes, as folders of /proc."""
    pids = Path(f"/proc/{of}/task").glob("*/children")
    return [Path("/proc", pid) for each in pids for pid in each.read_text().split()]


def await_records(tmp_path: Path, run: subprocess.Popen[str], count: int) -> None:
    while len(records(tmp_path)) < count:
        assert run.poll() is None
        time.sleep(0.02)


def test_stopped_run_prints_how_to_continue_and_leaves_no_process(command: list[str], tmp_path: Path) -> None:
    """Ctrl-C, then SIGTERM, each after one more record."""
    for count, number in enumerate((signal.SIGINT, signal.SIGTERM), 1):
        with subprocess.Popen([*command, "--jobs", "1"], stderr=subprocess.PIPE, text=True) as run:
            await_records(tmp_path, run, count)
            started = children(run.pid)
            run.send_signal(number)
            printed = run.communicate()[1]
        assert run.returncode != 0 and printed.rstrip().endswith("continues"), printed
        assert not any(process.exists() for process in started)
        finished = records(tmp_path)
    subprocess.run(command, check=True)
    assert finished < records(tmp_path) and len(records(tmp_path)) == 4


def test_first_figure_shows_three_transports_at_eight_sizes(exact: ExactSite, tmp_path: Path) -> None:
    assert exact.identity()
    command = [LAB, "try", "--site", "exact", "--results", str(tmp_path / "results"), "--out", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    table = done.stdout.partition("Throughput against")[0].splitlines()
    rows = [row for line in table if (row := ROW.search(line))]
    rates = [float(row["rate"]) * UNITS[row["unit"]] for row in rows]
    assert [row["series"] for row in rows] == ["card", "tcp", "soft"] * 8
    card, tcp, soft = (rates[place::3] for place in range(3))
    assert all(fast > between > slow > 1e6 for fast, between, slow in zip(card, tcp, soft, strict=True))
    lines = [line for line in done.stdout.splitlines() if str(tmp_path) not in line]
    assert all(len(line.rstrip()) <= 80 for line in lines) and "\x1b" not in done.stdout
    assert (tmp_path / "first_figure" / "throughput.png").read_bytes().startswith(PNG)
    assert (
        "card: RDMA WRITE (modelled card qdr)" in done.stdout
        and "exact cable" in done.stdout
        and "make all" in done.stdout
    )
