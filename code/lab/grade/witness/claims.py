"""The claims of a program, compared with the log of the link and with the device's counters."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from operator import attrgetter
from pathlib import Path
from statistics import median_low
from typing import cast

from lab.errors import plural
from lab.grade.finding import Fault, Flaw
from lab.grade.witness.messages import (
    Assembly,
    Carried,
    Message,
    Piece,
    Streams,
    exchanges,
    in_turn,
    one_by_one,
    shortest_ns,
    sum_bytes,
)
from lab.grade.witness.packets import ACCEPTED, INSIDE, READ, REPORTED, RUNG, SEND, WRITE, Packet, Segment, decoded
from lab.machine import results
from lab.machine.results import CLIENT, NAMES
from lab.model.trial import Ends, Outcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.program import WINDOW, Reading, Request, Sample
from lab.records.facts import Measured
from lab.records.record import Record
from lab.run.checks import PATH_MTU_MOST, is_loopback
from lab.run.measure import measure
from lab.sites.site import Logged, Site
from lab.submission.assignment import TaskStep

# Of an RDMA device: Soft-RoCE's, and those of InfiniBand's ports. In an interface's, TCP puts packets together.
SENT, RECEIVED = ("sent_pkts", "port_xmit_packets"), ("rcvd_pkts", "port_rcv_packets")
MOST_BESIDE_BYTES = 1 << 14  # over the network beside the link, for each pair of programs; init needs less than 2 KiB
# The least claimed time over the least time in which as many bytes crossed the link, besides the rounding of printed
# digits. No program can be faster than the link. docs/grading.md has the values of honest programs.
LEAST_CLAIMED = 0.98
NUMBER_BYTES = 8  # of the sum of seed and number at the beginning of a message; at most, of a number in a vector
MOST_SENT, MORE_BYTES = 1.25, 256  # of the necessary bytes in a ring; and for each message, besides them
LARGEST = 1 << 23  # bytes of one request; programs split larger messages
SEED = "seed"  # a variable of a command
WITHOUT_END_NS = 10**18  # the claimed time where only the messages count
MEAN, SINGLE = "round_trip_mean", "round_trip"
TIMED = ("window", "completed", "confirmed", "round", SINGLE, MEAN)


class Seen:
    """The traffic of the link, by the log of the client's end. Its messages should go by a modelled card or by
    Soft-RoCE; `around` has those that went by the other one."""

    @classmethod
    def of(cls, planned: Planned, logs: Path) -> "Seen":
        """The traffic of a trial, by the folder with its logs."""
        ports = tuple(step.port for step in planned.trial.job.steps)
        return cls(logs / f"{NAMES[CLIENT]}.pcapng", ports, by_card=planned.series.has_card)

    def __init__(self, log: Path, ports: tuple[int, ...], *, by_card: bool = False) -> None:
        self.streams, self.rdma, self.around = Streams(ports), Assembly(), Assembly()
        self.packets = Counter[bool]()  # of RoCE, by whether they go out
        for frame in results.read(log):
            match decoded(frame):
                case Packet() as packet:
                    self.packets[packet.goes_out] += not packet.by_card
                    (self.rdma if packet.by_card == by_card else self.around).take(packet)
                case Segment() as segment:
                    self.streams.take(segment)


@dataclass(frozen=True)
class Claim:
    messages: int
    time_ns: int
    typical: bool = False  # one printed value for all round trips: their mean, or their median


@dataclass(frozen=True)
class SizeClaims:
    operation: str
    rdma: bool
    answered: bool  # round trips are claimed
    size_bytes: int
    claims: tuple[Claim, ...]
    rounded: float = 1.0  # at most, rounding of printed digits divides a time by this factor
    alone: bool = False  # a step asks that each message waits until the one before has arrived

    @property
    def bytes(self) -> int:
        return max(claim.messages for claim in self.claims) * self.size_bytes


def watched(
    planned: Planned, logged: Logged, facts: SiteFacts, step: TaskStep | None = None
) -> tuple[Record, list[Fault]]:
    """Measure a trial once; return its record and the claims that the link's log of this run refutes. A program that
    prints nothing claims what its step `sends`. Raise FailedOutcome if its programs fail."""
    record, outcome = measure(planned, cast(Site, logged), facts), cast(Outcome, logged.outcome)
    seen = Seen.of(planned, logged.folder)
    reading = planned.series.tool.parse(planned.trial.request, outcome.steps)
    if planned.series.tool.together:
        claims, sent = claims_of(planned.trial.request, reading, rdma=True), seen.rdma.messages
        refuted = ring_faults(planned, outcome, sent, step, claims) if step and step.turns else iter(())
    else:
        refuted = _refuted(planned, reading, seen, step)
    return record, [*beside(outcome), *(list(forged(outcome, seen.packets)) or refuted)]


def beside(outcome: Outcome) -> Iterator[Fault]:
    """The fault of data on the network beside the link."""
    counted = outcome.counters_after.items()
    bytes_ = sum(count for name, count in counted if name.endswith(("side0.bytes", "side1.bytes")))
    if bytes_ > MOST_BESIDE_BYTES * len(outcome.steps):
        yield Flaw.WAY, f"{plural(bytes_, 'byte')} went over the network beside the link"


def forged(outcome: Outcome, packets: Counter[bool]) -> Iterator[Fault]:
    """RDMA packets that no device sent: any program may send them by UDP, faster than a device does. Behind a switch
    the log does not name the sender of a packet that comes in."""
    directions = (True,) if "rank1.link0.bytes" in outcome.counters_after else (True, False)
    for end, goes_out in enumerate(directions):
        name = f"rxe{end}.sent_pkts"
        sent = outcome.grown.get(name, 0)
        if (count := packets[goes_out]) > sent:
            yield Flaw.WAY, f"{plural(count, 'packet')} of RDMA left the {NAMES[end]}, and its device sent {sent}"


def _refuted(planned: Planned, reading: Reading, seen: Seen, step: TaskStep | None) -> Iterator[Fault]:
    tool, request, pieces = planned.series.tool, planned.trial.request, seen.streams.pieces
    by_size = {count.size: pieces[number % len(pieces)] for number, count in enumerate(request.counts)}
    if tool.silent and step and (sends := step.sends):
        samples = tuple(Sample(c.size, "completed", 0, sends, sends * c.size, WITHOUT_END_NS) for c in request.counts)
        reading = replace(reading, samples=samples)
    alone = bool(step and step.alone)
    for claimed in (replace(each, alone=alone) for each in claims_of(request, reading, rdma=tool.rdma)):
        if step and planned.series.has_card:
            yield from method_faults(claimed, seen.rdma.messages, step)
        yield from claim_faults(claimed, seen.rdma.messages, by_size[claimed.size_bytes], seen.around.messages)
        if tool.rdma and SEED in tool.parameters:
            yield from data_faults(claimed, seen.rdma.messages, request.parameters.seed)


def unsent(planned: Planned, ends: Ends, measured: Measured, samples: Iterable[Sample]) -> Iterator[Fault]:
    """The fault of messages that the client's device cannot have sent, or received in the case of READ."""
    tool, needed = planned.series.tool, _least_packets(samples)
    if not tool.rdma or is_loopback(tool, ends):
        return
    for name in RECEIVED if planned.series.operation == READ else SENT:
        counter = f"{ends.client.device}.{name}"
        counted = measured.grown.get(counter, 0)
        if counter in measured.counters_after and counted < needed:
            yield Flaw.MESSAGES, f"its messages need {plural(needed, 'packet')} at least, {counter} counted {counted}"


