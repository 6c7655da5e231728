"""The examples of docs/evidence.md and docs/student.md are what the commands print."""

import re

import pytest
from tests.lab.report.laboratory import numbers_of

from lab.places import DOCS
from lab.report.asking import VERBS
from lab.report.query.grammar import QueryError
from lab.report.query.judge import judge, words
from lab.report.query.value import StatementResult
from lab.report.text.check import Writing, check
from lab.report.text.latex import ALLOWED, ENVIRONMENTS

TEXT = (DOCS / "evidence.md").read_text()
EXAMPLE = re.compile(r"\| `(\w+)` \| `([^`]+)` \| (.+) \|$", re.MULTILINE)
LONGEST = 120  # lines


def answered(experiment: str, text: str) -> str:
    """What `lab query` prints, on a single line."""
    known = numbers_of(experiment)
    try:
        found = judge(known, text) if any(verb in text for verb in VERBS) else known.ask(text)
    except QueryError as error:
        return f"{error.what} (hint: `{error.hint}`)"
    if not isinstance(found, StatementResult):
        return words(found)
    nearest = f" (true is: `{found.nearest}`)" if found.nearest else ""
    return f"{found.truth.value}: {found.shows}{nearest}"


@pytest.mark.parametrize(("experiment", "text", "printed"), EXAMPLE.findall(TEXT))
def test_example_is_the_answer_of_the_reference(experiment: str, text: str, printed: str) -> None:
    start = printed.removesuffix("...")
    found = answered(experiment, text)
    assert found.startswith(start) if start != printed else found == printed


def test_page_is_short_and_has_every_kind_of_answer() -> None:
    printed = [found[2] for found in EXAMPLE.findall(TEXT)]
    assert len(TEXT.splitlines()) <= LONGEST
    assert all(any(found.startswith(kind) for found in printed) for kind in ("true", "false", "undecided", "two links"))


def test_commands_of_the_page_are_allowed_in_a_text() -> None:
    _, _, section = TEXT.partition("## Commands of a text")
    named = set(re.findall(r"`\\([A-Za-z]+)", section))
    assert named <= ALLOWED
    assert all(f"`{environment}`" in section for environment in ENVIRONMENTS)


STUDENT_PAGE = (DOCS / "student.md").read_text()
ERRORS = re.findall(
    r"^\| `([^|]+)` \| `([^|]+)` \| .+ \|$", STUDENT_PAGE.partition("## Five common errors")[2], re.MULTILINE
)


def test_student_page_has_five_errors() -> None:
    assert len(ERRORS) == 5


@pytest.mark.parametrize(("text", "printed"), ERRORS)
def test_check_prints_the_errors_of_the_student_page(text: str, printed: str) -> None:
    (fault,) = check(Writing("discussion.tex", f"{text}\n"), numbers_of("verbs_throughput")).faults
    assert printed in str(fault)


def test_the_worked_paragraph_of_the_student_page_is_what_the_check_prints() -> None:
    before, printed, after = re.findall(r"^```\w+\n(.*?)^```", STUDENT_PAGE, re.MULTILINE | re.DOTALL)
    known, file = numbers_of("verbs_throughput"), "verbs_throughput/discussion.tex"
    found = check(Writing(file, before), known)
    notes = [f"{file}:{note.line}:1: note: compares, no evidence attached\n    {note.text}" for note in found.notes]
    lines = "\n".join([*map(str, found.faults), *notes]).splitlines()
    for line, shown in zip(lines, printed.splitlines(), strict=True):
        start = shown.removesuffix("...")
        assert line.startswith(start) if start != shown else line == shown
    better = check(Writing(file, after), known)
    assert (better.faults, better.notes) == ((), ())
