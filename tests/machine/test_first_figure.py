"""`lab try` on the real machine, in a pipe: what a reader of the README sees first."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from lab.sites.exact import ExactSite

LAB = str(Path(sys.executable).with_name("lab"))
ROW = re.compile(r"(?P<series>card|tcp|soft) .* (?P<rate>[0-9.]+) (?P<unit>[kMG]?B/s)$")
UNITS = {"GB/s": 1e9, "MB/s": 1e6, "kB/s": 1e3}
PNG = b"\x89PNG"


def test_a_first_figure_of_two_transports_at_eight_sizes(exact: ExactSite, tmp_path: Path) -> None:
    assert exact.identity()
    command = [LAB, "try", "--site", "exact", "--results", str(tmp_path / "results"), "--out", str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    table = done.stdout.partition("Throughput against")[0].splitlines()
    rows = [found for line in table if (found := ROW.search(line))]
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
