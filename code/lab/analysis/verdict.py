"""A verdict: more, less, or that the data can't tell."""

from __future__ import annotations

from enum import Enum

from lab.analysis.estimate import Estimate


class Verdict(Enum):
    """What an estimate says against a reference."""

    MORE = "more"
    LESS = "less"
    CANT_TELL = "can't tell"


def judge(estimate: Estimate, reference: float = 1.0, margin: float = 0.0) -> Verdict:
    """More or less only where the whole interval is beyond the reference by the margin (a fraction of the reference).

    No interval is no evidence: can't tell. Source: Hoefler & Belli, rules 5 and 7.
    """
    interval = estimate.interval
    if interval is None:
        return Verdict.CANT_TELL
    reach = abs(reference) * margin
    if interval.low > reference + reach:
        return Verdict.MORE
    return Verdict.LESS if interval.high < reference - reach else Verdict.CANT_TELL
