"""`The larger the message, the smaller the gap`: what grows or shrinks with the size, held against first and last."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.curves import curves_of
from lab.report.check.objection import Objection
from lab.report.check.ratios import distances
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.subjects import CARD, RDMA, TCP
from lab.report.check.times import TIME, times_of

STEP = 1.02  # a change that is seen
_FIRST = re.compile(
    r"\bthe (?:(?P<up>larger|longer|bigger)|(?P<down>smaller|shorter)) (?:\w+ ){0,2}?"
    r"(?:messages?|sizes?|payloads?|packets?|blocks?)\b"
    r"|\bthe more (?:bytes|data)\b|\bthe (?P<fewer>fewer|less) (?:bytes|data)\b",
    re.I,
)
_SECOND = re.compile(
    r",\s*the (?:(?P<more>more|larger|bigger|greater|higher|wider|longer|better|faster|quicker|further|farther)|"
    r"(?P<less>less|smaller|lower|narrower|shorter|slower|worse|closer|nearer))\b",
    re.I,
)
_GAP = re.compile(r"\b(?:gap|lead|advantage|difference|distance|closer|nearer|apart|further|farther)\b", re.I)
_RATE = re.compile(r"\b(?:throughput|rate|bandwidth|fast\w*|quick\w*|slow\w*|speed)\b", re.I)
_NOT = re.compile(r"\b(?:instructions?|share|correction|cost|overhead|messages a second|message rate)\b", re.I)


def correlatives_hold(sentence: Sentence) -> Iterator[Objection]:
    """What is said to go up with the size is more at the largest size than at the smallest."""
    first = _FIRST.search(sentence.words)
    second = _SECOND.search(sentence.words, first.end()) if first else None
    whole = sentence.whole
    if first is None or second is None or not whole.is_stated or sentence.uses or _NOT.search(sentence.words):
        return
    rises = bool(second["more"]) is not bool(first["down"] or first["fewer"])
    wrong = [values for values in _values(whole, second.start()) if _is_wrong(values, rises=rises)]
    if wrong:
        low, high = wrong[0][0], wrong[0][-1]
        yield Objection(f"it goes from {low:.2g} to {high:.2g}", second.start(), sentence.groups)


def _values(whole: Clause, place: int) -> Iterator[list[float]]:
    """Of the gap of two programs, of the times or of the curves that are spoken of, by rising size."""
    words = whole.sentence.words[place:]
    if _GAP.search(words):
        groups = whole.sentence.groups
        first = next((each for each in groups if each != TCP), CARD if CARD in groups else RDMA)
        by_size = distances(first, TCP, whole)
        yield [by_size[size] for size in sorted(by_size)]
    elif TIME.search(words):
        yield from ([times[size].estimate.value for size in sorted(times)] for times in times_of(whole))
    elif _RATE.search(words):
        yield from ([curve.rates[size].estimate.value for size in sorted(curve.rates)] for curve in curves_of(whole))


def _is_wrong(values: list[float], *, rises: bool) -> bool:
    return len(values) > 1 and (values[-1] < values[0] * STEP if rises else values[-1] > values[0] / STEP)
