"""A submission of student programs, as the exact site's grader sees it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.toml import series_of

from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.places import EXPERIMENTS
from lab.plan.planning import open_workshop
from lab.sites.exact import ExactSite
from lab.submission.archive import PROGRAMS, Submission, pack
from lab.submission.assignment import Demands
from lab.submission.hand_in import program_files

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
    (plan,) = open_workshop([folder / "own.toml"], exact, print).plans
    after()
    assignment: Any = SimpleNamespace(asked=asked)
    results = folder / "results"
    setup = GradingSetup(assignment, exact, plan, results, folder, folder, 2, lambda *_: None, witness=exact)
    case = Case(setup, SubmissionFile(folder / "x.pdf"), folder)
    vars(case.hand_in)["submission"] = Submission("x", b"", {PROGRAMS: pack(program_files(plan))})
    return case
