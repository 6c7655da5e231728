"""One program handing its messages over in two ways: what a delay or a queue gains, by both curves."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import apart
from lab.report.check.curves import CurveClaims
from lab.report.check.objection import Objection, against
from lab.report.check.parameters import parameters_in
from lab.report.check.ratios import is_variant
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of, speaks_of_inline, speaks_of_single, speaks_of_the_same_way
from lab.report.check.topics import is_of_processors
from lab.report.claim import Claim

SAME = 0.02  # what two ways may differ by that are said to be no different
_OFF = re.compile(
    r"\bwithout\b|\bdisabl\w*|\bno[\s-]?delay\b|\b(?:switch|turn)\w* (?:[\w']+ ){0,3}off|\bsingly\b|\bundelayed\b|"
    r"\bone (?:message )?at a time|"
    r"\bsingle\b",
    re.I,
)
_NAGLE = re.compile(r"\bNagle", re.I)
_SAME = re.compile(
    r"\bno (?:\w+ )?(?:difference|effect|influence)|\bnothing\b|\bthe same\b|\birrelevant\b|\bno (?:role|part)\b|"
    r"\b(?:just|exactly|equally) (?:as )?fast\b",
    re.I,
)
_WITHOUT_FIRST = re.compile(r"\bwithout inlin|\bno inlin", re.I)
_UP = re.compile(
    r"\b(?:faster|quicker|improv\w*|increas\w*|rais\w*|speeds?(?: up)?|help\w*|boost\w*|higher|better|gains?|pa(?:y|"
    r"ys|id) (?:off|most)|ahead|above(?! \d)|"
    r"doubl\w+|more|goes up)\b",
    re.I,
)
_DOWN = re.compile(
    r"\b(?:slower|reduc\w*|lower\w*|slows?|slowed|hurt\w*|worse\w*|costs?|decreas\w*|harm\w*|less|"
    r"goes down|behind|below(?! \d)|"
    r"fewer)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|never|no(?![\s-]?delay)|hardly|cannot)\b|n't\b", re.I)


def variants_hold(sentence: Sentence) -> Iterator[Objection]:
    """`without Nagle's algorithm TCP is faster` needs a curve without it that lies above the one with it."""
    for part in sentence.parts:
        named = {each.group for each in part.mentions or sentence.mentions}
        off = _OFF.search(part.words)
        if not part.is_stated or part.uses or len(named) > 1 or is_of_processors(part):
            continue
        if is_of_inline(part) and not sentence.uses and not {*parameters_in(part.words)} - {"inline"}:
            yield from _of_inline(part)
        if len(named) != 1 or not (_NAGLE.search(part.words) or off):
            continue
        up, down = _UP.search(part.words), _DOWN.search(part.words)
        found, same = up or down, _SAME.search(part.words)
        if same and speaks_of_way(part.words):
            if what := _against(named.pop(), part, wanted=None):
                yield Objection(what, part.start + same.start(), tuple({each.group for each in part.mentions}))
        elif found and not (up and down) and not _DENIED.search(part.words) and speaks_of_way(part.words):
            wanted = bool(up) if off else not up
            if what := _against(named.pop(), part, wanted=wanted):
                yield Objection(what, part.start + found.start(), tuple({each.group for each in part.mentions}))


def _of_inline(part: Clause) -> Iterator[Objection]:
    """`with inline data it is slower`, where a series with them stands beside one without."""
    up, down = _UP.search(part.words), _DOWN.search(part.words)
    found, turned = up or down, bool(_WITHOUT_FIRST.search(part.words.partition(" than ")[0]))
    if (same := _SAME.search(part.words)) and (group := inline_group(part)):
        if what := _against(group, part, wanted=None):
            yield Objection(what, part.start + same.start(), (group,))
    elif found and bool(up) != bool(down) and (group := inline_group(part)):
        denied = bool(_DENIED.search(re.split(r", (?:there|where|and|so)\b", part.words[: found.start()])[-1]))
        what = _against(group, part, wanted=(bool(up) is not turned) is not denied, lenient=denied)
        if what:
            yield Objection(what, part.start + found.start(), (group,))


def is_of_inline(part: Clause) -> bool:
    """Whether data within the request are meant, by name or as what the sentence spoke of before."""
    before = part.sentence.words[: part.start]
    return speaks_of_inline(part.words) or (speaks_of_the_same_way(part.words) and speaks_of_inline(before))


def inline_group(part: Clause) -> str:
    """The program of a series that differs from another only in holding its data in the requests."""
    strands = part.sentence.ledger.setting.strands
    return next((group_of(each) for each in strands if each.name.endswith(".inline") and not each.varied), "")


def speaks_of_way(words: str) -> bool:
    """Whether the way of handing messages over is the subject."""
    return speaks_of_single(words) or bool(_NAGLE.search(words))


def _against(group: str, part: Clause, *, wanted: bool | None, lenient: bool = False) -> str:
    ledger = part.sentence.ledger
    strands = [each for each in ledger.setting.strands if group_of(each) == group and not each.varied]
    of_inline = not speaks_of_way(part.words)
    variants = [each for each in strands if is_variant(each.name)]
    variant = next((each for each in variants if each.name.endswith(".inline") is of_inline), None)
    main = next((each for each in strands if variant and each.name == variant.name.rpartition(".")[0]), None)
    if variant is None or main is None:
        return ""
    own, base = CurveClaims(variant, ledger).rates, CurveClaims(main, ledger).rates
    both = {size: own[size] for size in own if size in base}
    wrong = [
        size
        for size in sizes_meant(part, both) or both
        if not _is_so(own[size], base[size], wanted=wanted, lenient=lenient)
    ]
    return against(own[wrong[0]], base[wrong[0]]) if wrong else ""


def _is_so(own: Claim, base: Claim, *, wanted: bool | None, lenient: bool) -> bool:
    """Above it or below it; where neither is wanted, or no more than not the other, not apart from it will do."""
    if lenient and not apart(own.estimate, base.estimate, SAME):
        return True
    if wanted is None:
        return not apart(own.estimate, base.estimate, SAME)
    return apart(own.estimate, base.estimate) and (own.estimate.value > base.estimate.value) is wanted