def _least_packets(samples: Iterable[Sample]) -> int:
    """The fewest packets for RDMA: messages share none, and none is longer than the largest path MTU."""
    messages: dict[int, Counter[str]] = defaultdict(Counter)
    for sample in samples:
        if sample.sample != WINDOW:
            messages[sample.size_bytes][sample.sample] += sample.messages
    return sum(max(counts.values()) * max(1, ceil(size / PATH_MTU_MOST)) for size, counts in messages.items())


def claims_of(request: Request, reading: Reading, *, rdma: bool) -> list[SizeClaims]:
    """The claims by size; the sum of single round trips is another claim."""
    by_size: dict[int, list[Claim]] = defaultdict(list)
    for sample in reading.samples:
        if sample.sample in TIMED:
            factor = sample.messages if sample.sample == MEAN else 1
            by_size[sample.size_bytes].append(Claim(sample.messages, factor * sample.time_ns, sample.sample == MEAN))
    for size, claims in by_size.items():
        single = [sample for sample in reading.samples if sample.sample == SINGLE and sample.size_bytes == size]
        if single:
            claims.append(Claim(sum(trip.messages for trip in single), sum(trip.time_ns for trip in single)))
    latency = request.measure == "latency"
    return [
        SizeClaims(request.operation, rdma, latency, size, tuple(claims), reading.rounded.get(size, 1.0))
        for size, claims in by_size.items()
    ]


