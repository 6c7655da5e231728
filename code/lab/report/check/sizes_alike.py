"""One program at two sizes that are said to take as long, or one no longer than the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.times import TIME, calls_named, times_of
from lab.report.check.topics import groups, is_of_processors
from lab.report.moves import LEVEL, is_alike

_NO_LONGER = re.compile(r"\b(?:no|not|never|hardly)\b[^.;]*\b(?:longer|more time|slower)\b[^.;]*\bthan\b", re.I)
_KEPT = re.compile(
    r"\b(?:does not|doesn't|do not) (?:change|rise|grow|increase)\b|"
    r"\b(?:is|stays?|remains?) (?:the same|level|constant|flat|unchanged)\b",
    re.I,
)
_LONGER = re.compile(r"\b(?:longer|shorter|slower|faster)\b", re.I)


def sizes_take_as_long(sentence: Sentence) -> Iterator[Objection]:
    """`4088 bytes take no longer than 4087`, `the latency does not change between 16 and 64 bytes`."""
    for part in sentence.parts:
        named, sizes = groups(part) or sentence.groups, sizes_in(part)
        of_time = TIME.search(part.words) or calls_named(part.words)[0]
        if len(named) != 1 or len(sizes) != 2 or not of_time or is_of_processors(part):
            continue
        if part.is_stated and not part.uses and (what := _wrong(part, sizes)):
            yield Objection(what, part.start, named)


def _wrong(part: Clause, sizes: tuple[int, ...]) -> str:
    kept, no_longer = _KEPT.search(part.words), _NO_LONGER.search(part.words)
    if (not kept or _LONGER.search(part.words)) and not no_longer:
        return ""
    first, second = sizes if no_longer else (max(sizes), min(sizes))
    pairs = [(each[first], each[second]) for each in times_of(part) if {first, second} <= each.keys()]
    ratios = [(each[0].estimate.value / each[1].estimate.value, each) for each in pairs]
    wrong = [pair for ratio, pair in ratios if not (ratio <= LEVEL if no_longer else is_alike(ratio))]
    return against(*wrong[0]) if pairs and len(wrong) == len(pairs) else ""
