"""The smallest and the largest message: a size that is said of either is the first or the last of some series."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.numbers import Number, Sort
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.subjects import group_of

_ENDS = (
    (re.compile(r"\b(?:smallest|shortest) (?:size|message)s?\b", re.I), min),
    (re.compile(r"\b(?:largest|longest|biggest) (?:size|message)s?\b", re.I), max),
)
_RANGE = re.compile(
    r"\b(?:sizes?|messages?|lengths?|payloads?|sweep|we)\b[^.;,]{0,30}?\b(?:went|goes?|ran|ranged?|reach\w*|"
    r"extend\w*)\b[^.;,]{0,20}?\b(?:up )?to\s+\Z",
    re.I,
)
_SAID = re.compile(
    r"(?:\s+(?:that\s+)?(?:(?:we|was|were|is|are)\s+)?(?:sent|used|measured|tried|chosen|chose|tested))?"
    r"\s*(?:is|was|are|were|has|had|have|holds?|held|measures?d?|of|with|,|\(|:)\s*(?:only |just |exactly )?\Z",
    re.I,
)


def ends_are_of_the_sizes(sentence: Sentence) -> Iterator[Objection]:
    """`the smallest message had 64 bytes` is false where every series begins with less."""
    for part in sentence.parts:
        if part.is_stated and not part.is_published:
            for pattern, choose in _ENDS:
                for found in pattern.finditer(part.words):
                    number = _said_of(part, part.start + found.end())
                    known = {choose(sizes) for sizes in _sizes(part)}
                    if number and known and not known & set(map(int, number.values)):
                        said = " or ".join(f"{each:,} bytes".replace(",", " ") for each in sorted(known))
                        yield Objection(f"{number.typed.strip()!r} is not the one: it has {said}", number.start)


def ranges_end_there(sentence: Sentence) -> Iterator[Objection]:
    """`The sizes went up to 2 GB` is false where the largest of all series is less."""
    for number in sentence.numbers:
        part = sentence.part_at(number.start)
        known = {max(sizes) for sizes in _sizes(part)}
        if number.sort is not Sort.SIZE or not part.is_stated or not known:
            continue
        if _RANGE.search(part.words[: number.start - part.start]) and not known & set(map(int, number.values)):
            said = " or ".join(f"{each:,} bytes".replace(",", " ") for each in sorted(known))
            yield Objection(f"{number.typed.strip()!r} is not the end: the largest has {said}", number.start)


def _said_of(part: Clause, end: int) -> Number | None:
    """The size right behind the words that speak of an end."""
    sizes = (each for each in part.numbers if each.sort is Sort.SIZE and each.start >= end)
    return next((each for each in sizes if _SAID.fullmatch(part.sentence.words[end : each.start])), None)


def _sizes(part: Clause) -> list[tuple[int, ...]]:
    """Of the series of the programs that are named, else of all."""
    strands = part.sentence.ledger.setting.strands
    groups = {each.group for each in part.mentions}
    return [each.sizes for each in strands if each.sizes and (not groups or group_of(each) in groups)]
