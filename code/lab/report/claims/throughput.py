"""Claims about each size of a curve: throughput and message rate."""

from __future__ import annotations

from dataclasses import dataclass

from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import STOPS, Subject
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class SizeClaims(ClaimGroup):
    """The bytes and the messages of one size per second."""

    rate: Claim
    messages: Claim


@dataclass(frozen=True)
class RateClaims(ClaimGroup):
    """The rates of each size of one curve."""

    curve: Subject
    by_size: dict[int, SizeClaims]


def rate_claims(curve: Subject) -> RateClaims:
    """Throughput and message rate at each size: medians over the repetitions."""
    return RateClaims(curve, {size: _of_size(curve, size) for size in curve.sizes})


def _of_size(curve: Subject, size: int) -> SizeClaims:
    values = curve.values(size)
    what = f"{curve.words}, messages of {in_words(size)}, to {STOPS[curve.column]}"
    name = f"{curve.name}.{format_size(size)}"
    messages = estimate_median([value / size for value in values])
    return SizeClaims(
        curve.claim(name, estimate_median(values), "B/s", ClaimKind.RATE, f"throughput of {what}", size),
        curve.claim(f"{name}.messages", messages, "messages/s", ClaimKind.RATE, f"message rate of {what}", size),
    )
