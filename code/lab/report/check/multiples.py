"""What a multiple or a part in words may stand for: `about twice`, `several times`, `less than a third`, `by half`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from lab.report.check.numbers import PARTS, SMALL, Number, Sort

LOOSE, TIGHT, SLACK = 1.25, 1.15, 1.03  # how far `about`, a bare word, and the far end of `nearly` may be off
CHANGED = 1.15  # and what is added or taken away beyond that: a tenth or an eighth of a rate are close
MOST_OF = 0.8  # of the sizes: a word sums up
_KINDS = (
    (re.compile(r"\b(?:more than|over|above|at least|no less than|exceed\w*|beyond|upwards of)\s+\Z", re.I), "above"),
    (
        re.compile(r"\b(?:less than|under|below|at most|no more than|not even|fewer than|barely|within)\s+\Z", re.I),
        "below",
    ),
    (
        re.compile(r"\b(?:up to|between (?:nothing|zero|no|\w+) and)\s+(?:about |nearly |almost |roughly )?\Z", re.I),
        "most",
    ),
    (re.compile(r"\b(?:nearly|almost|close to|just under|not quite|hardly)\s+(?:by )?\Z", re.I), "nearly"),
    (re.compile(r"\b(?:about|roughly|around|some|approximately|circa|perhaps)\s+(?:by )?\Z", re.I), "about"),
)
_VAGUE = (
    (re.compile(r"several", re.I), 2.5, 30.0),
    (re.compile(r"many", re.I), 4.0, 60.0),
    (re.compile(r"tens|dozens", re.I), 10.0, 100.0),
    (re.compile(r"hundreds", re.I), 100.0, 1e3),
    (re.compile(r"thousands", re.I), 1e3, 1e6),
    (re.compile(r"orders of magnitude", re.I), 30.0, math.inf),
    (re.compile(r"order of magnitude", re.I), 5.0, 20.0),
    (re.compile(r"fraction", re.I), 0.0, 0.5),
)
_NAMED = (
    (r"twice|doubl", 2.0),
    (r"thrice|tripl", 3.0),
    (r"quadrupl", 4.0),
    (r"quintupl", 5.0),
    (r"halv", 0.5),
    (r"hundred", 100.0),
)
_COUNTED = re.compile(r"\b(two|three|four)[\s-]+\Z", re.I)
_CHANGE = re.compile(r"\s*(?:faster|quicker|slower|higher|lower|more|less|better|worse|longer|shorter)\b", re.I)


@dataclass(frozen=True)
class Multiple:
    """The factors that a word may mean; of a change, one is no change."""

    low: float
    high: float
    is_change: bool = False  # `by a third`, `a third faster`: what is added or taken away
    is_most: bool = False  # `up to`: the largest of all is meant

    def holds(self, factors: list[float]) -> bool:
        """Whether it is said rightly of all these, or of the largest of them."""
        found = [max(factors)] if self.is_most else factors
        held = sum(self.low <= each <= self.high for each in found)
        return held >= MOST_OF * len(found)


def multiple(number: Number, words: str) -> Multiple | None:
    """Of a number that is a multiple, a part or a percentage in words; None of any other."""
    if not number.worded or number.sort not in (Sort.RATIO, Sort.PERCENT, Sort.BARE):
        return None
    before, typed = words[: number.start], number.typed
    if re.match(r"\s*of an? per", words[number.end :]):
        return None
    change = bool(re.search(r"\bby\s+(?:\w+ )?\Z", before) or _CHANGE.match(words, number.end))
    vague = next(((low, high) for pattern, low, high in _VAGUE if pattern.search(typed)), None)
    if vague:
        return Multiple(*vague)
    counted = _COUNTED.search(before)
    value = _value(number) * (SMALL[counted[1].lower()] if counted and number.values[0] < 1 else 1)
    low, high, is_most = _range(value, (before[: counted.start()] if counted else before) + _own_qualifier(typed))
    is_change = change and value < 1
    return Multiple(low / (CHANGED if is_change else 1), high * (CHANGED if is_change else 1), is_change, is_most)


def _own_qualifier(typed: str) -> str:
    """`by about a third`: the qualifier is a part of the number."""
    found = re.match(r"(?:about|almost|nearly|over|roughly) ", typed, re.I)
    return found[0] if found else ""


def _value(number: Number) -> float:
    if number.sort is Sort.PERCENT:
        return number.values[0] / 100
    named = next((value for pattern, value in _NAMED if re.match(pattern, number.typed, re.I)), 0.0)
    fold = re.match(r"(\w+)-?fold", number.typed, re.I)
    part = next((value for word, value in PARTS.items() if re.search(rf"\b{word}", number.typed, re.I)), 0.0)
    return named or (SMALL.get(fold[1].lower(), 0.0) if fold else 0.0) or number.values[0] or part


def _range(value: float, before: str) -> tuple[float, float, bool]:
    kind = next((kind for pattern, kind in _KINDS if pattern.search(before)), "")
    match kind:
        case "above":
            return value / SLACK, math.inf, False
        case "below":
            return 0.0, value * SLACK, False
        case "most":
            return value / TIGHT, value * TIGHT, True
        case "nearly":
            return value / LOOSE, value * SLACK, False
        case "about":
            return value / LOOSE, value * LOOSE, False
        case _:
            return value / TIGHT, value * TIGHT, False
