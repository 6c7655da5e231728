"""The model of the card, its fit to published times, and the ceiling of a link."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import log1p, sqrt
from statistics import median

# IEEE 802.3: preamble and start 8, addresses and type 14, check 4, gap 12.
ETHERNET = 38
# RFC 791; InfiniBand Architecture Specification, volume 1, annex A17 (RoCEv2): IP 20, UDP 8, BTH 12, check 4.
ROCE = 44
WRITE = 16  # RETH (InfiniBand Architecture 1.4, 9.3.1): address, key and length, in a WRITE's first packet only
# RFC 9293: IP 20, TCP 20; RFC 7323: timestamps 12, which a kernel may leave out.
TCP_LEAST, TCP = 40, 52
PATH_MTUS = (4096, 2048, 1024, 512, 256)


def largest_packet(mtu: int, header: int = ROCE) -> int:
    """Return the payload of the largest RDMA packet for a link with this MTU."""
    return next(payload for payload in PATH_MTUS if payload + header <= mtu)


def write_limit(size: int, rate_bit_s: float, mtu: int, header: int = ETHERNET + ROCE) -> float:
    """RDMA WRITE over IPv4, with separate packets for each message; `mtu` is the link's, in bytes of IP. A modelled
    card's packets have another header."""
    packets = -(-size // largest_packet(mtu, ROCE + WRITE))
    return rate_bit_s / 8 * size / (size + packets * header + WRITE)


def tcp_limit(rate_bit_s: float, mtu: int) -> float:
    """TCP over IPv4 with timestamps: a stream, so full segments at every message size."""
    return rate_bit_s / 8 * (mtu - TCP) / (mtu + ETHERNET)


BLOCK = 64  # bytes of a request that the card fetches at once
HEAD = 36  # bytes of an inline request before its data: control 16, address 16, length 4
PS_PER_S = 10**12


@dataclass(frozen=True)
class Rates:
    """The limits of the rate: link, bus and the card's work. Latencies do not matter while the window is full."""

    rate_bit_s: float
    header_bytes: float
    gap_ps: float
    block_ps: float
    bus_bit_s: float = 0.0

    def message_ps(self, size: int, mtu: int, inline_most: int) -> float:
        """Return the time of a message: that of the slowest part, since all parts work at once."""
        wire = size + -(-size // mtu) * self.header_bytes + WRITE
        blocks = -(-(HEAD + size) // BLOCK) if size <= inline_most else 0
        bus = size * 8 * PS_PER_S / self.bus_bit_s if self.bus_bit_s and not blocks else 0.0
        return max(wire * 8 * PS_PER_S / self.rate_bit_s, self.gap_ps, blocks * self.block_ps, bus)

    def bytes_per_s(self, size: int, mtu: int = 4096, inline_most: int = 0) -> float:
        return size * PS_PER_S / self.message_ps(size, mtu, inline_most)


LEAST = 4  # sizes, for three parameters
OUTLIER = 0.02  # an error above this counts linearly instead of squared
IMPOSSIBLE = 4  # weight of an error if the model is slower than the measurement
LARGEST_SCALE, FIRST_STEP, LAST_STEP = 10.0, 0.125, 1e-7  # of a parameter, as multiples of its first guess


@dataclass(frozen=True)
class Conditions:
    """The known parameters of the card and of the measurement."""

    rate_bit_s: float
    mtu: int = 4096
    inline_most: int = 0


def fit(curve: Mapping[int, float], known: Conditions) -> Rates:
    """Return gap, block and header of the card whose curve is nearest, in bytes per second by size.

    Estimator: least squares of the logarithms of the ratios, with the loss 2 (sqrt(1 + z) - 1), and an error counts
    four times if the model is slower: something else may slow a size down, but no card is faster than its model.
    Assumes the link's rate, and that no bus limits. Source: P. J. Huber, "Robust Estimation of a Location
    Parameter" (1964); B. Triggs et al., "Bundle Adjustment" (2000).
    """
    from lab.analysis.estimate import TooFewSamples  # imported here: every plan needs the constants above, but no numpy

    if len(curve) < LEAST:
        raise TooFewSamples("three parameters need four sizes", needed=LEAST, found=len(curve))
    start = _first_guess(curve, known)

    def rates(scales: tuple[float, ...]) -> Rates:
        gap, block, header = scales
        costs = start.gap_ps * gap, start.block_ps * block, start.header_bytes * header
        return replace(start, gap_ps=costs[0], block_ps=costs[1], header_bytes=costs[2])

    def loss(scales: tuple[float, ...]) -> float:
        ratios = [log1p(error) for error in errors(curve, rates(scales), known).values()]
        return sum(sqrt(1 + (ratio * (IMPOSSIBLE if ratio < 0 else 1) / OUTLIER) ** 2) for ratio in ratios)

    return rates(_least(loss, (1.0, 1.0, 1.0)))


def _least(loss: Callable[[tuple[float, ...]], float], start: tuple[float, ...]) -> tuple[float, ...]:
    """Return the place of the least loss, by coordinates. Source: R. Hooke and T. A. Jeeves, "Direct Search" (1961)."""
    best, step = start, FIRST_STEP
    while step > LAST_STEP:
        moves = [(i, best[i] + way) for i in range(len(best)) for way in (step, -step)]
        tried = [(*best[:i], min(max(at, 0.0), LARGEST_SCALE), *best[i + 1 :]) for i, at in moves]
        better = min(tried, key=loss)
        if loss(better) < loss(best):
            best = better
        else:
            step /= 2
    return best


def errors(curve: Mapping[int, float], rates: Rates, known: Conditions) -> dict[int, float]:
    """Return the model's rate over the measured rate, less 1, size by size."""
    return {size: rates.bytes_per_s(size, known.mtu, known.inline_most) / rate - 1 for size, rate in curve.items()}


def _first_guess(curve: Mapping[int, float], known: Conditions) -> Rates:
    """Read each parameter from the sizes at which it alone limits."""
    message_ps = {size: size * PS_PER_S / rate for size, rate in sorted(curve.items())}
    small = [ps for size, ps in message_ps.items() if size <= BLOCK] or [min(message_ps.values())]
    inline = [ps * BLOCK / (HEAD + size) for size, ps in message_ps.items() if 4 * BLOCK <= size <= known.inline_most]
    largest = max(curve)
    packets, passed = -(-largest // known.mtu), known.rate_bit_s / 8 / curve[largest] * largest
    header = max(1.0, (passed - largest) / packets)
    return Rates(known.rate_bit_s, header, min(small), median(inline) if inline else BLOCK * 8.0)
