"""The model of the card, its fit to published times, and the ceiling of a link."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
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
READS = 16  # outstanding READs of a queue pair: max_qp_rd_atom of the modelled card, and of mlx4 and mlx5
EXTRA = {"write": WRITE, "send": 0, "read": 4}  # bytes of a message beside its packets' headers: RETH, AETH
PS_PER_S, PS_PER_NS = 10**12, 1000


@dataclass(frozen=True)
class Conditions:
    """The known parameters of the card and of the measurement. A latency is RTT/2, for READ the round trip, in ps."""

    rate_bit_s: float
    mtu: int = 4096
    inline_most: int = 0
    operation: str = "write"
    measure: str = "throughput"
    reads: int = READS


@dataclass(frozen=True)
class Rates:
    """The card in closed form. Its parts work at once, so that a full window moves at the rate of the slowest part,
    and its latencies limit only READs, of which few are outstanding.

    Real curves bend where two parts take about the same time, with a knee of 0 at once.
    """

    rate_bit_s: float
    header_bytes: float
    gap_ps: float
    block_ps: float
    bus_bit_s: float = 0.0
    doorbell_ps: float = 0.0
    fetch_ps: float = 0.0
    write_ps: float = 0.0
    wire_ns: float = 0.0
    knee_permille: float = 0.0

    def message_ps(self, size: int, mtu: int, inline_most: int, operation: str = "write", reads: int = READS) -> float:
        """Return the time of a message: that of the slowest part, since all parts work at once."""
        is_inline = size <= inline_most and operation != "read"
        work = max(self.gap_ps, -(-(HEAD + size) // BLOCK) * self.block_ps if is_inline else 0.0)
        parts = [work, max(self._wire_ps(size, mtu, operation), 0.0 if is_inline else self._bus_ps(size))]
        if operation == "read":
            parts.append((self.latency_ps(size, mtu, 0, operation) - self.doorbell_ps) / reads)
        slowest = max(parts)
        if not self.knee_permille or not slowest:
            return slowest
        knee = self.knee_permille / 1000
        return float(slowest * sum((part / slowest) ** (1 / knee) for part in parts) ** knee)

    def latency_ps(self, size: int, mtu: int, inline_most: int, operation: str = "write") -> float:
        """Return RTT/2 of a WRITE or SEND, or the round trip of a READ, without the instructions of the programs: the
        first packet passes all parts, and the others follow at the pace of the slowest part."""
        first = min(size, mtu)
        wire, bus = self._wire_ps(first, mtu, operation), self._bus_ps(first)
        others = max(self._wire_ps(size, mtu, operation) - wire, self._bus_ps(size) - bus)
        time = self.doorbell_ps + self.wire_ns * PS_PER_NS + wire + bus + self.write_ps + others
        if operation == "read":
            time += self._wire_ps(0, mtu, "write") + self.wire_ns * PS_PER_NS
        return time if size <= inline_most and operation != "read" else time + self.fetch_ps + bus

    def value(self, size: int, known: Conditions) -> float:
        """Return bytes per second, or ps."""
        if known.measure == "latency":
            return self.latency_ps(size, known.mtu, known.inline_most, known.operation)
        return size * PS_PER_S / self.message_ps(size, known.mtu, known.inline_most, known.operation, known.reads)

    def bytes_per_s(self, size: int, mtu: int = 4096, inline_most: int = 0) -> float:
        return self.value(size, Conditions(self.rate_bit_s, mtu, inline_most))

    def _wire_ps(self, size: int, mtu: int, operation: str) -> float:
        packets = max(1, -(-size // mtu))
        return (size + packets * self.header_bytes + EXTRA[operation]) * 8 * PS_PER_S / self.rate_bit_s

    def _bus_ps(self, size: int) -> float:
        return size * 8 * PS_PER_S / self.bus_bit_s if self.bus_bit_s else 0.0


LEAST = 4  # sizes, for three parameters
OUTLIER, BEND = 0.02, 0.05  # an error above this counts linearly instead of squared: of the card, and of the knee
IMPOSSIBLE = 4  # weight of an error if the model is slower than the measurement
LARGEST_SCALE, FIRST_STEP, LAST_STEP = 10.0, 0.125, 1e-7  # of a parameter, as multiples of its first guess
HEADER, HEADER_MOST = 30.0, 120.0  # of InfiniBand; more than any packet's: then the bus is the limit
KNEE_MOST = 1000.0  # as the card has it
FLAT = 1.5  # the largest size must take this multiple of the smallest's time to show the link or the bus
SCALED = ("gap_ps", "block_ps", "header_bytes", "bus_bit_s")
VISIBLE = 0.003  # a change of the curve
JUMP = 1.05  # a message that takes longer than a larger one by this factor


def fit(curve: Mapping[int, float], known: Conditions, latencies: Rates | None = None) -> Rates:
    """Return gap, block, and header or bus of the card whose curve is nearest, in bytes per second by size; then its
    knee. A READ's rate also depends on the assumed latencies.

    Estimator: least squares of the logarithms of the ratios, with the loss 2 (sqrt(1 + z) - 1), and an error counts
    four times if the model is slower: something else may slow a size down, but no card is faster than its model. For
    the knee all errors count the same. Assumes the link's rate, and that the bus limits only where no packet's header
    explains the largest sizes. Source: P. J. Huber, "Robust Estimation of a Location Parameter" (1964); B. Triggs et
    al., "Bundle Adjustment" (2000).
    """
    from lab.analysis.estimate import TooFewSamples  # imported here: every plan needs the constants above, but no numpy

    if len(curve) < LEAST:
        raise TooFewSamples("three parameters need four sizes")
    exempt = slowed(curve, known)
    curve = {size: rate for size, rate in curve.items() if size not in exempt}
    start = _first_guess(curve, known, latencies or Rates(known.rate_bit_s, HEADER, 0, 0))

    def rates(scales: tuple[float, ...]) -> Rates:
        return replace(start, **{name: getattr(start, name) * by for name, by in zip(SCALED, scales, strict=True)})

    def loss(card: Rates, outlier: float, impossible: float) -> float:
        ratios = [log1p(error) for error in errors(curve, card, known).values()]
        return sum(sqrt(1 + (ratio * (impossible if ratio < 0 else 1) / outlier) ** 2) for ratio in ratios)

    card = rates(_least(lambda scales: loss(rates(scales), OUTLIER, IMPOSSIBLE), (1.0,) * len(SCALED)))

    def bent(knee: float) -> Rates:
        return replace(card, knee_permille=min(KNEE_MOST, KNEE_MOST * knee))

    (knee,) = _least(lambda knee: loss(bent(knee[0]), BEND, 1), (0.0,))
    return bent(knee)


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
    """Return the model's value over the measured value, less 1, size by size."""
    return {size: rates.value(size, known) / value - 1 for size, value in curve.items()}


