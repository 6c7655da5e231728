"""The gap between two programs: where it is said to be widest, narrowest or gone, and whether it grows or shrinks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lab.analysis.verdict import Verdict
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.verdicts import ratios_by_size, sizes_meant
from lab.report.claim import Claim

_GAP = re.compile(r"\b(?P<gap>gap|difference|distance|lead|advantage)\b|\b(?P<ratio>ratio|speed-?up)\b", re.I)
_GONE = re.compile(r"\b(?:vanish\w*|disappear\w*|closes? (?:completely|entirely)|is gone)\b", re.I)
_WIDEST = re.compile(r"\b(?:largest|highest|greatest|widest|biggest|most)\b", re.I)
_LEAST = re.compile(r"\b(?:smallest|lowest|least|narrowest|closest)\b(?! (?:messages?|sizes?))", re.I)
_WIDENS = re.compile(r"\b(?:grow|ris|increas|widen|climb)\w*\b", re.I)
_SHRINKS = re.compile(r"\b(?:shrink|narrow|fall|decreas|declin|clos|drop)\w*\b", re.I)
_THROUGHOUT = re.compile(
    r"\b(?:steadily|monotonically|always|continuously|constantly|over the whole range|at every (?:size|step))\b", re.I
)
_DENIED = re.compile(r"\b(?:not|never|no|hardly|neither|nor)\b|n't\b", re.I)
CLOSE, STEP = 0.05, 1.02  # of the widest one; what two neighbours may differ by


def gaps_hold(sentence: Sentence) -> Iterator[Objection]:
    """What is said of a gap or a ratio of two programs is what their ratios do."""
    for part in sentence.parts:
        named = list(dict.fromkeys(each.group for each in part.mentions or sentence.mentions))
        found = _GAP.search(part.words)
        if found is None or not part.is_stated or len(named) > 2 or _DENIED.search(part.words):
            continue
        pair = (named[0], named[1]) if len(named) == 2 else ("RDMA", "TCP")
        ratios = ratios_by_size(*pair, part)
        if ratios and (what := _wrong(part, ratios, is_ratio=bool(found["ratio"]))):
            yield Objection(what, part.start + found.start(), pair)


def _wrong(part: Clause, ratios: dict[int, Claim], *, is_ratio: bool) -> str:
    if _GONE.search(part.words):
        return _gone(part, ratios)
    heights = {size: _height(claim, is_ratio=is_ratio) for size, claim in ratios.items()}
    if _THROUGHOUT.search(part.words):
        return _throughout(part, heights)
    return _extreme(part, heights, ratios)


def _height(claim: Claim, *, is_ratio: bool) -> float:
    """A gap is as wide for twice as for half."""
    factor = claim.estimate.value
    return factor if is_ratio else max(factor, 1 / factor)


def _gone(part: Clause, ratios: dict[int, Claim]) -> str:
    there = {size: ratios[size].verdict for size in sizes_meant(part, ratios) or ratios}
    wide = [size for size, verdict in there.items() if verdict in (Verdict.MORE, Verdict.LESS)]
    return f"there is one: \\claim{{{ratios[wide[-1]].name}}}" if wide else ""


def _throughout(part: Clause, heights: dict[int, float]) -> str:
    steps = [after / before for (_, before), (_, after) in pairwise(sorted(heights.items()))]
    if _WIDENS.search(part.words) and min(steps) < 1 / STEP:
        return "it does not: at some step it gets smaller"
    if _SHRINKS.search(part.words) and max(steps) > STEP:
        return "it does not: at some step it gets larger"
    return ""


def _extreme(part: Clause, heights: dict[int, float], ratios: dict[int, Claim]) -> str:
    sizes = [size for size in sizes_in(part) if size in heights]
    if not sizes or bool(_WIDEST.search(part.words)) == bool(_LEAST.search(part.words)):
        return ""
    choose = max if _WIDEST.search(part.words) else min
    best = choose(heights, key=lambda size: heights[size])
    if any(abs(heights[each] / heights[best] - 1) <= CLOSE for each in sizes):
        return ""
    return f"that is elsewhere: \\claim{{{ratios[best].name}}}"
