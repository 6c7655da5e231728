"""Throughput and message rate at a size, and the most that a link's headers leave."""

from __future__ import annotations

from lab.analysis.ceiling import Limit, card_limit, tcp_limit, write_limit
from lab.analysis.estimate import Estimate
from lab.spec.experiment import Series


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
