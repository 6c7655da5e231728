"""A kit to start from: it serves any experiment, and every line of it is to be changed."""

from __future__ import annotations

import re
from pathlib import Path

from lab.errors import SpecError
from lab.files.storage import write_text
from lab.places import ASSIGNMENTS
from lab.plan.workshop import find_experiment
from lab.spec.reader import load

NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
ASSIGNMENT = """# What a student hands in, and the points of each check. docs/grading.md says what each check asks.
title = "{title}"
experiment = "{experiment}"
site = "exact"
identities = ["exact"] # whose records are graded without a person
people_at_most = 2 # of one hand-in

[discussion]
words_at_least = 120
evidence_at_least = 6 # different claims and true statements

# What they must be about: series of the experiment. sizes: small (up to 4K), large (from 64K), 1..4K, or 64, 64K.
[[asks]]
about = ["{series}"]
statements = 2
text = "What does the curve do, and where?"

[points]
package = 5
records = 10
rerun = 20
claims = 20
pages = 10
discussion = 15

# What a person judges: lab book NAME takes the points from a table.
[[rubric]]
name = "reasoning"
points = 20
asks = "Each explanation names what else could be the cause, and what in the data speaks against it."

# [deadline]
# at = "2026-12-01T23:59+01:00"
# late_days = 3
# percent_a_day = 10

# ---- From here on it is the course's alone: `lab kit make` leaves it out. A table [hidden_program] may stand here.
"""
HANDOUT = """# {title}

## Goal

{question}

## Background

Say here what a student must know before they measure: two paragraphs, and what to read.
A measured number is a query about the reference, written as in a discussion: docs/evidence.md.

## Tasks

1. Measure: `.venv/bin/lab run {experiment}`.
2. List what you can ask: `.venv/bin/lab query {experiment}`.
3. Answer the question above from your data: what is larger, by how much, at which sizes, and why?
4. Write the discussion, with evidence for each number and each comparison, and check it while you write:
   `.venv/bin/lab check {experiment} --watch`.
"""


def new_kit(name: str, experiment: str, folder: Path = ASSIGNMENTS) -> list[Path]:
    """The files that were written; none is ever replaced."""
    if not NAME.fullmatch(name):
        raise SpecError(f"{name!r:.80} is no name of a kit", expected="small letters, digits and _, a letter first")
    found = load(find_experiment(Path(experiment)))
    words = {"title": found.title.replace('"', "'"), "experiment": experiment, "question": found.question.strip()}
    words["series"] = found.series[0].name
    files = {folder / f"{name}.toml": ASSIGNMENT, folder / name / "handout.md": HANDOUT}
    for file in files:
        if file.exists():
            raise SpecError("is there already, and a kit is never replaced", file=file, hint="another name")
    for file, text in files.items():
        write_text(file, text.format(**words))
    return list(files)
