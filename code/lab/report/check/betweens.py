"""A program that is said to lie between two others: above the one and below the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.curves import curves_of
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import group_of

_BETWEEN = re.compile(r"\b(?:in )?between\b|\bin the middle\b", re.I)
_ENDS = re.compile(r"\s+(?:the |our |that of |those of )*(?:modelled )?(?:curves? of )?")
_AND = re.compile(r"(?:'s)?(?: \w+)? and (?:the |our |that of |those of )*(?:modelled )?")


def betweens_hold(sentence: Sentence) -> Iterator[Objection]:
    """`Soft-RoCE lies between the card and TCP` needs both of them on other sides of it, at most sizes at least."""
    for part in sentence.parts:
        found = _BETWEEN.search(part.words)
        groups = _three(part, part.start + found.end()) if found and part.is_stated else ()
        if found and groups and not _is_between(part, groups):
            yield Objection("the data do not have it between them", part.start + found.start(), groups[:2])


def _three(part: Clause, place: int) -> tuple[str, ...]:
    """The one before the word, and the two right behind it."""
    before = [each.group for each in part.mentions if each.end < place]
    after = [each for each in part.mentions if each.start >= place]
    if not before or len(after) < 2:
        return ()
    words, (first, second) = part.sentence.words, after[:2]
    joined = _ENDS.fullmatch(words[place : first.start]) and _AND.fullmatch(words[first.end : second.start])
    groups = (before[-1], first.group, second.group)
    return groups if joined and len({*groups}) == 3 else ()


def _is_between(part: Clause, groups: tuple[str, ...]) -> bool:
    rates = {group_of(each.strand): each.rates for each in curves_of(part)}
    if not {*groups} <= rates.keys():
        return True
    own, low, high = (rates[each] for each in groups)
    both = [size for size in own if size in low and size in high]
    sizes = [size for size in sizes_meant(part, own) or both if size in both]
    there = [
        _is_inside(own[size].estimate.value, low[size].estimate.value, high[size].estimate.value) for size in sizes
    ]
    return sum(there) * 2 > len(there)


def _is_inside(value: float, one: float, other: float) -> bool:
    return min(one, other) < value < max(one, other)
