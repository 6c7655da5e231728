"""The parameters that a text may name, and the sweeps that show what each of them does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.sentence import Clause, size_of
from lab.report.check.subjects import CARD, FREE, WIRE, group_of, link_named, sort_of
from lab.report.claim import Claim
from lab.report.setting import Strand

PARAMETERS = {
    "depth": r"\bdepths?\b|\bqueues?\b|\bdeep(?:er)?\b|\boutstanding (?:work )?requests\b|"
    r"\brequests? (?:is |are )?in flight\b",
    "warmup": r"\bwarm(?:ing|ed)?[\s-]?up\b",
    "iterations": r"\biterations?\b|\b(?:how many|number of) (?:timed )?messages\b(?! in| per| that)|"
    r"\b(?:more|longer|fewer|shorter|short|long) runs\b|"
    r"\bruns? of (?:only |just )?[\d,]+ (?:messages|iterations)\b|"
    r"\bmessages (?:in|per|of) (?:a|each|every|the|one) round\b|"
    r"\bmessages (?:a|each|every|one) round (?:contains|holds|has|consists)\b|"
    r"\b(?:length|size) of (?:a|the|each) rounds?\b",
    "mtu": r"\bMTU\b",
    "inline": r"\binlin(?:e|ed|ing)\b",
    "post_list": r"\bpost(?:ed|ing)?[\s-]lists?\b|\bchain(?:s|ed|ing)?\b|\blists? of (?:\w+ )*requests\b|"
    r"\brequests?\b[^.;,]*\bin (?:\w+ )?(?:lists|batches|one call)\b|\bbatch(?:es|ed|ing)?\b|"
    r"\b(?:several|many|more|multiple) (?:work )?requests (?:at (?:once|a time)|together|with one|per call|by one)|"
    r"\blists (?=of|and|"
    r"bring|help|have|matter|mak)",
    "signal_every": r"\bsignal(?:s|led|ling|ing)?\b",
    "windows": r"\bwindow size\b",
}
NAMES = {"depth": ("tx_depth",), "warmup": ("warmup",), "iterations": ("iterations",), "post_list": ("post_list",)}
NAMES |= {"signal_every": ("signal_every",), "mtu": ("mtu",), "inline": ("inline",)}


def parameters_in(words: str) -> list[str]:
    """The parameters named, in their order."""
    found = {name: place for name, pattern in PARAMETERS.items() if (place := re.search(pattern, words, re.I))}
    return sorted(found, key=lambda name: found[name].start())


def sweeps(name: str, part: Clause) -> list[Strand]:
    """The series that vary it: of the programs and the link that the clause names, else of the cable, else all."""
    setting, wanted = part.sentence.ledger.setting, NAMES.get(name, (name,))
    varying = [each for each in setting.strands if {*each.varied} & {*wanted}]
    link = link_named(part.words) or link_named(part.sentence.words)
    groups = {each.group for each in part.mentions or part.sentence.mentions}
    has_card = any(group_of(each) == CARD for each in varying)
    if not link and (groups == {CARD} or (has_card and not groups and not part.sentence.before)):
        link = WIRE  # where a card was swept too, it is what an experiment is about
    link = link or FREE
    for found in (
        [each for each in varying if group_of(each) in groups and sort_of(each, setting) in ("", link)],
        [each for each in varying if sort_of(each, setting) in ("", link)],
    ):
        if found:
            return sorted(found, key=lambda each: len(each.varied))
    return varying


def gains(strand: Strand, part: Clause) -> dict[int, Claim]:
    """What the best value of a sweep gains at each size."""
    found = (each for each in part.sentence.ledger.values() if _is_gain(each, strand.name))
    return {size: each for each in found if (size := _size(each)) is not None}


def _is_gain(claim: Claim, series: str) -> bool:
    return re.fullmatch(rf"{re.escape(series)}\.\w+\.gain", claim.name) is not None


def _size(claim: Claim) -> int | None:
    return claim.sizes[0] if len(claim.sizes) == 1 else size_of(claim)


def best_value(strand: Strand, name: str, part: Clause) -> Iterator[Claim]:
    """The smallest of the best values, at each size."""
    for parameter in NAMES.get(name, (name,)):
        for claim in part.sentence.ledger.values():
            if re.fullmatch(rf"{re.escape(strand.name)}\.\w+\.best\.{parameter}", claim.name):
                yield claim
