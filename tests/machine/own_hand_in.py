"""Submissions of student programs, as the exact site's grader sees them."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.machine.tampered_programs import Tampering, change
from tests.machine.wrong_programs import Wrong
from tests.toml import series_of

from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.checks.program import correct, program, sources, steps
from lab.grade.finding import Finding, PartPoints
from lab.grade.grading import Check
from lab.kit.commands import laid_out
from lab.kit.kit import Kit, load_kit
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.plan.planning import open_campaign
from lab.sites.exact import ExactSite
from lab.submission.archive import PROGRAMS, Submission, pack
from lab.submission.assignment import Demands
from lab.submission.hand_in import SOURCES, program_files

CHECKS: dict[str, Check] = {"program": program, "sources": sources, "correct": correct}
KIT, RING = load_kit("write_the_programs"), load_kit("ring_all_reduce")
TIMED = "sockets"  # the step whose tiers are graded here, too
GradedSteps = dict[str, tuple[list[Finding], list[PartPoints]]]

ASKED = Demands(sizes=(4097,), refuses=("--depth 0", "--colour blue"))
PROGRAM = EXPERIMENTS / "examples" / "plain_verbs" / "program"
HEAD = """
title = "A student program"
question = "Are its times true?"
[parameters]
sizes = "{sizes}"
iterations = 256
warmup = 16
repetitions = 1
deadline_s = 20
"""
PLAIN = """
[programs.plain]
folder = "program"
build = "make -s"
binaries = ["plain"]
server = "plain --server 1 --device {device} --port {port} --size {size} {host}"
client = "plain --device {device} --port {port} --size {size} --iterations {iterations} {arguments} {host}"
output = "columns"
""" + series_of('own plain write throughput\narguments = "--depth 16 --slide 1 --list 4 --signal-every 4 --sleep 1"')


def case_of(exact: ExactSite, folder: Path, asked: Demands, after: Callable[[], None] = lambda: None) -> Case:
    """Submit the experiment of a folder; `after` runs after its programs were built, and may change their sources."""
    (plan,) = open_campaign([folder / "own.toml"], exact, print).plans
    after()
    assignment: Any = SimpleNamespace(asked=asked, steps=(), step_names=())
    results = folder / "results"
    setup = GradingSetup(assignment, exact, plan, results, folder, folder, 2, lambda *_: None)
    case = Case(setup, SubmissionFile(folder / "x.pdf"), folder)
    vars(case.hand_in)["submission"] = Submission("x", b"", {PROGRAMS: pack(program_files(plan))})
    return case


def tampered_case(exact: ExactSite, folder: Path, tampering: Tampering | None) -> Case:
    """A submission of a program that was tampered with before the measurement, or in its sources afterwards."""
    shutil.copytree(PROGRAM, folder / "program", ignore=shutil.ignore_patterns("plain"))
    (folder / "own.toml").write_text(HEAD.format(sizes="1K") + PLAIN)

    def spoil(*, after: bool) -> None:
        if tampering and tampering.after == after:
            tampering.apply(folder)

    for name, old, new in tampering.before if tampering else ():
        change(folder / name, old, new)
    spoil(after=False)
    return case_of(exact, folder, ASKED, lambda: spoil(after=True))


def graded_steps(exact: ExactSite, folder: Path, tried: dict[str, Wrong | None], kit: Kit = KIT) -> GradedSteps:
    """Grade some steps of a solution, with mistakes, at few sizes with few messages."""
    file = laid_out(kit, folder)
    text = re.sub('(?m)^sizes = ".*"$', 'sizes = "256"', file.read_text(), count=1)
    file.write_text(text if TIMED in tried else text.replace("deadline_s = 10", "deadline_s = 4"))
    for wrong in filter(None, tried.values()):
        wrong.apply(file.parent / "program")
    sources = {f"{SOURCES}/silent/{each.name}": each.read_bytes() for each in (file.parent / "program").iterdir()}
    shutil.copytree(ASSIGNMENTS / kit.name / "program", file.parent / "program", dirs_exist_ok=True)  # the course's own
    (plan,) = open_campaign([file], exact, print).plans
    own = (each for each in kit.assignment.steps if each.series in tried)
    untimed = tuple(each if each.series == TIMED else replace(each, tiers=(), against="") for each in own)
    sizes = {size for wrong in tried.values() for size in (wrong.sizes if wrong else (512,))}
    asked = replace(kit.assignment.asked, sizes=tuple(sorted(sizes)))
    assignment = replace(kit.assignment, steps=untimed, asked=asked)
    results = folder / "results"
    setup = GradingSetup(assignment, exact, plan, results, folder, folder, 1, lambda *_: None)
    case = Case(setup, SubmissionFile(folder / "x.pdf"), folder)
    vars(case.hand_in)["submission"] = Submission("x", b"", {PROGRAMS: pack(sources)})
    found = list(steps(case))
    return {
        step: (
            [each for each in found if isinstance(each, Finding) and each.what.startswith(f"{step}: ")],
            [each for each in found if isinstance(each, PartPoints) and each.name.startswith(f"{step}: ")],
        )
        for step in tried
    }
