"""The discussion is the student's own, is safe LaTeX, and agrees with the data."""

from __future__ import annotations

from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.report.build import DRAFT
from lab.report.check.names import RULE as NAMES
from lab.report.check.own_figures import DRAWN
from lab.report.check.references import LISTED
from lab.report.check.safety import PERCENT, require_safe
from lab.report.check.safety import RULE as COMMANDS
from lab.report.check.text import refused
from lab.report.claim import Ledger
from lab.report.claims.ledger import make_ledger
from lab.report.errors import ClaimsRefused, RefusedSentence, ReportError
from lab.report.prose.uses import COMMENT, length_of
from lab.report.tex.references import FILE as REFERENCES

FILE = "discussion.tex"


def discussion(case: Case) -> Iterator[Finding]:
    """Safety first; then its length, its sentences against the data, and whether it builds."""
    text = case.file(FILE).decode(errors="replace")
    try:
        require_safe(text, FILE)
    except ReportError as error:
        yield Finding(Flaw.LATEX, str(error))
        return
    yield from _length(case, COMMENT.sub("", text))
    yield from _refused(text, make_ledger(case.basis))
    if not case.repeats_exactly:
        yield from _refused(text, make_ledger(case.own))
    try:
        case.rebuilt  # noqa: B018 - built when it is asked for
    except ClaimsRefused as error:
        kinds = {_flaw(each) for each in error.refusals}
        kind = Flaw.LATEX if kinds == {Flaw.LATEX} else Flaw.SENTENCE
        yield Finding(kind, "the claims check refuses it, so the report does not build")
        yield from (Finding(_flaw(each), str(each)) for each in error.refusals if _is_beside_the_text(each))
    except ReportError as error:
        yield Finding(Flaw.LATEX, str(error))


def _length(case: Case, text: str) -> Iterator[Finding]:
    assignment = case.setup.assignment
    if DRAFT in text:
        yield Finding(Flaw.NO_DISCUSSION, "it prints the generated draft instead of the student's own words")
    words, used = length_of(text)
    if words < assignment.words_at_least:
        yield Finding(
            Flaw.NO_DISCUSSION,
            f"it has {words} words; the assignment asks for {assignment.words_at_least} at least",
        )
    if used < assignment.claims_at_least:
        yield Finding(
            Flaw.NO_DISCUSSION,
            f"it uses {used} claims; the assignment asks for {assignment.claims_at_least} at least",
        )


def _is_beside_the_text(refusal: RefusedSentence) -> bool:
    """Of sources, data or names, which the sentences alone do not show."""
    return refusal.rule in (LISTED, DRAWN, NAMES) or refusal.file.endswith(REFERENCES)


def _flaw(refusal: RefusedSentence) -> Flaw:
    """What BibTeX or LaTeX would run is another matter than what a sentence says."""
    return Flaw.LATEX if refusal.rule in (COMMANDS, PERCENT) else Flaw.SENTENCE


def _refused(text: str, ledger: Ledger) -> Iterator[Finding]:
    yield from (Finding(Flaw.SENTENCE, str(each)) for each in refused(text, FILE, ledger))
