"""The gap between two programs at some of the sizes: wider than at others, growing towards them, or there alone."""

from __future__ import annotations

import re
from statistics import median

from lab.report.check.lexicon import MESSAGE
from lab.report.check.sentence import Clause, sizes_in
from lab.report.check.sizes import sizes_meant

_WIDER_OR_NOT = re.compile(r"\b(?:(?P<wider>larger|bigger|wider|greater|higher)|smaller|narrower|lower)\b")
_FOR_MESSAGES = re.compile(
    rf"\b(?:for|with|at|towards?) (?:\w+ )?(?:large|long|big|small|short|tiny)\w* (?:\w+ )?{MESSAGE}\b", re.I
)
_ONLY_WITH = re.compile(
    r"\b(?:appears?|exists?|shows?(?: up)?|is (?:there|visible|seen)|comes?|begins?|starts?) (?:only|solely|not before|"
    r"not until) (?:with|for|at|from|above|beyond|once)\b|"
    r"\bonly (?:appears?|exists?|shows?(?: up)?) (?:with|for|at|from|above)\b",
    re.I,
)
_BECOMES = r"(?:gets?|becomes?|turns?) (?:\w+er and )?(?:ever |even |much )?"
WIDENS = re.compile(rf"\b(?:grow|ris|increas|widen|climb)\w*\b|\b{_BECOMES}(?:bigg|larg|wid|great)er\b", re.I)
SHRINKS = re.compile(
    rf"\b(?:shrink|narrow|fall|decreas|declin|clos|drop|melt)\w*\b|\b{_BECOMES}(?:small|narrow)er\b", re.I
)
CLOSED = 1.25  # times, and a person calls it closed


def wrong_at_sizes(part: Clause, heights: dict[int, float]) -> str:
    looks = (_between, _towards, _only_there)
    return next((what for each in looks if (what := each(part, heights))), "")


def _between(part: Clause, heights: dict[int, float]) -> str:
    """`is larger at 16 KiB than at one byte`, whichever stands first."""
    said = _WIDER_OR_NOT.search(part.words)
    than = re.search(r"\bthan\b", part.words)
    if said is None or than is None or than.start() < said.start():
        return ""
    first, second = ([heights[size] for size in sizes_meant(each, heights)] for each in part.cut(than.start()))
    if not first or not second:
        return ""
    return _wrong_way(first, second, wider=bool(said["wider"]), where="here")


def _wrong_way(there: list[float], others: list[float], *, wider: bool, where: str) -> str:
    own, other = median(there), median(others)
    return "" if (own > other) is wider else f"one is {own:.2g} times the other there, and {other:.2g} times {where}"


def _towards(part: Clause, heights: dict[int, float]) -> str:
    """`grows for large messages`: there it is wider than elsewhere."""
    there = sizes_meant(part, heights)
    elsewhere = [heights[size] for size in heights if size not in there]
    widens, shrinks = bool(WIDENS.search(part.words)), bool(SHRINKS.search(part.words))
    if (
        not there
        or not elsewhere
        or sizes_in(part)
        or part.uses
        or widens == shrinks
        or not _FOR_MESSAGES.search(part.words)
    ):
        return ""
    return _wrong_way([heights[size] for size in there], elsewhere, wider=widens, where="elsewhere")


def _only_there(part: Clause, heights: dict[int, float]) -> str:
    """`appears only with large messages`: elsewhere there is next to none."""
    there = sizes_meant(part, heights)
    elsewhere = [size for size in heights if size not in there]
    if not there or not elsewhere or not _ONLY_WITH.search(part.words):
        return ""
    left = median(heights[size] for size in elsewhere)
    return f"elsewhere one is {left:.2g} times the other, too" if left > CLOSED else ""
