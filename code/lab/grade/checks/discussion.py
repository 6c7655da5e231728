"""Checks of the discussion: its statements, numbers and length."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from lab.errors import OpeningFault
from lab.grade.case import DISCUSSION, Case
from lab.grade.finding import Finding, Flaw, PartPoints
from lab.records.compare import TOLERANCE
from lab.report.errors import ReportError, TextFault, TextRefused
from lab.report.pdf import output_of
from lab.report.query.judge import words
from lab.report.query.value import Truth, Value
from lab.report.text.check import Backing
from lab.report.text.latex import unsafe
from lab.submission.archive import SubmissionError
from lab.submission.discussion import shortfalls, unmet

FILE = "claims.csv"
MORE_BYTES = 100_000  # than twice the list of the data
MORE_LINES = 1000  # than twice the report's: to compare more takes minutes
LARGEST_TEXT = 4 * 2**20
# A row of a table is the business of the check of the pages. A size first, then cells with gaps between:
# `64 KiB   254.1 [252.8, 254.3]   976.8`.
_ROW = re.compile(r"[\d.,]+ ?(?:B|[KMG]iB)\s{2,}\S+")
Rows = dict[str, dict[str, str]]


def claims(case: Case) -> Iterator[Finding]:
    """The list of claims against the rebuilt one, then against the re-run, then the text against the rebuilt one."""
    yield from _differing(case.file(FILE), case.rebuilt_files[FILE])
    if case.basis is not case.own:
        yield from _not_reproduced(case)
    if not case.is_as_rebuilt:
        yield from _differing_lines(read_lines(case.submission.pdf), read_lines(case.rebuilt))


def read_lines(pdf: bytes) -> list[str]:
    """The printed lines of an untrusted PDF, as in its layout."""
    with tempfile.TemporaryDirectory(prefix="lab-lines-") as name:
        Path(name, "report.pdf").write_bytes(pdf)
        command = ("pdftotext", "-layout", "-nopgbrk", "report.pdf", "-")
        text, _ = output_of(command, Path(name), LARGEST_TEXT)
    if len(text) > LARGEST_TEXT:
        raise SubmissionError(f"the PDF prints more than {LARGEST_TEXT} bytes", fault=OpeningFault.TOO_LARGE)
    return [line.strip() for line in text.decode(errors="replace").splitlines() if line.strip()]


def _differing_lines(given: list[str], made: list[str]) -> Iterator[Finding]:
    """Each run of lines that differs, except rows of tables."""
    if len(given) > 2 * len(made) + MORE_LINES:
        yield Finding(Flaw.TEXT, f"the PDF prints {len(given)} lines, the data give {len(made)}")
        return
    for tag, *places in SequenceMatcher(None, given, made).get_opcodes():
        runs = given[places[0] : places[1]], made[places[2] : places[3]]
        if tag != "equal" and not any(_ROW.match(line) for run in runs for line in run):
            one, other = (" / ".join(run)[:160] or "nothing" for run in runs)
            yield Finding(Flaw.TEXT, f"the PDF prints {one!r}, the data give {other!r}")


def _differing(theirs: bytes, ours: bytes) -> Iterator[Finding]:
    if len(theirs) > 2 * len(ours) + MORE_BYTES:
        yield Finding(Flaw.CLAIM, f"{FILE} has {len(theirs)} bytes, the data give {len(ours)}")
        return
    try:
        handed_in, rebuilt = (_rows(content.decode(errors="replace")) for content in (theirs, ours))
    except csv.Error as error:
        yield Finding(Flaw.CLAIM, f"{FILE} is no table: {error}")
        return
    for name in [*rebuilt, *(name for name in handed_in if name not in rebuilt)]:
        for column in rebuilt.get(name, {"text": ""}):
            one, other = (rows.get(name, {}).get(column, "nothing") for rows in (handed_in, rebuilt))
            if one != other:
                what = f"{name}: {column} is {one!r:.80} in {FILE}, the data give {other!r:.80}"
                yield Finding(Flaw.CLAIM, what)


def _rows(text: str) -> Rows:
    """The rows by kind, number and text, and by their count where these are equal."""
    rows, seen = Rows(), Counter[str]()
    for row in csv.DictReader(io.StringIO(text)):
        name = " ".join(filter(None, (row.get(column) for column in ("kind", "number", "text"))))
        seen[name] += 1
        rows[f"{name} #{seen[name]}" if seen[name] > 1 else name] = row
    return rows


def _not_reproduced(case: Case) -> Iterator[Finding]:
    """The claims and statements of the discussion that the grader's own records do not give."""
    agree = _are_equal if case.repeats_exactly else _are_near
    for theirs, ours in zip(case.checked.backings, case.checked_here.backings, strict=True):
        if (theirs.value or theirs.judged) and not agree(theirs, ours):
            what = f"{theirs.use.body} is {_words(theirs)} in the hand-in, {_words(ours)} here"
            yield Finding(Flaw.NOT_REPRODUCED, what)


def _are_equal(theirs: Backing, ours: Backing) -> bool:
    return _words(theirs) == _words(ours)


def _are_near(theirs: Backing, ours: Backing) -> bool:
    if theirs.judged:
        return ours.judged is not None and ours.judged.truth is Truth.TRUE
    return theirs.value is not None and ours.value is not None and _is_near(theirs.value, ours.value)


def _is_near(theirs: Value, ours: Value) -> bool:
    """Within the tolerance, or within the interval that the grader's own data leave; the hand-in's may be invented.

    What is read off a curve, or chosen, follows from values that are compared elsewhere.
    """
    value, other = theirs.estimate.value, ours.estimate
    is_within = other.interval is not None and other.interval.contains(value)
    return not theirs.medians or is_within or abs(value - other.value) <= TOLERANCE * abs(other.value)


def _words(backing: Backing) -> str:
    if backing.judged:
        return f"{backing.judged.truth.value}: {backing.judged.shows}"
    return words(backing.value) if backing.value else "no number"


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
