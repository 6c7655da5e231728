"""The claim that would fit a refused sentence, ready to paste."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from lab.report.check.objection import Objection
from lab.report.check.ratios import is_variant
from lab.report.check.sentence import Sentence, size_of, sizes_in
from lab.report.check.subjects import FREE, group_of, link_named, link_of
from lab.report.claim import Claim, Ledger
from lab.report.prose.uses import cite
from lab.report.tex.typeset import shown

_EVERY = re.compile(r"\b(?:every|all|each|always|never|no|any|nowhere|most|of (?:the )?\d+)\b", re.I)
_SHAPES = (
    ("knee", r"knee|bend"),
    ("jump", r"jump|leap"),
    ("last", r"saturat|converg|plateau|level|flat|constant"),
    ("fall", r"fall|drop|collaps"),
)


def fitting(objection: Objection, sentence: Sentence) -> str:
    """`did you mean \\claim{verbs_over_tcp.64K}, 0.264: RDMA WRITE over TCP ...?`, or nothing."""
    claim = next(iter(_candidates(objection, sentence)), None)
    return f"did you mean {cite(claim)}, {shown(claim).plain}: {claim.meaning}?" if claim else ""


def nearest(name: str, ledger: Ledger) -> str:
    """The same for a claim that does not exist."""
    by_fold = {each.lower(): each for each in ledger}
    near = [by_fold[name.lower()]] if name.lower() in by_fold else get_close_matches(name, ledger, n=1, cutoff=0.5)
    return " or ".join(f"did you mean {cite(ledger[each])}, {shown(ledger[each]).plain}?" for each in near)


def _candidates(objection: Objection, sentence: Sentence) -> Iterator[Claim]:
    ledger, part = sentence.ledger, sentence.part_at(objection.at)
    groups = objection.groups or tuple(sorted(sentence.groups or sentence.before))
    sizes = [*sizes_in(part), *(size for each in sentence.parts for size in sizes_in(each))]
    link = link_named(sentence.words) or FREE
    if len(set(groups)) == 2:
        yield from _of_pair(ledger, set(groups), sizes, sentence, link)
    for strand in ledger.setting.strands:
        peak = ledger.get(f"{strand.name}.peak")
        if group_of(strand) in groups and not (peak and link_of(peak, ledger.setting) not in ("", link)):
            yield from _of_strand(ledger, strand.name, sizes, part.words)


def _of_pair(ledger: Ledger, groups: set[str], sizes: list[int], sentence: Sentence, link: str) -> Iterator[Claim]:
    pairs = [
        each
        for each in ledger.values()
        if set(sentence.groups_of(each)) == groups
        and link_of(each, ledger.setting) in ("", link)
        and len(each.series) == 2
    ]
    if sizes:
        yield from (each for each in pairs if size_of(each) == sizes[0])
    ends = (".faster", ".slower") if _EVERY.search(sentence.words) else (".most", ".least")
    found = [each for each in pairs if each.name.endswith(ends)]
    yield from sorted(found, key=lambda each: (any(map(is_variant, each.series)), -each.estimate.value))[:1]


def _of_strand(ledger: Ledger, name: str, sizes: list[int], words: str) -> Iterator[Claim]:
    ends = [end for end, pattern in _SHAPES if re.search(pattern, words, re.I)]
    found = [ledger.get(f"{name}.{end}") for end in ends]
    if sizes:
        found += [each for each in ledger.values() if each.series == (name,) and size_of(each) == sizes[0]]
    yield from (each for each in (*found, ledger.get(f"{name}.peak")) if each)
