"""The sizes that a clause limits itself to."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lab.report.check.lexicon import IN_THE_END, MESSAGE
from lab.report.check.sentence import Clause, size_of, sizes_in
from lab.report.claim import Claim, ClaimKind

OUTER = 3  # small messages are a third of the sizes, and so are large ones
_SMALL = re.compile(rf"\b(?:small|short|tiny|little)\w*\s+(?:\w+\s+)?{MESSAGE}\b", re.I)
_LARGE = re.compile(rf"\b(?:large|long|big|huge)\w*\s+(?:\w+\s+)?{MESSAGE}\b|messages are large|{IN_THE_END}", re.I)
_MIDDLE = re.compile(rf"\b(?:medium|mid|middle|intermediate|moderate)\w*(?:-sized?)?\s+(?:\w+\s+)?{MESSAGE}\b", re.I)
_AND_ALL = re.compile(r"\b(?:and|or|to|than)\s+(?:\w+\s+){0,3}(?:small|short|tiny|large|long|big|huge)", re.I)
_BEYOND = re.compile(r"\b(?:beyond|above|past|from|over|larger than|more than|at least)\s+(?:messages of )?\Z", re.I)
_EXCEPT = re.compile(
    r"\b(?:except|apart from|save|but not)"
    r"(?: (?:at|for|with|around|near|from|between|of))?(?: (?:about|messages of))?\s+\Z",
    re.I,
)
_RANGE = re.compile(r"\b(?:from|between)\b(?:(?!\b(?:at|for)\b)[^.;])*?\b(?:to|and|through)\b", re.I)
_STEP = re.compile(r"\b(?:mov|go|step|pass|switch|jump|fall|drop|leap)\w*\b", re.I)
_SO = re.compile(r"[\s,;:]*(?:and )?(?:therefore|hence|thus|consequently|for (?:this|that|which) reason)\b", re.I)
_OF_ALL = re.compile(r"\s*(?:of|out of)\s+(?:the\s+)?[\d\ue000-\uf8ff]+\s*(?:message\s+)?sizes")
_UP_TO = re.compile(r"\b(?:below|up to|under|smaller than|less than|until)\s+\Z", re.I)


def sizes_meant(part: Clause, found: Mapping[int, object]) -> list[int]:
    """The sizes that the clause limits itself to."""
    named = [each for each in sizes_in(part) if each in found]
    ordered, words = sorted(found), part.words
    if not named and not part.uses and _SO.match(words) and (cause := part.before):
        # `up to 512 B the rate is constant; therefore the throughput grows`
        return sizes_meant(cause, found)
    if not named or _AND_ALL.search(words):
        named += _third(ordered, words)
    for number in part.numbers:
        before, value = part.sentence.words[: number.start], int(min(number.values[-1], 2**62))
        if _EXCEPT.search(before):
            left_out = _excepted(named, ordered)
            named = [each for each in ordered if each not in left_out]
        elif value in found and _BEYOND.search(before) and not re.search(r"\bfrom\s+\Z", before):
            named = [each for each in ordered if each > value]
        elif value in found and re.search(r"\bfrom\s+\Z", before):
            named = [each for each in ordered if each >= value]
        elif value in found and _UP_TO.search(before):
            named = [each for each in ordered if each <= value]
    if len(named) == 2 and (found_range := _RANGE.search(words)) and not _STEP.search(words[: found_range.start()]):
        named = [each for each in ordered if min(named) <= each <= max(named)]
    claimed = [
        size for each in part.uses if each.claim and (size := size_of(each.claim)) in found and _is_point(each.claim)
    ]
    return list(dict.fromkeys([*named, *(each for each in claimed if each is not None)]))


def sizes_counted(part: Clause) -> float | None:
    """`at 20 of 21 sizes`."""
    words = part.sentence.words
    for each in part.numbers:
        every = re.search(r"\b(?:every|each|any|no|not|but)\s+\Z", words[: each.start], re.I)
        if not every and _OF_ALL.match(words, each.end):
            return each.values[0]
    return None


def _third(ordered: list[int], words: str) -> list[int]:
    """Small, medium and large ones, where a word speaks of them."""
    outer = max(len(ordered) // OUTER, 1)
    thirds = ((_SMALL, ordered[:outer]), (_MIDDLE, ordered[outer:-outer]), (_LARGE, ordered[-outer:]))
    return [size for pattern, sizes in thirds if pattern.search(words) for size in sizes]


def _excepted(named: list[int], ordered: list[int]) -> list[int]:
    """One, or all from one to another."""
    return [each for each in ordered if named and min(named) <= each <= max(named)]


def _is_point(claim: Claim) -> bool:
    return claim.kind in (ClaimKind.RATIO, ClaimKind.RATE)
