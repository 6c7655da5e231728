"""One program at two sizes: what a step from one to the other is said to bring, and which message takes longer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import apart
from lab.report.check.curves import curves_of
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.times import TIME, times_of
from lab.report.claim import Claim

_STEP = re.compile(
    r"\b(?:from|between)\b[^.;,]*\b(?:to|and)\b|"
    r"\b(?:mov|go|step|pass|switch|increas|enlarg|rais|doubl)\w* [^.;,]*\bfrom\b",
    re.I,
)
_UP = re.compile(
    r"\b(?:boost\w*|help\w*|gains?|gained|improv\w*|benefit\w*|profit\w*|pays? off|speeds? up|faster)\b", re.I
)
_DOWN = re.compile(r"\b(?:costs?|cost|hurts?|loses?|lost|slower|slows? down|harm\w*|penalt\w*|suffers?|worse)\b", re.I)
_LONGER = re.compile(
    r"\b(?:takes?|needs?|lasts?|requires?) (?:\w+ )?(?:(?P<long>longer|more time)|less time|shorter)\b[^.;]*\bthan\b",
    re.I,
)
_OTHER_ONES = re.compile(
    r"\bthan (?:\w+ )?(?:(?P<small>smaller|shorter)|larger|longer|bigger) (?:ones?|messages?)\b", re.I
)
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|nothing|hardly|little)\b|n't\b", re.I)


def size_steps_hold(sentence: Sentence) -> Iterator[Objection]:
    """`From 32 KiB to 64 KiB TCP gains` needs the higher rate at the second."""
    for part in sentence.parts:
        sizes = sizes_in(part)
        if len(sizes) != 2 or not part.is_stated or part.uses or len({each.group for each in part.mentions}) > 1:
            continue
        if _DENIED.search(part.words):
            continue
        longer, others = _LONGER.search(part.words), _OTHER_ONES.search(part.words)
        if others:
            sizes = tuple(sorted(sizes, reverse=bool(others["small"])))
        what = _of_times(sizes, part, above=bool(longer["long"])) if longer else _of_rates(sizes, part)
        if what:
            yield Objection(what, part.start, tuple(each.group for each in part.mentions))


def _of_times(sizes: tuple[int, ...], part: Clause, *, above: bool) -> str:
    for times in times_of(part):
        if {*sizes} <= times.keys() and _is_wrong(times[sizes[0]], times[sizes[1]], above=above):
            return against(times[sizes[0]], times[sizes[1]])
    return ""


def _of_rates(sizes: tuple[int, ...], part: Clause) -> str:
    up, down = _UP.search(part.words), _DOWN.search(part.words)
    if not _STEP.search(part.words) or bool(up) == bool(down) or TIME.search(part.words):
        return ""
    for curve in curves_of(part) if part.mentions else []:
        rates = curve.rates
        if {*sizes} <= rates.keys() and _is_wrong(rates[sizes[1]], rates[sizes[0]], above=bool(up)):
            return against(rates[sizes[1]], rates[sizes[0]])
    return ""


def _is_wrong(first: Claim, second: Claim, *, above: bool) -> bool:
    """Apart, and the other way round."""
    value, other = first.estimate.value, second.estimate.value
    return apart(first.estimate, second.estimate) and (value > other) is not above