def fit_latency(curve: Mapping[int, float], card: Rates, known: Conditions) -> Rates:
    """Return the card with wire_ns and fetch_ps from times in ps by size, as medians; doorbell and write are assumed.
    Sizes of one packet that are sent inline show the wire, and those that are fetched show the fetch."""
    trips = 2 if known.operation == "read" else 1
    for name, unit, is_inline in (("wire_ns", trips * PS_PER_NS, True), ("fetch_ps", 1, False)):
        base = replace(card, **{name: 0.0})
        lacking = [
            (time - base.value(size, known)) / unit
            for size, time in curve.items()
            if size <= known.mtu and (size <= known.inline_most and known.operation != "read") is is_inline
        ]
        card = replace(card, **{name: max(0.0, median(lacking))}) if lacking else card
    return card


def unknown(curve: Mapping[int, float], card: Rates, known: Conditions) -> list[str]:
    """Return the parameters that could cost half without a visible change of the curve."""
    hidden = []
    sharp = replace(card, knee_permille=0.0)
    for name in (each.name for each in fields(card) if each.name != "knee_permille"):
        cheaper = replace(sharp, **{name: getattr(card, name) * (2 if name.endswith("bit_s") else 0.5)})
        if all(abs(cheaper.value(size, known) / sharp.value(size, known) - 1) < VISIBLE for size in curve):
            hidden.append(name)
    return hidden


def slowed(curve: Mapping[int, float], known: Conditions) -> list[int]:
    """Return the sizes that take longer than a larger size that is sent in the same way: no card explains them."""
    times = {size: size / rate for size, rate in curve.items()}

    def least_of_larger(size: int) -> float:
        is_inline = size <= known.inline_most
        return min(times[each] for each in times if each >= size and (each <= known.inline_most) is is_inline)

    return [size for size in sorted(times) if times[size] > JUMP * least_of_larger(size)]


def _first_guess(curve: Mapping[int, float], known: Conditions, base: Rates) -> Rates:
    """Read each parameter from the sizes at which it alone limits."""
    message_ps = {size: size * PS_PER_S / rate for size, rate in sorted(curve.items())}
    gap = median([ps for size, ps in message_ps.items() if size <= BLOCK] or [min(message_ps.values())])
    inline = [ps * BLOCK / (HEAD + size) for size, ps in message_ps.items() if 4 * BLOCK <= size <= known.inline_most]
    start = replace(base, header_bytes=HEADER, gap_ps=gap, block_ps=median(inline) if inline else 0.0)
    if message_ps[max(curve)] < FLAT * min(message_ps.values()):
        return start
    large = [size for size in curve if size >= 8 * known.mtu] or [max(curve)]
    headers = [(known.rate_bit_s / 8 / curve[size] - 1) * size / -(-size // known.mtu) for size in large]
    if (header := median(headers)) <= HEADER_MOST:
        return replace(start, header_bytes=max(1.0, header))
    return replace(start, bus_bit_s=8 * median(curve[size] for size in large))
