"""What the evidence macros print, in the text and in the list at a report's end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.files.storage import csv_text
from lab.model.sizes import parse_size
from lab.report.evidence.environment import RecordSet, sets_of
from lab.report.tex.numbers import mark, show, shown
from lab.report.tex.render import Markup, escape
from lab.report.text.check import Backing
from lab.report.text.latex import without_comments

COLUMNS = (
    "kind",
    "number",
    "text",
    "shown",
    "value",
    "unit",
    "low",
    "high",
    "level",
    "n",
    "verdict",
    "source",
    "records",
)
_SIZE = re.compile(r"\\size\{([^{}]*)\}")


@dataclass(frozen=True)
class EvidenceRow:
    """A statement as the report lists it."""

    number: str
    statement: Markup
    shows: Markup
    n: str
    records: str


def printed(text: str, backings: Sequence[Backing]) -> str:
    """The text with what its macros print; every line stays a line."""
    parts, at = list[str](), 0
    for backing in backings:
        use = backing.use
        lines = "%\n" * text.count("\n", use.start, use.end)
        parts += [text[at : use.start], _tex(backing), lines]
        at = use.end
    whole = without_comments("".join([*parts, text[at:]])) if not parts else "".join([*parts, text[at:]])
    return _SIZE.sub(lambda size: show(parse_size(size[1].strip()), "size", 0).tex, whole)


def _tex(backing: Backing) -> str:
    if backing.use.kind == "given":
        return rf"\labgiven{{{backing.use.body.replace('%', chr(92) + '%').replace('_', chr(92) + '_')}}}"
    if backing.judged:
        return rf"\labshows{{{backing.number}}}"
    assert backing.value
    answer = backing.value.answer
    return rf"\labclaim{{{backing.number}}}{{{shown(answer, backing.use.digits).tex}{mark(answer)}}}"


def evidence_rows(backings: Iterable[Backing], sets: tuple[RecordSet, ...]) -> list[EvidenceRow]:
    """A row for each statement, in the order of the text."""
    return [
        EvidenceRow(
            backing.number,
            escape(backing.judged.text),
            escape(backing.judged.shows),
            str(backing.judged.n or ""),
            sets_of(backing.judged.keys, sets) or escape(backing.judged.source),
        )
        for backing in backings
        if backing.judged
    ]


def claims_csv(backings: Iterable[Backing]) -> str:
    """Every claim and statement that the texts use, to the last digit."""
    return csv_text(COLUMNS, dict.fromkeys(_row(backing) for backing in backings if backing.use.kind != "given"))


def _row(backing: Backing) -> tuple[str | int | float, ...]:
    if judged := backing.judged:
        about = ("", "", "", "", "", judged.n or "", judged.truth.value, judged.source, " ".join(judged.keys))
        return ("statement", backing.number, judged.text, judged.shows, *about)
    assert backing.value
    value, answer = backing.value, backing.value.answer
    interval = None if value.is_exact else value.estimate.interval
    ends = (repr(interval.low), repr(interval.high), interval.level) if interval else ("", "", "")
    numbers = (shown(answer).plain, repr(answer.estimate.value), answer.unit, *ends, value.estimate.n or "")
    return ("claim", "", backing.use.body, *numbers, "", value.source, " ".join(value.keys))
