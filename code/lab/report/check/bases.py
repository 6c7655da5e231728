"""What a comparison is with: the program that is named, the other one, or all that were compared with it."""

from __future__ import annotations

import re

from lab.report.check.comparing import Compared
from lab.report.check.comparing_words import Relation
from lab.report.check.sentence import Clause
from lab.report.check.subjects import (
    CARD,
    FREE,
    RDMA,
    TCP,
    WIRE,
    group_of,
    link_named,
)

_OF_ITSELF = re.compile(r"highest|lowest|higher|lower|best|better|larger|lost|loses|leads?|similar|equal", re.I)
_THE_BETTER = re.compile(
    r"(?:\bis|\bare|\bwas|\bhas|\breaches|\bas|,) (?:\w+ly |clearly |by far )?the (?:\w+ )?\Z", re.I
)
_CHOICE = re.compile(
    r"(?:better|best|superior|faster|fastest|quicker|quickest) (?:choice|option|one|program|transport|protocol|"
    r"solution|way|"
    r"alternative|candidate)|(?:better|best) (?:suited|for|of)\b",
    re.I,
)
_HIGHER = re.compile(
    r"(?:higher|better|lower|worse|greater|larger) (?:throughput|rate|bandwidth|performance|speed)", re.I
)
_GROWN = re.compile(
    r"\b(?:larger|longer|bigger|shorter|smaller|deeper|more|fewer|with|when|than|as soon as|at|from|beyond|"
    r"above|below|"
    r"even|still)\b",
    re.I,
)


def is_within_one(said: Compared, part: Clause) -> bool:
    """A word about one program alone, such as the highest rate of a curve."""
    kinds = (Relation.MORE, Relation.LESS, Relation.EQUAL)
    alone = said.base is None and len(part.sentence.groups) <= 1 and not _is_of_two(said, part)
    if alone and said.relation is Relation.UNKNOWN:
        return True
    if alone and re.search(r"long|more|less", said.word) and re.search(r"\bfrom\b.*\bon\b", part.words):
        return True
    return alone and said.relation in kinds and bool(
        re.match(r"highest|lowest|higher|lower|best|better|larger|lost|loses|exceed|leads?|similar|equal|worse|"
            r"gain|match|behind|above|same|identical|interval|overlap|is level|stays? level|pa(?:y|id)|worth",
                 said.word, re.I)
    )  # fmt: skip


def _is_of_two(said: Compared, part: Clause) -> bool:
    """`has the higher rate`: than the other one."""
    before = part.sentence.words[: said.at]
    return bool(_THE_BETTER.search(before) and re.search(r"(?:er|worse)\Z", said.word))


def bases(said: Compared, part: Clause) -> list[str]:
    """The base that is named; without one, the other program of the sentence; else all that were compared with it."""
    if said.base:
        return [said.base]
    others = [each.group for each in part.sentence.mentions if each.group != said.ours]
    if others:
        return list(dict.fromkeys(others))
    earlier = [each for each in part.sentence.before if each != said.ours]
    if earlier and re.search(r"\b(?:that|as|so) (?:far|high|much|fast)\Z", said.word):
        return earlier
    if earlier and _is_of_two(said, part):
        return earlier
    of_all = re.search(r"\bof (?:all|the (?:three|four|programs))\b", part.words) or _is_best_of_all(said, part)
    if _OF_ITSELF.match(said.word) and not of_all and not _is_of_programs(said, part):
        return []
    pairs = (part.sentence.groups_of(each) for each in part.sentence.ledger.values() if len(each.series) == 2)
    found = {other for groups in pairs if said.ours in groups for other in groups if other != said.ours}
    found = found or {group_of(each) for each in part.sentence.ledger.setting.strands} - {said.ours}
    main: tuple[str, ...] = (CARD if link_named(part.sentence.words) == WIRE else RDMA, TCP)
    if said.ours == TCP and part.sentence.ledger.setting.card and link_named(part.sentence.words) != FREE:
        main = (RDMA, CARD, TCP)
    if of_all and re.search(r"\bthree\b", part.words):
        found &= {RDMA, CARD, TCP}
    return sorted(found) if of_all else [each for each in sorted(found) if each in main]


def _is_best_of_all(said: Compared, part: Clause) -> bool:
    """`has the lowest latency`, and not at some sizes."""
    words = part.sentence.words
    before, behind = words[: said.at], words[said.at + len(said.word) :]
    noun = re.match(
        r"\s+(?:\w+ )?(?:latenc\w+|times?|throughput|rate|bandwidth|speed|performance)\b"
        r"(?! (?:at|with|of|for|is|lies|comes))",
        behind,
    )
    return bool(
        said.word.lower().endswith("est")
        and noun
        and re.search(r"\b(?:has|have|had|shows?|gives?|offers?|achiev\w+|provides?) the (?:by far )?\Z", before)
    )


def _is_of_programs(said: Compared, part: Clause) -> bool:
    """`delivers a higher throughput`, and not at larger sizes than at small ones: than the other program."""
    if _CHOICE.match(part.sentence.words[said.at :]):
        return True
    return bool(_HIGHER.match(part.sentence.words[said.at :])) and not _GROWN.search(part.words)
