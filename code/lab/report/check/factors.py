"""A multiple or a part in words, of two programs, of a link or of a parameter's gain: what the data make of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from lab.report.check.calls import MODE
from lab.report.check.curves import curves_of, first_of
from lab.report.check.lines import shares_of_link
from lab.report.check.multiples import Multiple, multiple
from lab.report.check.numbers import Number, Sort
from lab.report.check.parameters import gains, parameters_in, sweeps
from lab.report.check.ratios import speeds
from lab.report.check.sentence import Clause, sizes_in
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, TCP, group_of
from lab.report.check.topics import is_of_no_programs

_COST = re.compile(r"\b(?:slow\w*|long\w*|less|fewer|low\w*|times?(?! (?:as|that|the|what|more|faster|higher))|"
                   r"latenc\w+|cost\w*|wait\w*|behind|worse)\b", re.I)  # fmt: skip
_SYMMETRIC = re.compile(r"\b(?:factor|gap|differ\w*|ratio|lead|advantage|margin|apart|distance)\b", re.I)
_LEAD = re.compile(r"\b(?:lead|advantage|gap|ratio)\b", re.I)
_OF_LINK = re.compile(
    r"\s*(?:of )?(?:(?:the|its|that|this|a) )?(?:\w+[\s']*){0,2}?(?:link|wire|cable|Ethernet|capacity|line|"
    r"rate of (?:its|the) \w+|what (?:the )?headers leave)\b|[^.;,]*\b(?:idle|unused)\b|\s*of it\b",
    re.I,
)
_UNUSED = re.compile(r"\b(?:unused|idle|(?<!headers )leaves?|wast\w+|empty|free)\b", re.I)
_FROM = re.compile(r"\b(?:from|between)\b[^.;,]*\b(?:to|and)\b", re.I)
_INTERCEPT = re.compile(r"\bintercept\b", re.I)
_CHOSEN = (
    (re.compile(r"\bat (?:\w+ )?(?:worst|weakest|poorest|least favou?rable)\b", re.I), min),
    (re.compile(r"\bat (?:\w+ )?(?:best|most favou?rable)\b(?! (?:as|effort))", re.I), max),
)
_AT_BEST = re.compile(r"\b(?:maxim\w+|peaks?|tops? out|plateaus?|best (?:rate|throughput))\b", re.I)
_FACTOR = re.compile(
    r"\b(?:(?:factor|ratio) (?:of|is|(?:lies|stays) at|comes to)|multipl\w+ [^.;,]{0,60}\bby) "
    r"(?:about |nearly |almost |roughly )?\Z",
    re.I,
)


def misjudged(number: Number, part: Clause) -> str | None:
    """What the data say of it instead, nothing where they agree, and None where it can't be held against them."""
    said = multiple(number, part.sentence.words)
    if said is None or (number.sort is Sort.BARE and not _FACTOR.search(part.sentence.words[: number.start])):
        return None
    found = next(filter(None, _looked_at(said, number, part)), [])
    if not found:
        return None
    typed = number.typed.strip()
    return "" if said.holds(found) else f"{typed!r} is not what the data say: {min(found):.2g} to {max(found):.2g}"


def _looked_at(said: Multiple, number: Number, part: Clause) -> Iterator[list[float]]:
    """The factors of the link, of the sweep or of the two programs that are meant, whichever it can be of."""
    if _INTERCEPT.search(part.sentence.words):
        yield _of_intercept(part)
        return
    if said.high <= 1.5 and _OF_LINK.match(part.sentence.words, number.end):
        used = [each.estimate.value for each in shares_of_link(part)]
        yield [1 - each for each in used] if _UNUSED.search(part.words) else used
        return
    if named := parameters_in(part.words):
        yield _of_sweep(said, named, number, part)
        return
    if not MODE.search(part.words) and not is_of_no_programs(part):
        yield _of_two_sizes(part)
        yield _of_programs(said, number, part)


