"""What the size of a message is said to leave as it is: a curve or a ratio that does not depend on it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.curves import curves_of
from lab.report.check.objection import Objection
from lab.report.check.ratios import ratios_by_size
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.sizes import sizes_meant
from lab.report.check.times import TIME, times_of
from lab.report.claim import Claim
from lab.report.moves import is_level

_SIZE = r"(?:the )?(?:message(?:s'|'s)? |payload )?(?:sizes?|length)(?: of (?:the|a|each) message)?"
_INDEPENDENT = re.compile(
    rf"\b(?:insensitive to|independent of|unaffected by|regardless of|irrespective of|invariant (?:to|under)|"
    rf"indifferent to|(?:does|do|did) not (?:\w+ )?(?:depend|vary|change) (?:on|with)|"
    rf"constant (?:over|across) (?:all|every)|(?:hardly|barely) (?:depends|varies|changes) (?:on|with)) {_SIZE}\b"
    rf"|\b{_SIZE} (?:has|had|have|plays?) (?:no|little|hardly any) (?:\w+ )?(?:influence|effect|impact|bearing|role)"
    rf"|\b{_SIZE} (?:does not|doesn't|hardly|barely) (?:matter|affect|influence|change)|"
    r"\bwhether (?:the )?messages? (?:is|are) \w+ or \w+,? (?:\w+ ){0,3}the same\b|"
    r"\b(?:the same|constant) (?:for|at|over|across) (?:all|every|each) (?:message )?sizes?",
    re.I,
)
_OF_RATE = re.compile(r"\b(?:throughput|bandwidth|rate|speed|performance|curve)\b", re.I)
_OF_RATIO = re.compile(r"\b(?:ratio|gap|difference|speed-?up|advantage|lead|factor)\b", re.I)
_NOT = re.compile(r"\b(?:not|never|hardly|n't)\s+(?:\w+\s+)?\Z", re.I)


def sizes_matter(sentence: Sentence) -> Iterator[Objection]:
    """A curve that does not depend on the size is level over the sizes that are meant."""
    for part in sentence.parts:
        found = _INDEPENDENT.search(part.words)
        if found is None or not part.is_stated or _NOT.search(part.words[: found.start()]):
            continue
        curves = [each for each in _looked_at(part) if each]
        if any(not is_level([each.estimate.value for each in rates]) for rates in curves):
            groups = tuple(dict.fromkeys(each.group for each in part.mentions))
            yield Objection("the data show that it depends on the size", part.start + found.start(), groups)


def _looked_at(part: Clause) -> Iterator[list[Claim]]:
    """The ratios of two programs, or the curves of those that are named; times are another matter."""
    named = list(dict.fromkeys(each.group for each in part.mentions))
    if _OF_RATIO.search(part.words):
        first, second = named if len(named) == 2 else ("RDMA", "TCP")
        by_size = ratios_by_size(first, second, part) or {}
        yield [by_size[size] for size in sorted(sizes_meant(part, by_size) or by_size)]
    elif _OF_RATE.search(part.words):
        for curve in curves_of(part):
            rates = curve.rates
            yield [rates[size] for size in sorted(sizes_meant(part, rates) or rates)]
    elif TIME.search(part.words) or re.search(r"\bcalls?\b|\bsends?\b|\breceives?\b", part.words):
        for times in times_of(part):
            yield [times[size] for size in sorted(sizes_meant(part, times) or times)]
