"""The modelled card in a sentence: RDMA that runs over it is another program than RDMA in software."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lab.report.check.subjects import CARD, RDMA, SOFTWARE, TCP, Mention

_A_CARD = r"(?:modelled |plain |bare |emulated |simulated |same )*cards?\b"
_RATE = r"(?:\d+\s?Gbit/s )?"
# `over the card` says where; `the card` by itself is a program beside TCP.
_PLACE = re.compile(
    rf"(?<!compared )(?<!comparison )(?<!than )(?<!catch up )(?<!keep up )(?<!compete )"
    rf"(?<!fast as )(?<!long as )(?<!much as )(?<!quickly as )"
    rf"\b(?:over|on|with|across|through|via|using)\s+(?:the |this |that |a |"
    rf"our |"
    rf"its )?{_RATE}{_A_CARD}(?!'s|\s+(?:as|than)\b)|\((?:the )?modelled card\b[^)]*\)|"
    rf"\b(?:once|as soon as|when|where) (?:a|the) {_A_CARD}|\b(?:give|lend|grant|add)\w* (?:\w+ )?(?:a|the) {_A_CARD}",
    re.I,
)
_SUBJECT = re.compile(
    rf"(?<!wire of )(?<!without )\b(?:the|our|this|that|its)\s+{_RATE}{_A_CARD}(?:'s(?! (?:wire|link)))?(?!'s|"
    r"\s+(?:would|might|could|wire|link)\b)"
    r"|(?<!wire of the )\bmodelled cards?\b|\b(?<=between )card\b|"
    r"\bcard (?=(?:and|over|versus|vs\.?|against) (?:TCP|Soft))|"
    r"(?:(?<=and )|(?<=vs )|(?<=to ))card\b(?= (?:is|are|lies|differ))",
    re.I,
)
_OF_CARD = re.compile(r"\s+of the (?:modelled )?card\b", re.I)
_PREFERRED = re.compile(r"\b(?:favou?r|prefer|choos)\w* (?:\w+ )?\Z", re.I)  # `favours TCP over the card`


def with_card(
    found: Sequence[Mention], words: str, ends: Iterable[tuple[int, int]], *, claimed: bool
) -> Iterator[Mention]:
    """The programs named, where some clauses are about the card; `claimed`: a claim of the sentence is the card's."""
    left = list(found)
    for start, end in ends:
        own = [each for each in left if start <= each.start < end]
        yield from _of_clause(own, words, start, end, claimed=claimed, alone=not left)


def _of_clause(
    own: list[Mention], words: str, start: int, end: int, *, claimed: bool, alone: bool
) -> Iterator[Mention]:
    places = [each for each in _PLACE.finditer(words, start, end) if not _PREFERRED.search(words, start, each.start())]
    inside = [(each.start(), each.end()) for each in places]
    subjects = [
        each
        for each in _SUBJECT.finditer(words, start, end)
        if not any(low <= each.start() < high for low, high in inside)
    ]
    first = (
        claimed and own and all(each.group == TCP and each.start > places[0].end() for each in own) if places else False
    )
    if places and not subjects and (alone or first or _is_side(places[0], own, words, end)):
        subjects = places[:1]
    moved = claimed or bool(places)
    named = [_moved(each, words) if moved or _OF_CARD.match(words, each.end) else each for each in own]
    named += [Mention(CARD, each.start(), each.end()) for each in subjects]
    yield from sorted(named, key=lambda each: each.start)


def _is_side(place: re.Match[str], own: list[Mention], words: str, end: int) -> bool:
    """`sending over the card takes less time than over TCP`: nothing else stands before `than`."""
    than = re.compile(r"\bthan\b").search(words, place.end(), end)
    return than is not None and bool(own) and all(each.start > than.start() for each in own)


def _moved(mention: Mention, words: str) -> Mention:
    """RDMA becomes that of the card, where its own words do not say that it is software."""
    near = words[mention.start : mention.end + 24]
    if mention.group != RDMA or SOFTWARE.search(near):
        return mention
    return Mention(CARD, mention.start, mention.end)
