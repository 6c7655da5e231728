"""Throughput by window: whether the start of a trial differs from the rest, and from which window on it is steady."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from lab.analysis.estimate import Estimate
from lab.analysis.steady import LEAST, Steady, find_steady, warm_up_ratio
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.programs.request import WINDOW, Sample
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import Subject
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class Settling:
    """The rate in each window of each repetition, in B/s; repetitions may differ in their last windows."""

    curve: Subject
    size: int
    rates: tuple[tuple[float, ...], ...]

    @property
    def name(self) -> str:
        return f"{self.curve.name}.{format_size(self.size)}.first"

    def windows(self) -> tuple[Estimate, ...]:
        return tuple(estimate_median(window) for window in zip(*self.rates, strict=False))

    def steady(self) -> Steady:
        return find_steady([each.value for each in self.windows()])

    def warm_up(self) -> Estimate:
        """The first window's time over the steady time."""
        shortest = min(map(len, self.rates))
        return warm_up_ratio([[1 / rate for rate in each[:shortest]] for each in self.rates])


def settlings(curve: Subject) -> Iterator[Settling]:
    """One for each size of which every repetition has windows enough."""
    samples = list(curve.evidence.samples(curve.series.name, curve.point).values())
    for size in curve.sizes:
        windows = [[s for s in each if (s.sample, s.size_bytes) == (WINDOW, size)] for each in samples]
        if windows and all(len(each) >= LEAST for each in windows):
            yield Settling(curve, size, tuple(map(_rates, windows)))


def _rates(windows: list[Sample]) -> tuple[float, ...]:
    """Between the ends of consecutive windows, each of which was counted from the start."""
    ends = [(0, 0), *((each.bytes, each.time_ns) for each in sorted(windows, key=lambda each: each.index))]
    steps = ((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(ends))
    return tuple(1e9 * count / max(time_ns, 1) for count, time_ns in steps)


@dataclass(frozen=True)
class WindowClaims(ClaimGroup):
    """The first window's time over that of steady ones: 1 if warm-up does not matter."""

    settling: Settling
    first: Claim


def window_claims(curve: Subject) -> tuple[WindowClaims, ...]:
    """One for each size that has windows."""
    return tuple(WindowClaims(each, _first(each)) for each in settlings(curve))


def _first(found: Settling) -> Claim:
    curve, size = found.curve, in_words(found.size)
    words = f"{curve.words}, messages of {size}: time per byte in the first window over that when steady"
    claim = curve.claim(found.name, found.warm_up(), "", ClaimKind.RATIO, words, found.size)
    return replace(claim, base="its steady windows", base_link=claim.link)
