"""The starter texts and reference discussions are true of the reference."""

import re
from pathlib import Path

import pytest
from tests.lab.report.laboratory import numbers_of

from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.plan.planning import all_experiments
from lab.report.text.check import Checked, Writing, check
from lab.report.text.macros import length_of
from lab.submission.assignment import load_assignment
from lab.submission.discussion import count, handed_out, shortfalls, unmet

STARTERS = [EXPERIMENTS / file.stem / "discussion.tex" for file in all_experiments()]
UNRECORDED = {"write_the_programs", "ring_all_reduce"}  # the reference has no records of them
SOLUTIONS = [file for file in ASSIGNMENTS.glob("*/solution/*/discussion.tex") if file.parent.name not in UNRECORDED]
WORKED = re.compile(r"^% (.+\\(?:claim|shows)\{.+)$", re.MULTILINE)
LONGEST = 25  # lines of a starter text
# Measures of single samples, which the reference does not contain.
SAMPLED = re.compile(
    r"\\(?:claim|shows)(?:\[\d\])?\{[^{}]*\.(?:agreed|corrected|first|fixed|rounds?|taken_off|trip)\b[^{}]*\}"
)


def checked(file: Path, text: str) -> Checked:
    """The check of a text without the evidence that needs samples."""
    return check(Writing(file.name, SAMPLED.sub(r"\\claim{plan.sizes}", text)), numbers_of(file.parent.name))


@pytest.mark.parametrize("file", STARTERS, ids=lambda file: file.parent.name)
def test_starter_text_is_empty_and_short(file: Path) -> None:
    text = file.read_text()
    assert length_of(text) == (0, 0)
    assert len(text.splitlines()) <= LONGEST and len(re.findall(r"^% \d\. .*\?", text, re.MULTILINE)) == 4


@pytest.mark.parametrize("file", STARTERS, ids=lambda file: file.parent.name)
def test_worked_sentences_of_a_starter_text_are_true(file: Path) -> None:
    typed = [sentence for sentence in WORKED.findall(file.read_text()) if not sentence.startswith((" ", "`"))]
    result = checked(file, "\n".join(typed))
    assert (len(typed), result.faults, result.notes) == (3, (), ())


@pytest.mark.parametrize("file", SOLUTIONS, ids=lambda file: file.parent.name)
def test_reference_discussion_is_true_and_meets_its_assignment(file: Path) -> None:
    result = checked(file, file.read_text())
    assert (result.faults, result.notes) == ((), ()) and 300 <= length_of(file.read_text())[0] <= 450
    assignment = load_assignment(ASSIGNMENTS / f"{file.parents[2].name}.toml")
    counted = count(result, numbers_of(file.parent.name), handed_out(assignment, starter=True, solution=False))
    assert not counted.copied
    assert [*shortfalls(assignment, counted), *filter(None, (unmet(ask, counted) for ask in assignment.asks))] == []
