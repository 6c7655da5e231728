"""Words that stand for a program named before: `the former`, `the latter`, `both`, `neither of the two`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_FIRST = re.compile(r"\b[Tt]he (?:former|first of (?:the two|them|these))\b")
_SECOND = re.compile(r"\b[Tt]he (?:latter|second of (?:the two|them|these))\b")
_NOUNS = r"programs|transports|protocols|of them|of these|approaches|methods|variants|technologies|interfaces|curves"
_DOING = (
    r"are|were|have|had|do|did|can|could|reach|achieve|attain|get|need|take|show|grow|rise|peak|level|saturate|"
    r"plateau|"
    r"scale|move|send|deliver|perform|fill|carry|run|ran|behave|fall|drop|lose|win|converge|differ|meet|cross|"
    r"coincide|"
    r"benefit|profit|suffer|stay|remain|start|end|tie|keep|manage|use|exhaust|hit"
)
PAIR = re.compile(
    rf"\b(?:[Bb]oth|[Tt]he two|[Ee]ach of the two)(?: (?:{_NOUNS})|(?= (?:\w+ly )?(?:{_DOING})\b))"
    r"|\b[Nn]either of (?:the two|them|these|both)\b|\b[Nn]either(?: (?:program|transport|protocol))?(?= (?:is|was|"
    r"has|reaches|wins|loses|outperforms|beats)\b)"
)


RIVAL = re.compile(
    r"\b(?:its|the) (?:rival|competitor|counterpart|opponent|contender|other (?:one|program|transport|protocol))\b"
)


def stand_ins(words: str, named: Sequence[tuple[int, str]], pair: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """The groups that such words mean, with their places; `named` holds what stands before, and where each ends."""
    for pattern, which in ((_FIRST, 0), (_SECOND, 1)):
        for found in pattern.finditer(words):
            before = list(dict.fromkeys(group for place, group in named if place < found.start()))
            if len(before) == 2:
                yield before[which], found.start(), found.end()
    for found in RIVAL.finditer(words):
        before = list(dict.fromkeys(group for place, group in named if place < found.start()))
        others = [each for each in pair if each not in before]
        if len(before) == 1 and len(others) == 1:
            yield others[0], found.start(), found.end()
    both = PAIR.search(words)
    if both and not any(both.start() - place in (0, 1) for place, _ in named):  # `RDMA and TCP both reach`
        before = list(dict.fromkeys(group for place, group in named if place < both.start()))
        meant = before if len(before) == 2 else [] if re.search(r"\bth(?:em|ese)\Z", both[0]) else pair
        ends = ((both.start(), both.start() + 3), (both.start() + 3, both.end()))
        for group, (start, end) in zip(meant, ends, strict=False):
            yield group, start, end
