"""The gap between two programs: where it is widest or gone, how it grows, its bounds, and curves that cross."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from lab.analysis.verdict import Verdict
from lab.report.check.curves import CurveClaims
from lab.report.check.gaps_at_sizes import CLOSED, SHRINKS, WIDENS, wrong_at_sizes
from lab.report.check.objection import Objection
from lab.report.check.ratios import distances, ratios_by_size
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, TCP
from lab.report.claim import Claim
from lab.report.moves import is_level

_GAP = re.compile(
    r"\b(?P<gap>gap|difference|distance|lead|advantage|differs?|clos(?:e|er|est)(?= to (?:TCP|RDMA|"
    r"the card)))\b|\b(?P<ratio>ratios?|speed-?up|factor)\b",
    re.I,
)
_BOUND = re.compile(
    r"\b(?:(?P<above>above|over|exceeds?|more than|at least|beyond|greater than|larger than)|"
    r"(?P<below>below|under|less than|at most|smaller than|no more than|within|up to))\s+"
    r"(?P<bound>one[\s-](?:half|third|quarter|fifth|tenth)|two[\s-]thirds|three[\s-]quarters|an? (?:half|third|"
    r"quarter|"
    r"fifth|tenth)|half|one|unity|two|three|four|five|1(?:\.0)?|0?\.\d+|1/\d)\b(?!\s*(?:%|per|\w*bytes?|"
    r"[KMG]i?B|B\b|links?\b|runs?\b|sites?\b|machines?\b|experiments?\b|records?\b|series\b))",
    re.I,
)
_PARTS = {"half": 1 / 2, "third": 1 / 3, "thirds": 2 / 3, "quarter": 1 / 4, "quarters": 3 / 4, "fifth": 0.2}
_PARTS |= {"tenth": 0.1, "one": 1.0, "unity": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}
_CROSS = re.compile(
    r"\b(?:curves?|lines?|RDMA|TCP|they|two|both)\b[^.;]*\b(?:cross(?:es)?|intersects?)\b(?! the)|\bcross-?over\b|"
    r"\bbreak-?even\b|\bsometimes (?:the )?one\b.*\bsometimes (?:the )?other\b|\btak(?:e|ing) turns\b|"
    r"\b(?:chang|swap|trad|switch)\w* (?:places|roles)\b",
    re.I,
)
_GONE = re.compile(
    r"\b(?:vanish\w*|disappear\w*|closes? (?:completely|entirely)|clos\w+ the gap|(?:is|are|was|"
    r"becomes?) (?:negligible|insignificant|marginal|irrelevant|zero)|is gone)\b",
    re.I,
)
_CLOSES = re.compile(
    r"\bclos(?:es?|ed)\b(?! (?:in|to|a (?:little|bit)|some\w*|partly|slowly|steadily|slightly|by|from)\b)", re.I
)
_WIDEST = re.compile(
    r"\b(?:largest|highest|greatest|widest|fattest|biggest|most(?! of\b)|peaks?|peaked|maximal|maximum)\b", re.I
)
_RULE = re.compile(r"\b(?:counts? as|is called|are called)\b", re.I)  # when it would be said, and not that it is
_ABSOLUTE = re.compile(r"\babsolute(?:ly)?\b|\bin (?:[kMG]B/s|bytes|megabytes|gigabytes)\b", re.I)
_LEAST = re.compile(
    r"\b(?:smallest|lowest|least|narrowest|closest|thinnest|slimmest|tightest)\b(?! (?:messages?|sizes?))", re.I
)
_THROUGHOUT = re.compile(
    r"\b(?:steadily|monotonically|always|continuously|constantly|over the whole range|"
    r"(?:at|with) every (?:size|step|doubling))\b",
    re.I,
)
_CONSTANT = re.compile(r"\b(?:constant|unchanged|(?:stays?|remains?|is) the same)\b", re.I)
_WITH_SIZE = re.compile(
    r"\bwith (?:the |increasing |growing |larger |longer |bigger |their )?"
    r"(?:messages?|(?:message )?(?:sizes?|length))\b|"
    r"\bthe (?:larger|longer|bigger) (?:the|a|each|one's) messages?\b|"
    r"\bas (?:the )?(?:messages?|(?:message )?sizes?) (?:grow|get|become|increas|ris)\w*",
    re.I,
)
_IN_PART = re.compile(r"\b(?:first|then|until|up to|between|from|beyond|above|below|at)\b", re.I)
_DENIED = re.compile(r"\b(?:not|never|no|hardly|neither|nor)\b|n't\b", re.I)
CLOSE, STEP = 0.05, 1.02  # of the widest one; what two neighbours may differ by


def gaps_hold(sentence: Sentence) -> Iterator[Objection]:
    """What is said of a gap or a ratio of two programs is what their ratios do."""
    for part in sentence.parts:
        named = list(dict.fromkeys(each.group for each in part.mentions or sentence.mentions))
        found = _CROSS.search(part.words) or _GAP.search(part.words)
        if found is None or not part.is_stated or len(named) > 2 or _RULE.search(part.words):
            continue
        if _DENIED.search(part.words):
            yield from _denied(part, found, named)
            continue
        pair = _pair(named, part)
        ratios = ratios_by_size(*pair, part)
        what = _wrong(part, ratios, found) if ratios else _by_times(*pair, part, found)
        if what:
            yield Objection(what, part.start + found.start(), pair)


def _pair(named: list[str], part: Clause) -> tuple[str, str]:
    """The two that are named, or those of a ratio that is used; one alone stands beside TCP, and of none the card does
    where there is one."""
    if len(named) == 2:
        return named[0], named[1]
    used = [part.sentence.groups_of(each.claim) for each in part.sentence.uses if each.claim]
    if not named and (two := next((each for each in used if len(each) == 2), ())):
        return two[0], two[1]
    own = CARD if part.sentence.ledger.setting.card and TCP not in named else RDMA
    return next((each for each in named if each != TCP), own), TCP


def _denied(part: Clause, found: re.Match[str], named: list[str]) -> Iterator[Objection]:
    """`is not constant`; other denials are left to the comparisons."""
    pair = _pair(named, part)
    ratios = ratios_by_size(*pair, part)
    if not ratios or _wrong(part, ratios, found) or not _CONSTANT.search(part.words):
        return
    if is_level([ratios[size].estimate.value for size in sorted(sizes_meant(part, ratios) or ratios)]):
        yield Objection("it is nearly that", part.start + found.start(), pair)


def _wrong(part: Clause, ratios: dict[int, Claim], found: re.Match[str]) -> str:
    if found.re is _CROSS:
        return _crossing(ratios)
    is_ratio = bool(found["ratio"])
    if is_ratio and (bound := _BOUND.search(part.words, found.end())):
        return _unbounded(part, ratios, bound)
    if _GONE.search(part.words):
        return _gone(part, ratios)
    heights = {size: _height(claim, is_ratio=is_ratio) for size, claim in ratios.items()}
    if not is_ratio and _ABSOLUTE.search(part.words):
        heights = _differences(next(iter(ratios.values())), part) or heights
    if not is_ratio and _CLOSES.search(part.words, found.end()):
        return _closed(part, heights)
    if _CONSTANT.search(part.words):
        level = is_level([heights[size] for size in sorted(sizes_meant(part, heights) or heights)])
        return "" if level else f"it is not: \\claim{{{ratios[max(heights, key=lambda size: heights[size])].name}}}"
    if _THROUGHOUT.search(part.words):
        return _throughout(part, heights)
    if _WITH_SIZE.search(part.words) and not _IN_PART.search(part.words):
        return _throughout(part, heights)
    return wrong_at_sizes(part, heights) or _extreme(part, heights, ratios)


def _crossing(ratios: dict[int, Claim]) -> str:
    verdicts = {each.verdict for each in ratios.values()}
    return "" if {Verdict.MORE, Verdict.LESS} <= verdicts else "they do not cross: one is always ahead"


def _unbounded(part: Clause, ratios: dict[int, Claim], bound: re.Match[str]) -> str:
    """`stays above one half`, at the sizes that are meant; the ratio that is named is of the first over the second."""
    limit, base = _value(bound["bound"]), _base(part)
    for size in sizes_meant(part, ratios) or ratios:
        claim = ratios[size]
        value = claim.estimate.value
        factor = 1 / value if base and part.sentence.groups_of(claim)[1] != base else value
        if (factor < limit) if bound["above"] else (factor > limit):
            return f"it is not: \\claim{{{claim.name}}}"
    return ""


def _base(part: Clause) -> str:
    """The program behind `to` or `over`, else the second one that is named."""
    words = part.sentence.words
    behind = (
        each.group
        for each in part.mentions
        if re.search(
            r"\b(?:to|"
            r"over)\s+\Z",
            words[part.start : each.start],
        )
    )
    return next(behind, part.mentions[1].group if len(part.mentions) > 1 else "")


def _value(typed: str) -> float:
    words = re.split(r"[\s-]", typed.lower())
    if words[-1] in _PARTS:
        return _PARTS[words[-1]]
    over, _, under = typed.partition("/")
    return float(over) / float(under or 1)


def _height(claim: Claim, *, is_ratio: bool) -> float:
    """A gap is as wide for twice as for half."""
    factor = claim.estimate.value
    return factor if is_ratio else max(factor, 1 / factor)


def _differences(ratio: Claim, part: Clause) -> dict[int, float]:
    """In bytes per second, of the series of a ratio."""
    strands = [part.sentence.ledger.setting.strand(name) for name in ratio.series]
    rates = [CurveClaims(each, part.sentence.ledger).rates for each in strands if each]
    if len(rates) != len(ratio.series):
        return {}
    first, second = rates
    return {size: abs(first[size].estimate.value - second[size].estimate.value) for size in first if size in second}


def _gone(part: Clause, ratios: dict[int, Claim]) -> str:
    there = {size: ratios[size].verdict for size in sizes_meant(part, ratios) or ratios}
    wide = [size for size, verdict in there.items() if verdict in (Verdict.MORE, Verdict.LESS)]
    return f"there is one: \\claim{{{ratios[wide[-1]].name}}}" if wide else ""


def _by_times(ours: str, base: str, part: Clause, found: re.Match[str]) -> str:
    """Where no ratio was computed."""
    heights = distances(ours, base, part)
    if len(heights) < 2 or found.re is _CROSS or found["ratio"]:
        return ""
    return wrong_at_sizes(part, heights)


def _closed(part: Clause, heights: dict[int, float]) -> str:
    """At the sizes that are meant, else at the largest: nearly."""
    there = sizes_meant(part, heights) or [max(heights)]
    left = heights[max(there)]
    return f"one is still {left:.2g} times the other" if left > CLOSED else ""


def _throughout(part: Clause, heights: dict[int, float]) -> str:
    steps = [after / before for (_, before), (_, after) in pairwise(sorted(heights.items()))]
    words = _WITH_SIZE.sub(" ", part.words)
    if WIDENS.search(words) and min(steps) < 1 / STEP:
        return "it does not: at some step it gets smaller"
    if SHRINKS.search(words) and max(steps) > STEP:
        return "it does not: at some step it gets larger"
    return ""


def _extreme(part: Clause, heights: dict[int, float], ratios: dict[int, Claim]) -> str:
    word = _WIDEST.search(part.words) or _LEAST.search(part.words)
    place = part.start + word.start() if word else part.start
    near = next(each for each in part.sentence.segments if each.end > place)
    sizes = [size for size in sizes_in(part) if size in heights]
    sizes = sizes or sizes_meant(near, heights) or sizes_meant(part, heights)
    if not sizes or bool(_WIDEST.search(part.words)) == bool(_LEAST.search(part.words)):
        return ""
    choose = max if _WIDEST.search(part.words) else min
    best = choose(heights, key=lambda size: heights[size])
    if any(abs(heights[each] / heights[best] - 1) <= CLOSE for each in sizes):
        return ""
    return f"that is elsewhere: \\claim{{{ratios[best].name}}}"
