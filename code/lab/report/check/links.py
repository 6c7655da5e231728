"""One program on two links: on which it is said to be faster, held against its curves on both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.analysis.verdict import apart
from lab.report.check.comparing_words import ANY, Relation, relation_of
from lab.report.check.curves import CurveClaims
from lab.report.check.objection import Objection, against
from lab.report.check.ratios import is_variant
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.subjects import CARD, RDMA, group_of, sort_of
from lab.report.check.times import LIBRARY, round_trips
from lab.report.check.topics import groups, is_of_links, links
from lab.report.claim import Claim
from lab.report.moves import is_alike
from lab.report.setting import Strand

_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|hardly)\b|n't\b", re.I)
_SLOWS = re.compile(r"\bslow(?:s|ed)\b|\b(?:throttl|delay|brak|hamper|hinder)\w+\b", re.I)
_BASE = re.compile(r"\s*(?:In comparison|Compared|As compared) (?:with|to)\b", re.I)
_MUCH = re.compile(
    r"\b(?:much|far|dramatically|clearly|considerably|strongly|greatly|substantially|massively|hugely|a lot)\b", re.I
)
_SIGN = {Relation.MORE: 1, Relation.LESS: -1, Relation.EQUAL: 0, Relation.NOT_MORE: -1, Relation.NOT_LESS: 1}


def links_compare(sentence: Sentence) -> Iterator[Objection]:
    """`TCP is faster on the gigabit link than on the cable` needs a curve there that lies above the other."""
    for part in sentence.parts:
        said = ANY.search(part.words) or _SLOWS.search(part.words)
        if said and part.is_stated and not part.uses and is_of_links(part) and not _is_denied(part, said):
            relation = relation_of(said, Relation.LESS)
            if relation in _SIGN and (what := _wrong(part, _SIGN[relation])):
                yield Objection(what, part.start + said.start(), groups(part))


def _is_denied(part: Clause, said: re.Match[str]) -> bool:
    return bool(_DENIED.search(part.words[: said.start()] + part.words[said.end() :]))


def _wrong(part: Clause, sign: int) -> str:
    """The first link that is named is the one of which it is said."""
    named = [link for link, _ in links(part)]
    if _BASE.match(part.words):
        named = named[::-1]
    for group in groups(part) or part.sentence.groups:
        first, second = (_rates(group, link, part) for link in named)
        both = {size: first[size] for size in first if size in second}
        for size in sizes_meant(part, both) or both:
            if not _is_so(first[size], second[size], sign, much=bool(_MUCH.search(part.words))):
                return against(first[size], second[size])
    return ""


def _is_so(first: Claim, second: Claim, sign: int, *, much: bool) -> bool:
    """More is a higher rate, and a shorter time."""
    ratio = first.estimate.value / second.estimate.value
    if first.unit == "s":
        ratio = 1 / ratio
    if sign and much and is_alike(ratio):
        return False
    if sign == 0:
        return is_alike(ratio)
    return not apart(first.estimate, second.estimate) or (ratio > 1) is (sign > 0)


def _rates(group: str, link: str, part: Clause) -> dict[int, Claim]:
    """The main curve of a program on a link: RDMA on the card's wire may be the one in software."""
    ledger = part.sentence.ledger
    of_link = strands_on(link, group, part)
    main = [each for each in of_link if not each.varied and not is_variant(each.name)]
    if rates := next((found for each in main if (found := CurveClaims(each, ledger).rates)), {}):
        return rates
    return {size: claim for each in _of_library(main, part) for size, claim in round_trips(each, ledger).items()}


def strands_on(link: str, group: str, part: Clause) -> list[Strand]:
    """The series of a program on a link: RDMA on the card's wire may be the one in software."""
    setting, wanted = part.sentence.ledger.setting, {group, RDMA} if group == CARD else {group}
    return [each for each in setting.strands if group_of(each) in wanted and sort_of(each, setting) == link]


def _of_library(strands: list[Strand], part: Clause) -> list[Strand]:
    """Those of MPI where the clause speaks of it, else the others; all where there is no choice."""
    is_mpi = bool(LIBRARY.search(part.words))
    return [each for each in strands if each.program.startswith("mpi") is is_mpi] or strands
