"""The discussion has no errors, is long enough, and states what the assignment asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.grade.case import DISCUSSION, Case
from lab.grade.finding import Finding, Flaw
from lab.grade.result import PartPoints
from lab.report.errors import ReportError, TextFault, TextRefused
from lab.report.text.latex import unsafe
from lab.submission.discussion import shortfalls, unmet


def discussion(case: Case) -> Iterator[Finding | PartPoints]:
    """Safety first; then the errors, the length, and the asks, which share the points of a text without errors."""
    if faults := list(unsafe(case.text, DISCUSSION)):
        yield from map(_finding, faults)
        return
    lacking = [Finding(Flaw.NO_DISCUSSION, line) for line in shortfalls(case.setup.assignment, case.counted)]
    found = [*_errors(case), *lacking]
    yield from found
    yield from _asks(case, earns=not found)


def _errors(case: Case) -> Iterator[Finding]:
    try:
        case.rebuilt  # noqa: B018 - built when it is asked for
    except TextRefused as error:
        yield from map(_finding, error.faults)
    except ReportError as error:
        yield Finding(Flaw.LATEX, str(error))


def _finding(fault: TextFault) -> Finding:
    hint = f" (try: {fault.hint})" if fault.hint else ""
    return Finding(Flaw(fault.kind.value), f"{Path(fault.file).name}:{fault.line}: {fault.what}{hint}")


def _asks(case: Case, *, earns: bool) -> Iterator[Finding | PartPoints]:
    """A part for each ask: all of its points or none."""
    asks, most = case.setup.assignment.asks, case.setup.assignment.points["discussion"]
    for number, ask in enumerate(asks):
        share = most * (number + 1) // len(asks) - most * number // len(asks)
        missing = unmet(ask, case.counted)
        if missing:
            yield Finding(Flaw.ASK, missing)
        yield PartPoints(ask.words, share, share * (earns and not missing))
