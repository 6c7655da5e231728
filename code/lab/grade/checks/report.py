"""Checks of the report: its claims, its pages, and the discussion."""

import csv
import io
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from lab.errors import OpeningFault, plural
from lab.grade.case import DISCUSSION, Case
from lab.grade.finding import Finding, Flaw, PartPoints
from lab.records.compare import TOLERANCE
from lab.report.errors import ReportError, TextFault, TextRefused
from lab.report.pdf import output_of
from lab.report.query.judge import words
from lab.report.query.value import Truth
from lab.report.text.backing import Backing
from lab.report.text.latex import unsafe
from lab.submission.archive import SubmissionError
from lab.submission.discussion import shortfalls, unmet

FILE = "claims.csv"
MORE_BYTES = 100_000  # besides twice the list of the data
MORE_LINES = 1000  # besides twice the report's: comparing more takes minutes
LARGEST_TEXT = 4 * 2**20
# A row of a table, as in `64 KiB   254.1 [252.8, 254.3]   976.8`; the check of the pages compares these.
_ROW = re.compile(r"[\d.,]+ ?(?:B|[KMG]iB)\s{2,}\S+")
Rows = dict[str, dict[str, str]]


def claims(case: Case) -> Iterator[Finding]:
    """Compare the list of claims with the rebuilt one, then with the grader's records, then the text of the PDF."""
    yield from _differing(case.file(FILE), case.rebuilt_files[FILE])
    if case.basis is not case.grader_evidence:
        yield from _not_reproduced(case)
    if not case.is_as_rebuilt:
        yield from _differing_lines(read_lines(case.submission.pdf), read_lines(case.rebuilt))


def _differing(handed_in: bytes, made: bytes) -> Iterator[Finding]:
    if len(handed_in) > 2 * len(made) + MORE_BYTES:
        yield Finding(Flaw.CLAIM, f"{FILE} has {len(handed_in)} bytes, the data give {len(made)}")
        return
    try:
        theirs, ours = (_rows(content.decode(errors="replace")) for content in (handed_in, made))
    except csv.Error as error:
        yield Finding(Flaw.CLAIM, f"{FILE} is not a table: {error}")
        return
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        for column in ours.get(name, {"text": ""}):
            claimed, computed = (rows.get(name, {}).get(column, "nothing") for rows in (theirs, ours))
            if claimed != computed:
                what = f"{name}: {column} is {claimed!r:.80} in {FILE}, the data give {computed!r:.80}"
                yield Finding(Flaw.CLAIM, what)


def _rows(text: str) -> Rows:
    """The rows by kind, number and text; equal rows are counted."""
    rows, seen = Rows(), Counter[str]()
    for row in csv.DictReader(io.StringIO(text)):
        name = " ".join(filter(None, (row.get(column) for column in ("kind", "number", "text"))))
        seen[name] += 1
        rows[f"{name} #{seen[name]}" if seen[name] > 1 else name] = row
    return rows


def _not_reproduced(case: Case) -> Iterator[Finding]:
    """The claims and statements of the discussion that the grader's records do not give."""
    for theirs, ours in zip(case.checked.backings, case.checked_here.backings, strict=True):
        agree = _text(theirs) == _text(ours) if case.repeats_exactly else _are_near(theirs, ours)
        if (theirs.value or theirs.judged) and not agree:
            what = f"{theirs.use.body} is {_text(theirs)} in the submission, {_text(ours)} here"
            yield Finding(Flaw.NOT_REPRODUCED, what)


def _are_near(theirs: Backing, ours: Backing) -> bool:
    """Whether a statement is true here, or a value within the tolerance or the grader's interval; the student's
    interval may be invented. Values that are read off a curve, or chosen, follow from values that are compared
    elsewhere."""
    if theirs.judged:
        return ours.judged is not None and ours.judged.truth is Truth.TRUE
    if theirs.value is None or ours.value is None:
        return False
    value, estimate = theirs.value.estimate.value, ours.value.estimate
    is_within = estimate.interval is not None and estimate.interval.contains(value)
    return not theirs.value.medians or is_within or abs(value - estimate.value) <= TOLERANCE * abs(estimate.value)


def _text(backing: Backing) -> str:
    if backing.judged:
        return f"{backing.judged.truth.value}: {backing.judged.shows}"
    return words(backing.value) if backing.value else "no number"


def read_lines(pdf: bytes) -> list[str]:
    """The printed lines of an untrusted PDF, as in its layout."""
    with tempfile.TemporaryDirectory(prefix="lab-lines-") as name:
        Path(name, "report.pdf").write_bytes(pdf)
        command = ("pdftotext", "-layout", "-nopgbrk", "report.pdf", "-")
        text, _ = output_of(command, Path(name), LARGEST_TEXT)
    if len(text) > LARGEST_TEXT:
        raise SubmissionError(f"the PDF prints more than {LARGEST_TEXT} bytes", fault=OpeningFault.TOO_LARGE)
    return [line.strip() for line in text.decode(errors="replace").splitlines() if line.strip()]


def _differing_lines(handed_in: list[str], rebuilt: list[str]) -> Iterator[Finding]:
    """Each run of lines that differs, except rows of tables."""
    if len(handed_in) > 2 * len(rebuilt) + MORE_LINES:
        yield Finding(Flaw.TEXT, f"the PDF prints {plural(len(handed_in), 'line')}, the data give {len(rebuilt)}")
        return
    for tag, *places in SequenceMatcher(None, handed_in, rebuilt).get_opcodes():
        runs = handed_in[places[0] : places[1]], rebuilt[places[2] : places[3]]
        if tag != "equal" and not any(_ROW.match(line) for run in runs for line in run):
            theirs, ours = (" / ".join(run)[:160] or "nothing" for run in runs)
            yield Finding(Flaw.TEXT, f"the PDF prints {theirs!r}, the data give {ours!r}")


def pages(case: Case) -> Iterator[Finding]:
    """Compare the bytes; a grader reads the rebuilt report in any case."""
    if not case.is_as_rebuilt:
        yield Finding(Flaw.OTHER_BYTES, "not the bytes that Verbyte builds: the rebuilt report was graded")


def discussion(case: Case) -> Iterator[Finding | PartPoints]:
    """Check the safety first; then errors, length and asks. The asks share the points of a text without errors."""
    if faults := list(unsafe(case.text, DISCUSSION)):
        yield from map(_finding, faults)
        return
    lacking = [Finding(Flaw.NO_DISCUSSION, line) for line in shortfalls(case.setup.assignment, case.counted)]
    findings = [*_errors(case), *lacking]
    yield from findings
    asks, most = case.setup.assignment.asks, case.setup.assignment.points["discussion"]
    for number, ask in enumerate(asks):
        share = most * (number + 1) // len(asks) - most * number // len(asks)
        missing = unmet(ask, case.counted)
        if missing:
            yield Finding(Flaw.ASK, missing)
        yield PartPoints(ask.words, share, 0 if findings or missing else share)


def _errors(case: Case) -> Iterator[Finding]:
    try:
        _ = case.rebuilt
    except TextRefused as error:
        yield from map(_finding, error.faults)
    except ReportError as error:
        yield Finding(Flaw.LATEX, str(error))


def _finding(fault: TextFault) -> Finding:
    hint = f" (try: {fault.hint})" if fault.hint else ""
    return Finding(Flaw(fault.kind.value), f"{Path(fault.file).name}:{fault.line}: {fault.what}{hint}")