def claim_faults(
    claimed: SizeClaims, messages: Sequence[Message], pieces: Sequence[Piece], around: Sequence[Message] = ()
) -> Iterator[Fault]:
    """The faults of one size. Messages by another device than the claimed one do not count, as bytes over TCP."""
    there, back = _rdma(claimed, messages) if claimed.rdma else _tcp(claimed, pieces)
    carried, size = sum_bytes(there), plural(claimed.size_bytes, "byte")
    if claimed.rdma and claimed.bytes > carried:
        yield _missing(claimed, messages, pieces, around)
    elif claimed.bytes > carried:
        yield Flaw.MESSAGES, f"the program claims {claimed.bytes} bytes over TCP; {carried} crossed the link"
    elif claimed.answered and claimed.operation != READ and claimed.bytes > sum_bytes(back):
        yield Flaw.MESSAGES, f"the program claims round trips of {size}; nothing as long comes back"
    elif claimed.bytes > sum_bytes(waited := _waited(claimed, there, back)):
        asked = "messages one at a time" if claimed.alone else "round trips"
        what = f"the program claims {asked} of {size}; {len(waited)} of {plural(len(there), 'message')}"
        yield Flaw.MESSAGES, f"{what} waited for the answer to the one before"
    else:
        yield from _too_fast(claimed, waited)


def method_faults(claimed: SizeClaims, messages: Sequence[Message], step: TaskStep) -> Iterator[Fault]:
    """The faults of requests that are posted otherwise than a step asks; lists and signals may be half as long."""
    there, _ = _rdma(claimed, messages)
    inside, signalled, calls = (sum(bool(item.posted & flag) for item in there) for flag in (INSIDE, REPORTED, RUNG))
    count, of = len(there), f"{plural(len(there), 'message')} of {plural(claimed.size_bytes, 'byte')}"
    if inside < count and claimed.size_bytes <= step.inline_up_to:
        yield Flaw.METHOD, f"IBV_SEND_INLINE is missing for {count - inside} of {of}"
    if calls * step.list_of > 2 * count:
        yield Flaw.METHOD, f"{plural(calls, 'call')} posted {of} (the step asks for {step.list_of} in each)"
    if signalled * step.signals_each > 2 * count:
        yield Flaw.METHOD, f"{plural(signalled, 'signal')} for {of} (the step asks for one in {step.signals_each})"


def data_faults(claimed: SizeClaims, messages: Sequence[Message], seed: int) -> Iterator[Fault]:
    """The fault of other data than a seed requires: each message begins with the sum of the seed and its number."""
    there, _ = _rdma(claimed, messages)
    width = min(NUMBER_BYTES, claimed.size_bytes, max((len(message.head) for message in there), default=0))
    heads = Counter(message.head[:width] for message in there)
    expected = Counter((seed + number).to_bytes(NUMBER_BYTES, "little")[:width] for number in range(len(there)))
    if wrong := sum((heads - expected).values()):
        what = f"{wrong} of {plural(len(there), 'message')} of {plural(claimed.size_bytes, 'byte')}"
        yield Flaw.DATA, f"wrong data in {what}: a message begins with its number plus the seed {seed}"


