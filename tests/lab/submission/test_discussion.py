"""The words and the evidence of a discussion that count."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab import hand_ins

from lab.files.storage import write_text
from lab.report.evidence.evidence import gather
from lab.report.query.numbers import Numbers
from lab.report.text.check import Writing, check
from lab.submission.assignment import Ask, Assignment, load_assignment
from lab.submission.discussion import Counted, count, fingerprint, handed_out, shortfalls, unmet
from lab.submission.hand_in import Work

LONG = "TCP is ahead because its segments are larger, and each call moves more of them."


@pytest.fixture(scope="module")
def numbers(ada: Work) -> Numbers:
    return Numbers(gather(ada.plan, ada.results))


@pytest.fixture
def assignment(tmp_path: Path) -> Assignment:
    """A kit with a hand-out, a solution and a starter text, each with a different sentence."""
    (tmp_path / "small.toml").write_text(hand_ins.EXPERIMENT)
    (tmp_path / "week1.toml").write_text(hand_ins.ASSIGNMENT)
    for name, text in (
        ("week1/handout.md", "# Week 1\n\nLinks of a rack are\nshort.\n"),
        ("week1/solution/small/discussion.tex", f"{LONG}\\shows{{tcp > verbs everywhere}}\n"),
        ("small/discussion.tex", "% Replace this one.\n% RDMA has \\claim{verbs at 4K}.\n"),
    ):
        write_text(tmp_path / name, text)
    return load_assignment(tmp_path / "week1.toml")


def counted(text: str, numbers: Numbers, course_sentences: frozenset[str] = frozenset()) -> Counted:
    return count(check(Writing("d.tex", text), numbers), numbers, course_sentences)


@pytest.mark.parametrize(
    "text",
    ["TCP has \\claim{tcp at 4K}.", "  tcp  HAS\n\\claim[3]{tcp at 4K} !", "`TCP` has \\emph{\\claim{tcp at 4K}}"],
)
def test_fingerprint_ignores_marks_blanks_and_commands(text: str) -> None:
    assert fingerprint(text) == "tcp has tcp at 4k"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Links of a rack are short.", 0),
        (f"{LONG}\\shows{{tcp > verbs everywhere}}", 0),
        ("RDMA has \\claim{verbs at 4K}.", 0),
        ("Links of a rack are short. Ours is not one of them.", 6),
    ],
)
def test_sentences_of_the_course_do_not_count(assignment: Assignment, numbers: Numbers, text: str, words: int) -> None:
    result = counted(text, numbers, handed_out(assignment, starter=True, solution=True))
    assert (result.words, result.proofs, len(result.copied)) == (words, (), 1)
    assert counted(text, numbers).words > words
    lines = list(shortfalls(assignment, result))
    copied = "(not counted: 1 of the course's sentences)"
    assert lines[0] == f"the assignment asks for 10 words; the text has {words} {copied}"


def test_solution_counts_when_a_kit_is_tried_and_starter_in_a_students_checkout(assignment: Assignment) -> None:
    solution, starter = fingerprint(LONG), fingerprint("Replace this one")
    without_solution = handed_out(assignment, starter=True, solution=False)
    assert starter in without_solution and not [text for text in without_solution if text.startswith(solution)]
    assert starter not in handed_out(assignment, starter=False, solution=True)
    (assignment.experiment_file.with_suffix("") / "discussion.tex").write_text(f"Replace this one. {LONG}\n")
    assert starter not in handed_out(assignment, starter=True, solution=True)  # long enough for somebody's work


BOTH = ("verbs", "tcp")


@pytest.mark.parametrize(
    ("text", "ask", "met"),
    [
        (r"\shows{tcp > verbs everywhere}", Ask(BOTH), 1),
        (r"\shows{tcp > verbs at 64}", Ask(BOTH, sizes="large"), 0),
        (r"\shows{tcp > verbs at 64K}", Ask(BOTH, sizes="large"), 1),
        (r"\shows{tcp < verbs everywhere}", Ask(BOTH), 0),  # false
        (r"\shows{tcp > verbs everywhere} \shows{tcp  > verbs everywhere}", Ask(BOTH), 1),  # the same twice
        (r"\claim{tcp / verbs at 4K} \claim{tcp / verbs at 64}", Ask(BOTH, sizes="small"), 2),
        (r"\claim{tcp at 4K} \claim{verbs at 4K}", Ask(BOTH), 0),  # not both in one
        (r"\claim{tcp.peak / verbs.peak}", Ask(BOTH, sizes="64"), 1),  # of whole curves
        (r"\shows{tcp.peak > verbs.peak}", Ask(BOTH, sizes="64"), 1),
        (r"\shows{tcp at 64 > verbs at 4K}", Ask(BOTH, sizes="large"), 0),
        (r"\shows{tcp at 64 < verbs at 64K}", Ask(BOTH, sizes="large"), 1),
        (r"\claim{plan.trials}", Ask(("tcp",)), 0),
        (r"\given{5 GB/s}", Ask(("tcp",)), 0),
        (r"\claim{nothing} \shows{nothing}", Ask(("tcp",)), 0),
    ],
)
def test_ask_is_met_by_claims_and_true_statements_about_it(numbers: Numbers, text: str, ask: Ask, met: int) -> None:
    result = counted(text, numbers)
    line = "" if met else f"the assignment asks for {ask.words}; the text has 0"
    assert result.met(ask) == met and unmet(replace(ask, statements=met or 1), result) == line
