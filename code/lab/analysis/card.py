"""The model of the card, its fit to published times, and the ceiling of a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from lab.analysis.estimate import Floats, TooFewSamples

# IEEE 802.3: preamble and start 8, addresses and type 14, check 4, gap 12.
ETHERNET = 38
# RFC 791; InfiniBand Architecture Specification, volume 1, annex A17 (RoCEv2): IP 20, UDP 8, BTH 12, check 4.
ROCE = 44
WRITE = 16  # RETH (InfiniBand Architecture 1.4, 9.3.1): address, key and length, in a WRITE's first packet only
# RFC 9293, RFC 7323: IP 20, TCP 20, timestamps 12.
TCP = 52
PATH_MTUS = (4096, 2048, 1024, 512, 256)


@dataclass(frozen=True)
class Limit:
    """The physical limit at each x: the link's rate, or its part without headers."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]


def write_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int) -> Limit:
    """RDMA WRITE over IPv4: each message has packets of its own; `mtu` is the link's, in bytes of IP."""
    payload = next(each for each in PATH_MTUS if each + ROCE + WRITE <= mtu)
    wire = [size + -(-size // payload) * (ETHERNET + ROCE) + WRITE for size in sizes]
    y = tuple(rate_bit_s / 8 * size / on_wire for size, on_wire in zip(sizes, wire, strict=True))
    return Limit("after headers, WRITE", tuple(sizes), y)


def card_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int, header: int) -> Limit:
    """RDMA WRITE by a modelled card whose packets have a header of so many bytes."""
    payload = next(each for each in PATH_MTUS if each + ROCE + WRITE <= mtu)
    wire = [size + -(-size // payload) * header + WRITE for size in sizes]
    y = tuple(rate_bit_s / 8 * size / on_wire for size, on_wire in zip(sizes, wire, strict=True))
    return Limit("after headers, WRITE by the card", tuple(sizes), y)


def tcp_limit(sizes: Sequence[float], rate_bit_s: float, mtu: int) -> Limit:
    """TCP over IPv4 with timestamps: a stream, so full segments whatever the message size."""
    best = rate_bit_s / 8 * (mtu - TCP) / (mtu + ETHERNET)
    return Limit("after headers, TCP", tuple(sizes), tuple(best for _ in sizes))


BLOCK = 64  # bytes of a request that the card takes at once
HEAD = 36  # bytes of an inline request before its data: control 16, address 16, length 4
PS_PER_S = 10**12


@dataclass(frozen=True)
class Rates:
    """What bounds the rate: the wire, the bus and the card's own work; a latency does not, where the window is full."""

    rate_bit_s: float
    header_bytes: float
    gap_ps: float
    block_ps: float
    bus_bit_s: float = 0.0

    def message_ps(self, size: int, mtu: int, inline_most: int) -> float:
        """The time of each message: that of the slowest of the three, since they work at once."""
        wire = size + -(-size // mtu) * self.header_bytes + WRITE
        blocks = -(-(HEAD + size) // BLOCK) if size <= inline_most else 0
        bus = size * 8 * PS_PER_S / self.bus_bit_s if self.bus_bit_s and not blocks else 0.0
        return max(wire * 8 * PS_PER_S / self.rate_bit_s, self.gap_ps, blocks * self.block_ps, bus)

    def bytes_per_s(self, size: int, mtu: int = 4096, inline_most: int = 0) -> float:
        """Payload in each second."""
        return size * PS_PER_S / self.message_ps(size, mtu, inline_most)


LEAST = 4  # sizes, for three parameters
OUTLIER = 0.02  # an error above this counts as its amount and not as its square
IMPOSSIBLE = 4  # how much more it counts where the model is slower than what was measured


@dataclass(frozen=True)
class Conditions:
    """What is known of the card and of who measured."""

    rate_bit_s: float
    mtu: int = 4096
    inline_most: int = 0


def fit(curve: Mapping[int, float], known: Conditions) -> Rates:
    """Gap, block and header of the card whose curve is nearest, in bytes per second by size.

    Estimator: least squares of the logarithms of the ratios, with the loss 2 (sqrt(1 + z) - 1), and an error counts
    four times where the model is the slower one: something else may slow a size down, but no card is faster than
    itself. Assumes the wire's rate, and that no bus limits. Source: P. J. Huber, "Robust Estimation of a Location
    Parameter" (1964); B. Triggs et al., "Bundle Adjustment" (2000).
    """
    if len(curve) < LEAST:
        raise TooFewSamples("three parameters need four sizes", needed=LEAST, found=len(curve))
    from scipy.optimize import least_squares  # takes a second, and only `lab fit-card` needs it

    begin = _begin(curve, known)
    scale = np.array([begin.gap_ps, begin.block_ps, begin.header_bytes])

    def off(x: Floats) -> Floats:
        ratios = np.log([1 + each for each in errors(curve, _moved(begin, x * scale), known).values()])
        return np.where(ratios < 0, IMPOSSIBLE * ratios, ratios)

    found = least_squares(off, np.ones(3), bounds=(0, 10), loss="soft_l1", f_scale=OUTLIER, diff_step=[1e-4] * 3)
    return _moved(begin, found.x * scale)


def errors(curve: Mapping[int, float], rates: Rates, known: Conditions) -> dict[int, float]:
    """By how much of the measured rate the model is above it, size by size."""
    made = {size: rates.bytes_per_s(size, known.mtu, known.inline_most) for size in curve}
    return {size: made[size] / rate - 1 for size, rate in curve.items()}


def _moved(rates: Rates, x: Floats) -> Rates:
    gap, block, header = (float(each) for each in x)
    return replace(rates, gap_ps=gap, block_ps=block, header_bytes=header)


def _begin(curve: Mapping[int, float], known: Conditions) -> Rates:
    """From the sizes at which each parameter alone limits."""
    each_ps = {size: size * PS_PER_S / rate for size, rate in sorted(curve.items())}
    small = [ps for size, ps in each_ps.items() if size <= BLOCK] or [min(each_ps.values())]
    inline = [ps * BLOCK / (HEAD + size) for size, ps in each_ps.items() if 4 * BLOCK <= size <= known.inline_most]
    largest = max(curve)
    packets, passed = -(-largest // known.mtu), known.rate_bit_s / 8 / curve[largest] * largest
    header = max(1.0, (passed - largest) / packets)
    return Rates(known.rate_bit_s, header, min(small), median(inline) if inline else BLOCK * 8.0)