def _rdma(claimed: SizeClaims, messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    """The messages of the claimed operation and size that go out, and those that come back. Of an unreliable connection
    only answered messages count, since nothing else shows that they arrived."""
    operations, size = ACCEPTED[claimed.operation], claimed.size_bytes
    fitting = [
        message
        for message in messages
        if message.operation in operations and (message.size_bytes == size or size > LARGEST >= message.size_bytes)
    ]
    there = [item for item in fitting if item.goes_out and (item.arrived or claimed.answered)]
    return there, [item for item in fitting if not item.goes_out]


def _tcp(claimed: SizeClaims, pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The pieces that go out, and those that come back: of round trips the log shows messages, else only bytes."""
    out, came = ([piece for piece in pieces if piece.goes_out == goes_out] for goes_out in (True, False))
    if claimed.answered:
        out = came = exchanges(pieces, claimed.size_bytes)
    return (came, out) if claimed.operation == READ else (out, came)


def _waited(claimed: SizeClaims, there: Sequence[Carried], back: Sequence[Carried]) -> Sequence[Carried]:
    """The messages that count for a claim: of round trips by RDMA, those that were in flight alone."""
    if claimed.alone:
        return one_by_one(there)
    if not (claimed.answered and claimed.rdma) or claimed.size_bytes > LARGEST:
        return there
    return one_by_one(there) if claimed.operation == READ else in_turn(there, back)


def _missing(
    claimed: SizeClaims, messages: Sequence[Message], pieces: Sequence[Piece], around: Sequence[Message]
) -> Fault:
    """The fault of missing messages, with the traffic instead."""
    size, count = claimed.size_bytes, plural(claimed.bytes // claimed.size_bytes, "message")
    kinds = Counter((message.operation, message.size_bytes) for message in messages)
    most = kinds.most_common(3)
    carried = ", ".join(f"{number} of {plural(bytes_, 'byte')} by {name}" for (name, bytes_), number in most)
    what = (
        f"the program claims {count} of {plural(size, 'byte')} by {claimed.operation}; the link had "
        f"{carried or 'no message of RDMA'}, {sum_bytes(pieces)} bytes over TCP, "
        f"and {sum_bytes(around)} by another device"
    )
    if lost := [item for item in messages if item.size_bytes == size and not item.arrived]:
        return Flaw.MESSAGES, f"{what}; no acknowledgement shows that {len(lost)} of this size arrived"
    if any(name not in ACCEPTED[claimed.operation] and bytes_ == size for name, bytes_ in kinds):
        return Flaw.OPERATION, what
    return (Flaw.WAY if sum_bytes([*pieces, *around]) >= claimed.bytes // 2 else Flaw.MESSAGES), what


def _too_fast(claimed: SizeClaims, there: Sequence[Carried]) -> Iterator[Fault]:
    kinds = {(each.messages, each.typical) for each in claimed.claims}
    least = {kind: _needed_ns(claimed, there, *kind) for kind in kinds}
    needed = [(claim, least[claim.messages, claim.typical]) for claim in claimed.claims]
    wrong = [(claim, ns) for claim, ns in needed if claim.time_ns * claimed.rounded < LEAST_CLAIMED * ns]
    if wrong:
        worst, ns = min(wrong, key=lambda item: item[0].time_ns / item[1])
        what = f"{plural(worst.messages, 'message')} of {plural(claimed.size_bytes, 'byte')} in {worst.time_ns} ns"
        yield Flaw.INVENTED, f"the program claims {what}; the link needed at least {ns} ns"


def _needed_ns(claimed: SizeClaims, there: Sequence[Carried], messages: int, typical: bool) -> int:  # noqa: FBT001
    """The least time of so many messages; of a typical round trip, as many times the median if that is less. Of RDMA
    the log has the acknowledgement, which is earlier."""
    least = shortest_ns(there, messages * claimed.size_bytes)
    if not typical or claimed.rdma:
        return least
    return min(least, messages * median_low(item.end_ns - item.start_ns for item in there))


def ring_faults(
    planned: Planned, outcome: Outcome, messages: Sequence[Message], step: TaskStep, claims: Iterable[SizeClaims]
) -> Iterator[Fault]:
    """The faults of what several computers sent for an all-reduce in a ring, by the link's log at rank 0 and the
    counters: each computer sends all chunks but one in each turn, and no more."""
    ranks, request, silent = planned.series.link.computers, planned.trial.request, planned.series.tool.silent
    others, turns, least, most = ranks - 1, 0, 0, 0.0
    for count in request.counts:
        turns = step.turns * (step.sends + (0 if silent else count.iterations))
        least += turns * others * _least_chunk(count.size, ranks)
        most += turns * others * (MOST_SENT * (count.size / ranks + NUMBER_BYTES) + MORE_BYTES)
    accepted = (*ACCEPTED[SEND], *ACCEPTED[WRITE]) if step.segment else ACCEPTED[request.operation]
    out = [message for message in messages if message.goes_out]
    carriers = [message for message in out if message.operation in accepted]
    carried, sent, usual = sum_bytes(carriers), sum_bytes(out), f"{ranks} computers in a ring send {least} each"
    if carried < least:
        kind = Flaw.OPERATION if sent >= least else Flaw.MESSAGES
        yield kind, f"rank 0 sent {carried} bytes by {request.operation}, and {sent - carried} otherwise; {usual}"
        return
    for rank in range(1, ranks):
        if (counted := outcome.counters_after.get(f"rank{rank}.link0.bytes", 0)) < least:
            yield Flaw.MESSAGES, f"rank {rank} sent {counted} bytes; {usual}"
    if sent > most:
        more = "in each step a chunk to the next rank, not whole vectors to all"
        yield Flaw.METHOD, f"rank 0 sent {sent} bytes; {usual}: {more}"
    yield from _segment_faults(carriers, step, least, max(count.size for count in request.counts), ranks)
    yield from _chunk_times(carriers, step, claims, ranks)


def _least_chunk(size: int, ranks: int) -> int:
    return size // NUMBER_BYTES // ranks * NUMBER_BYTES


def _chunk_times(
    carriers: Sequence[Message], step: TaskStep, claims: Iterable[SizeClaims], ranks: int
) -> Iterator[Fault]:
    """The claimed times in which the link did not even begin to carry the last of so many chunks."""
    start = attrgetter("start_ns")
    ordered = sorted(carriers, key=start)
    for size, claim in ((sized.size_bytes, claim) for sized in claims for claim in sized.claims):
        needed = max(1, claim.messages * step.turns * (ranks - 1) * _least_chunk(size, ranks))
        chunks = [item for item in ordered if item.size_bytes <= size // ranks + NUMBER_BYTES]
        if claim.time_ns < LEAST_CLAIMED * (took_ns := shortest_ns(chunks, needed, until=start)):
            what = f"the program claims {plural(claim.messages, 'vector')} of {size} bytes in {claim.time_ns} ns"
            yield Flaw.INVENTED, f"{what}; the link carries their chunks in {took_ns} ns at least"


def _segment_faults(
    carriers: Sequence[Message], step: TaskStep, least: int, largest: int, ranks: int
) -> Iterator[Fault]:
    longest = max((message.size_bytes for message in carriers), default=0)
    if step.segment and longest > step.segment:
        yield Flaw.METHOD, f"a message has {longest} bytes (at most {step.segment} for each segment of a chunk)"
    segments = [message for message in carriers if 2 * message.size_bytes > min(longest, step.segment)]
    if largest // ranks >= 2 * step.segment and (most := most_at_once(segments)) < step.in_flight:
        what = f"at most {most} of {len(segments)} segments in flight (the step asks for {step.in_flight})"
        yield Flaw.METHOD, f"{what}: send a segment on as soon as it is added, without waiting for the one before"
    if step.into:
        end = step.into + largest
        direct = sum_bytes(item for item in carriers if step.into <= item.address < end)
        if direct < least // step.turns:
            what = f"only {direct} of {least // step.turns} bytes went into the recvbuf of the next rank"
            yield Flaw.METHOD, f"{what}: finished chunks go there by RDMA WRITE, without a slot and a copy"


def most_at_once(messages: Sequence[Message]) -> int:
    """The most messages that were in flight at one time, each from its first packet to its acknowledgement."""
    changes = sorted([(m.end_ns, -1) for m in messages] + [(m.start_ns, 1) for m in messages])
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most
