"""What is said of times and calls: straight lines, knees of a call, and the share of a link that is filled."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.shapes import KNEE
from lab.report.check.subjects import FREE, group_of, link_named, link_of
from lab.report.claim import Claim
from lab.report.setting import Strand

FULL = 0.99  # of what headers leave: a link is filled
WIDER = 1.25
_DENIED = re.compile(r"\b(?:no|not|never|neither|nor|without|cannot|hardly|nearly|almost)\b|n't\b", re.I)
_STRAIGHT = re.compile(
    r"\b(?:linear(?:ly)?|(?:follows?|is|are|lies? on|forms?) (?:on )?a (?:single |perfect )?straight line|"
    r"in proportion|proportional(?:ly)?|"
    r"(?:one|a) (?:single )?(?:straight )?line (?:\w+ )?"
    r"(?:describes?|fits?|follows?|explains?|models?|captures?|matches))\b",
    re.I,
)
_TIME = re.compile(r"\btimes?\b|\blatenc|\bround trips?\b|\bduration", re.I)
_FILLS = re.compile(
    r"\b(?:fills?|uses? (?:up )?(?:all|the (?:whole|full|entire))|saturates|exhausts?|"
    r"occup\w+)\b[^.;]*\b(?:link|cable|wire|bandwidth|line)\b|"
    r"\b(?:reach\w*|at|runs? at)\s+(?:the\s+)?(?:full\s+)?(?:line|wire|link)[\s-]?(?:rate|speed)\b",
    re.I,
)


def lines_hold(sentence: Sentence) -> Iterator[Objection]:
    """A line is straight where one line fits, a knee is where the data have one, a full link is full."""
    for part in sentence.parts:
        if part.is_stated:
            for pattern, what in ((_STRAIGHT, _broken(part)), (KNEE, _elsewhere(part)), (_FILLS, _unfilled(part))):
                found = pattern.search(part.words)
                if found and what and not _DENIED.search(part.words[: found.end()]):
                    yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))


def _strands(part: Clause) -> list[Strand]:
    groups = {each.group for each in part.mentions or part.sentence.mentions}
    return [each for each in part.sentence.ledger.setting.strands if group_of(each) in groups]


def _broken(part: Clause) -> str:
    ledger = part.sentence.ledger
    breaks = [each for strand in _strands(part) if (each := ledger.get(f"{strand.name}.fit.break"))]
    found = [each.name for each in breaks if not _on_one_side(each, sizes_in(part))]
    return (
        f"no single line follows the times: they break at \\claim{{{found[0]}}}"
        if found and _TIME.search(part.words)
        else ""
    )


def _on_one_side(found: Claim, sizes: tuple[int, ...]) -> bool:
    """Whether a line is said of the sizes up to the break alone, or of those beyond it."""
    at = found.estimate.value
    return bool(sizes) and (max(sizes) <= at or (len(sizes) > 1 and min(sizes) >= at))


def _elsewhere(part: Clause) -> str:
    """The knees of calls; those of throughput are a matter of shape."""
    ledger, names = part.sentence.ledger, {each.name for each in _strands(part)}
    sized, uses = sizes_in(part), [each for each in part.uses if each.name.endswith(".knee")]
    if uses or not names or any(f"{name}.peak" in ledger for name in names):
        return ""
    knees = [each for each in ledger.values() if each.name.endswith(".knee") and set(each.series) & names]
    if not knees:
        return "the data support no knee there"
    return "" if any(_is_near(each, sized) for each in knees) else f"a knee lies at \\claim{{{knees[0].name}}}"


def _is_near(knee: Claim, sizes: tuple[int, ...]) -> bool:
    interval = knee.estimate.interval
    return not sizes or interval is None or any(interval.low / WIDER <= each <= interval.high * WIDER for each in sizes)


def _unfilled(part: Clause) -> str:
    ledger, setting = part.sentence.ledger, part.sentence.ledger.setting
    if any(each.name.endswith(".filled") for each in part.uses):
        return ""  # it says itself how much
    link = link_named(part.words) or link_named(part.sentence.words) or FREE
    shares = [each for strand in _strands(part) if (each := ledger.get(f"{strand.name}.filled"))]
    of_link = [each for each in shares if link_of(each, setting) in ("", link)]
    if not of_link:
        return "the link has no rate that could be filled" if _strands(part) else ""
    least = min(of_link, key=lambda each: each.estimate.value)
    return "" if least.estimate.value >= FULL else f"it fills \\claim{{{least.name}}} of what headers leave"
