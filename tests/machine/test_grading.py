"""A student's own program on the exact machine: true times and sources are believed, false ones are not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.grade.case import Case, Desk
from lab.grade.checks import Check
from lab.grade.checks.correct import correct
from lab.grade.checks.program import program
from lab.grade.checks.sources import sources
from lab.grade.finding import Kind
from lab.places import EXPERIMENTS
from lab.sites.exact import ExactSite
from lab.submission.archive import pack
from lab.submission.asked import Asked
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
deadline_s = 20
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
ASKED = Asked(sizes=(1, 4097), refuses=("--depth 0", "--colour blue"))

CaseOf = Callable[..., Case]


@pytest.fixture
def case_of(exact: ExactSite, tmp_path: Path) -> CaseOf:
    """A hand-in whose program was changed before it was measured, and whose sources were after that."""

    def make(before: tuple[str, str] = ("", ""), after: tuple[str, str] = ("", "")) -> Case:
        shutil.copytree(PROGRAM, tmp_path / "program", ignore=shutil.ignore_patterns("plain"))
        (tmp_path / "own.toml").write_text(OWN)
        source = tmp_path / "program" / "plain.c"
        change(source, *before)
        (plan,) = open_workshop([tmp_path / "own.toml"], exact, print).plans
        change(source, *after)
        assignment: Any = SimpleNamespace(asked=ASKED)
        desk = Desk(assignment, exact, plan, tmp_path / "results", tmp_path, tmp_path, 2, lambda *_: None)
        case = Case(desk, tmp_path / "x.pdf", tmp_path)
        case.__dict__["submission"] = Submission("x", b"", {PROGRAMS: pack(program_files(plan))})
        return case

    return make


def change(source: Path, old: str, new: str) -> None:
    assert old in source.read_text()
    source.write_text(source.read_text().replace(old, new, 1))


def kinds(check: Check, case: Case) -> list[Kind]:
    findings = list(check(case))
    print(*findings, sep="\n")
    return [each.kind for each in findings]


def test_an_honest_program_passes_all_that_is_asked_of_it(case_of: CaseOf) -> None:
    case = case_of()
    assert [kinds(check, case) for check in (program, sources, correct)] == [[], [], []]


def test_a_program_that_swaps_its_units_is_not_believed(case_of: CaseOf) -> None:
    assert kinds(program, case_of(("%.6f kB/s", "%.6f MB/s"))) == [Kind.INVENTED]


def test_sources_that_do_something_else_than_the_binary_are_found(case_of: CaseOf) -> None:
    case = case_of(after=("check(!ibv_post_send", "usleep(20);\n\tcheck(!ibv_post_send"))
    assert set(kinds(sources, case)) == {Kind.SOURCES}
