"""Starter texts and reference discussions hold for the reference: lab.kit.commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.lab.report.query.numbers_of import numbers_of

from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.report.text.check import Checked, Writing, check
from lab.report.text.macros import length_of
from lab.submission.assignment import load_assignment
from lab.submission.discussion import count, handed_out, shortfalls, unmet

STARTERS = sorted(EXPERIMENTS.glob("*/discussion.tex"))
SOLUTIONS = [  # the reference has no records of the sixth experiment, write_the_programs
    file for file in ASSIGNMENTS.glob("*/solution/*/discussion.tex") if file.parent.name != "write_the_programs"
]
WORKED = re.compile(r"^% (.+\\(?:claim|shows)\{.+)$", re.MULTILINE)
LONGEST = 25  # lines of a starter text
# Measures of single samples, which the reference does not keep.
SAMPLED = re.compile(
    r"\\(?:claim|shows)(?:\[\d\])?\{[^{}]*\.(?:agreed|corrected|first|fixed|rounds?|taken_off|trip)\b[^{}]*\}"
)


def _named(file: Path) -> str:
    return file.parent.name


def _checked(file: Path, text: str) -> Checked:
    """The check of a text without the evidence that needs samples."""
    return check(Writing(file.name, SAMPLED.sub(r"\\claim{plan.sizes}", text)), numbers_of(file.parent.name))


@pytest.mark.parametrize("file", STARTERS, ids=_named)
def test_a_starter_text_is_empty_and_short(file: Path) -> None:
    text = file.read_text()
    assert length_of(text) == (0, 0)
    assert len(text.splitlines()) <= LONGEST and len(re.findall(r"^% \d\. .*\?", text, re.MULTILINE)) == 4


@pytest.mark.parametrize("file", STARTERS, ids=_named)
def test_the_worked_sentences_of_a_starter_text_hold(file: Path) -> None:
    typed = [sentence for sentence in WORKED.findall(file.read_text()) if not sentence.startswith((" ", "`"))]
    checked = _checked(file, "\n".join(typed))
    assert len(typed) == 3
    assert (checked.faults, checked.notes) == ((), ())


@pytest.mark.parametrize("file", SOLUTIONS, ids=_named)
def test_a_reference_discussion_holds_and_lacks_no_evidence(file: Path) -> None:
    text = file.read_text()
    checked = _checked(file, text)
    assert (checked.faults, checked.notes) == ((), ())
    assert 300 <= length_of(text)[0] <= 450


@pytest.mark.parametrize("file", SOLUTIONS, ids=_named)
def test_a_reference_discussion_has_what_its_assignment_asks_for(file: Path) -> None:
    assignment = load_assignment(ASSIGNMENTS / f"{file.parents[2].name}.toml")
    known = handed_out(assignment, starter=True, solution=False)
    counted = count(_checked(file, file.read_text()), numbers_of(file.parent.name), known)
    assert not counted.copied
    assert [*shortfalls(assignment, counted), *filter(None, (unmet(ask, counted) for ask in assignment.asks))] == []