def _of_intercept(part: Clause) -> list[float]:
    """How many times what small messages take; of one line through all sizes."""
    groups, ledger = {each.group for each in part.mentions or part.sentence.mentions}, part.sentence.ledger
    strands = [each for each in ledger.setting.strands if not groups or group_of(each) in groups]
    return [each.estimate.value for strand in strands if (each := ledger.get(f"{strand.name}.fit.over_small"))]


def _of_sweep(said: Multiple, named: list[str], number: Number, part: Clause) -> list[float]:
    swept = [each for name in named for each in sweeps(name, part)[:1]]
    by_size = gains(swept[0], part) if swept else {}
    values = [by_size[size].estimate.value for size in _sizes(number, part, by_size)]
    return [abs(each - 1) for each in values] if said.is_change or said.high <= 1 else values


def _of_two_sizes(part: Clause) -> list[float]:
    """Of one curve, from the first size that is named to the second."""
    sizes = sizes_in(part)
    if len(sizes) != 2 or len({each.group for each in part.mentions}) != 1 or not _FROM.search(part.words):
        return []
    rates = [each.rates for each in curves_of(part)]
    both = [(each[sizes[0]], each[sizes[1]]) for each in rates if {*sizes} <= each.keys()]
    return [second.estimate.value / first.estimate.value for first, second in both]


def _of_programs(said: Multiple, number: Number, part: Clause) -> list[float]:
    sides = _sides(number, part)
    if sides and _AT_BEST.search(part.words):
        return [_as_said(each, said, number, part) for each in _of_peaks(*sides, part)]
    by_size = speeds(*sides, part) if sides else {}
    named = _sizes(number, part, by_size)
    found = [_as_said(by_size[size], said, number, part) for size in named]
    chosen = next((choose for pattern, choose in _CHOSEN if pattern.search(part.words)), None)
    return [chosen(found)] if chosen and found and not sizes_meant(part, by_size) else found


def _of_peaks(ours: str, base: str, part: Clause) -> list[float]:
    peaks = {group: each.claim("peak") for group, each in first_of((ours, base), part).items()}
    first, second = peaks.get(ours), peaks.get(base)
    return [first.estimate.value / second.estimate.value] if first and second else []


def _sizes(number: Number, part: Clause, found: Mapping[int, object]) -> Iterable[int]:
    """Those that stand nearest to the number; without any, all."""
    near = next(each for each in part.sentence.segments if each.end > number.start)
    return next(filter(None, (sizes_meant(each, found) for each in (near, part, part.sentence.whole))), found)


def _sides(number: Number, part: Clause) -> tuple[str, str] | None:
    """Whose rate is set against whose: the nearest before the number, and the other one."""
    named = part.mentions if len({each.group for each in part.mentions}) == 2 else part.sentence.mentions
    groups = list(dict.fromkeys(each.group for each in named)) or list(part.sentence.before)
    if groups in ([RDMA], [CARD]) and _LEAD.search(part.words):
        return groups[0], TCP
    if len(groups) != 2:
        return None
    before = [each.group for each in named if each.end <= number.start]
    ours = before[-1] if before else groups[0]
    return ours, next(each for each in groups if each != ours)


def _as_said(speed: float, said: Multiple, number: Number, part: Clause) -> float:
    """The factor in the sense of the words: of times where they cost, either way round of a gap."""
    words = part.sentence.words
    near = words[max(number.start - 30, part.start) : number.end + 24]
    gap = _SYMMETRIC.search(near) or _LEAD.search(part.words)
    behind = words[number.end : number.end + 24]
    if said.is_change:
        return abs(speed - 1)
    elliptic = not next(each for each in part.sentence.segments if each.end > number.start).mentions
    if gap or elliptic or len({each.group for each in part.mentions}) < 2:
        return max(speed, 1 / speed) if said.high > 1 else min(speed, 1 / speed)
    return 1 / speed if _COST.search(behind) or re.search(r"\b(?:tak|need|last)\w*\b", near) else speed
