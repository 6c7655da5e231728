"""Throughput by size, and the windows of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.analysis.card import Limit, card_limit, tcp_limit, write_limit
from lab.analysis.estimate import Estimate
from lab.analysis.rounds import LEAST, warm_up_ratio
from lab.experiment.experiment import Series
from lab.programs.program import WINDOW, Sample
from lab.report.evidence.curve import Subject


def ceiling(series: Series, sizes: tuple[int, ...]) -> Limit | None:
    """The most that a series' protocol can carry; None for a link without a rate, or a protocol not worked out."""
    bit_s, mtu = series.link.rate_bit_s, series.link.mtu
    if bit_s is None:
        return None
    if series.program in ("tcp", "iperf3"):
        return tcp_limit(sizes, bit_s, mtu)
    if series.link.card and series.has_card and series.operation == "write":
        return card_limit(sizes, bit_s, mtu, series.link.card.header_bytes)
    is_write = series.program in ("verbs", "ib_write_bw") and series.operation == "write"
    return write_limit(sizes, bit_s, mtu) if is_write else None


def exceeds_link(rate: Estimate, bit_s: int | None) -> bool:
    """Whether a rate, or the end of its interval, is above the rate of the link: no data can be so fast."""
    most = max(rate.value, rate.interval.high) if rate.interval else rate.value
    return bit_s is not None and most > bit_s / 8


@dataclass(frozen=True)
class Settling:
    """The rate in each window of each repetition, in B/s; repetitions may differ in their last windows."""

    size: int
    rates: tuple[tuple[float, ...], ...]

    def warm_up(self) -> Estimate:
        """The first window's time over the steady time: 1 if warm-up does not matter."""
        shortest = min(map(len, self.rates))
        return warm_up_ratio([[1 / rate for rate in rates[:shortest]] for rates in self.rates])


def settlings(curve: Subject) -> Iterator[Settling]:
    """The windows of each size of which every repetition has enough."""
    records = list(curve.evidence.samples(curve.series.name, curve.point).values())
    for size in curve.sizes:
        windows = [[s for s in samples if (s.sample, s.size_bytes) == (WINDOW, size)] for samples in records]
        if windows and all(len(samples) >= LEAST for samples in windows):
            yield Settling(size, tuple(map(_rates, windows)))


def _rates(windows: list[Sample]) -> tuple[float, ...]:
    """Between the ends of consecutive windows, each of which was counted from the start."""
    ordered = sorted(windows, key=lambda window: window.index)
    ends = [(0, 0), *((window.bytes, window.time_ns) for window in ordered)]
    steps = ((after[0] - before[0], after[1] - before[1]) for before, after in pairwise(ends))
    return tuple(1e9 * count / max(time_ns, 1) for count, time_ns in steps)
