"""The print of evidence macros in the text, and the lists of evidence."""

import re
from collections.abc import Iterable, Sequence

from lab.files.storage import csv_text
from lab.model.sizes import parse_size
from lab.report.evidence.environment import RecordSet, sets_of
from lab.report.tex.numbers import mark, show, shown
from lab.report.tex.render import escape
from lab.report.text.check import Backing
from lab.report.text.latex import without_comments

COLUMNS = tuple(
    "kind number text shown value unit low high level n verdict source records".split()  # noqa: SIM905
)
_SIZE = re.compile(r"\\size\{([^{}]*)\}")


def printed(text: str, backings: Sequence[Backing]) -> str:
    """Replace the macros by their print, on as many lines."""
    parts, at = list[str](), 0
    for backing in backings:
        use = backing.use
        lines = "%\n" * text.count("\n", use.start, use.end)
        parts += [text[at : use.start], _tex(backing), lines]
        at = use.end
    whole = "".join([*parts, text[at:]]) if parts else without_comments(text)
    return _SIZE.sub(lambda size: show(parse_size(size[1].strip()), "size", 0).tex, whole)


def _tex(backing: Backing) -> str:
    if backing.use.kind == "given":
        return rf"\labgiven{{{backing.use.body.replace('%', chr(92) + '%').replace('_', chr(92) + '_')}}}"
    if backing.judged:
        return rf"\labshows{{{backing.number}}}"
    assert backing.value
    answer = backing.value.answer
    return rf"\labclaim{{{backing.number}}}{{{shown(answer, backing.use.digits).tex}{mark(answer)}}}"


def evidence_rows(backings: Iterable[Backing], sets: tuple[RecordSet, ...]) -> list[dict[str, str]]:
    """A row of the report's list for each statement, in the order of the text."""
    return [
        {
            "number": backing.number,
            "statement": escape(judged.text),
            "shows": escape(judged.shows),
            "n": str(judged.n or ""),
            "records": sets_of(judged.keys, sets) or escape(judged.source),
        }
        for backing in backings
        if (judged := backing.judged)
    ]


def claims_csv(backings: Iterable[Backing]) -> str:
    """All claims and statements of the texts, with all digits."""
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
