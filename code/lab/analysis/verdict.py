"""A verdict: more, less, within the margin, or can't tell."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from lab.analysis.estimate import Estimate


class Verdict(Enum):
    """The comparison of an estimate with a reference."""

    MORE = "more"
    LESS = "less"
    WITHIN = "within the margin"
    CANT_TELL = "can't tell"


def judge(estimate: Estimate, reference: float = 1.0, margin: float = 0.0) -> Verdict:
    """More or less only where the whole interval is beyond the reference by the margin (a fraction of the reference).

    If the whole interval lies inside a margin above 0, the difference is too small to matter (D. J.
    Schuirmann, "A comparison of the two one-sided tests procedure and the power approach", 1987). No interval is no
    evidence: can't tell. Source: Hoefler & Belli, rules 5 and 7.
    """
    interval = estimate.interval
    if interval is None:
        return Verdict.CANT_TELL
    low, high = reference - abs(reference) * margin, reference + abs(reference) * margin
    if interval.low > high:
        return Verdict.MORE
    if interval.high < low:
        return Verdict.LESS
    return Verdict.WITHIN if margin and low <= interval.low and interval.high <= high else Verdict.CANT_TELL


def false_verdicts(estimates: Iterable[Estimate]) -> tuple[int, float]:
    """How many estimates could be judged, and how many of them are more or less at most in the mean if none differs.

    Each interval misses the truth in at most 1 - level of the cases; the expectation of a sum needs no independence.
    This replaces Holm's correction (S. Holm, "A simple sequentially rejective multiple test procedure", 1979): six
    repetitions a side never reach the level that its first step asks of a table of fifty, so it would hide all of them.
    """
    levels = [each.interval.level for each in estimates if each.interval]
    return len(levels), sum(1 - level for level in levels)
