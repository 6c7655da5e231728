"""A student's own program on the exact machine: its true times are believed, and half of them are not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from lab.grade.case import Case, Desk
from lab.grade.checks.program import program
from lab.grade.finding import Finding, Kind
from lab.places import EXPERIMENTS
from lab.sites.exact import ExactSite
from lab.submission.archive import pack
from lab.submission.opening import Submission
from lab.submission.package import PROGRAMS
from lab.submission.programs import program_files
from lab.workshop import open_workshop

PROGRAM = EXPERIMENTS / "examples" / "plain_verbs" / "program"
OWN = """
title = "A program of one's own"
question = "Does it tell the time?"
[parameters]
sizes = "1K,16K"
iterations = 256
warmup = 16
repetitions = 1
[programs.plain]
folder = "program"
build = "make -s"
binaries = ["plain"]
server = "plain --server 1 --device {device} --port {port} --size {size} {host}"
client = "plain --device {device} --port {port} --size {size} --iterations {iterations} {arguments} {host}"
output = "columns"
[[series]]
name = "own"
program = "plain"
operation = "write"
measure = "throughput"
arguments = "--depth 16 --slide 1 --list 4 --signal-every 4 --sleep 1"
"""


@pytest.mark.parametrize(
    ("said", "kinds"), [("%.6f kB/s", []), ("%.6f MB/s", [Kind.INVENTED])], ids=["true", "swapped-units"]
)
def test_a_program_is_believed_as_far_as_the_machines_clock(
    exact: ExactSite, tmp_path: Path, said: str, kinds: list[Kind]
) -> None:
    shutil.copytree(PROGRAM, tmp_path / "program", ignore=shutil.ignore_patterns("plain"))
    source = tmp_path / "program" / "plain.c"
    source.write_text(source.read_text().replace("%.6f kB/s", said))
    (tmp_path / "own.toml").write_text(OWN)
    shop = open_workshop([tmp_path / "own.toml"], exact, print)
    (plan,) = shop.plans
    assignment: Any = None
    desk = Desk(assignment, exact, plan, tmp_path / "results", tmp_path, tmp_path, 1, lambda *_: None)
    case = Case(desk, tmp_path / "x.pdf", tmp_path)
    case.__dict__["submission"] = Submission("x", b"", {PROGRAMS: pack(program_files(plan))})
    findings: list[Finding] = list(program(case))
    assert [each.kind for each in findings] == kinds, findings
