"""A record's times compared with the link's log."""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from lab.grade.finding import Flaw
from lab.grade.witness.messages import Assembly, Carried, Message, Piece, Streams, exchanges, in_turn, one_by_one
from lab.grade.witness.packets import READ, SEND, WRITE, WRITE_IMM, Packet, Segment, decoded
from lab.machine import results
from lab.machine.results import CLIENT, NAMES
from lab.model.trial import Ends, Outcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.program import WINDOW, Reading, Request, Sample
from lab.records.facts import Measured
from lab.run.checks import PATH_MTU_MOST, is_loopback
from lab.run.measure import judge
from lab.sites.site import Witness

# Of an RDMA device: Soft-RoCE's, and those of InfiniBand's ports. In an interface's, TCP puts packets together.
SENT, RECEIVED = ("sent_pkts", "port_xmit_packets"), ("rcvd_pkts", "port_rcv_packets")


def unsent(planned: Planned, ends: Ends, found: Measured, samples: Iterable[Sample]) -> Iterator[tuple[Flaw, str]]:
    """The fault of messages that the client's device can't have sent, or got if they were read."""
    tool, wanted = planned.series.tool, least_packets(samples)
    if not tool.rdma or is_loopback(tool, ends):
        return
    for name in RECEIVED if planned.series.operation == READ else SENT:
        counter = f"{ends.client.device}.{name}"
        counted = found.counters_after.get(counter, 0) - found.counters_before.get(counter, 0)
        if counter in found.counters_after and counted < wanted:
            yield Flaw.MESSAGES, f"its messages need {wanted} packets at least, {counter} counted {counted}"


def least_packets(samples: Iterable[Sample]) -> int:
    """As many as RDMA needs at least: no two messages share one, and none is longer than the largest path MTU."""
    messages: dict[int, Counter[str]] = {}
    for each in samples:
        if each.sample != WINDOW:
            messages.setdefault(each.size_bytes, Counter())[each.sample] += each.messages
    return sum(max(counted.values()) * max(1, ceil(size / PATH_MTU_MOST)) for size, counted in messages.items())


# Beside the link, for each pair of programs: init's few words take less than 2 KiB.
MOST_BESIDE_BYTES = 1 << 14
SEED = "seed"  # the place in a command

Fault = tuple[Flaw, str]


@dataclass
class Seen:
    """What crossed the link, by the log of the client's end."""

    streams: Streams
    rdma: Assembly = field(default_factory=Assembly)
    around: Assembly = field(default_factory=Assembly)  # by Soft-RoCE in place of the card, or by it in place of that
    packets: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})  # of RoCE, by whether they go out

    @classmethod
    def of(cls, log: Path, ports: tuple[int, ...], *, by_card: bool = False) -> Seen:
        """All of a log, whose messages were to go by a modelled card or by Soft-RoCE."""
        found = cls(Streams(ports))
        for frame in results.read(log):
            match decoded(frame):
                case Packet() as packet:
                    found.packets[packet.goes_out] += not packet.by_card
                    (found.rdma if packet.by_card == by_card else found.around).take(packet)
                case Segment() as segment:
                    found.streams.take(segment)
        return found


def watched(planned: Planned, site: Witness, facts: SiteFacts) -> list[Fault]:
    """What the link refutes of a trial; TrialFailed where its programs fail."""
    ports = tuple(step.port for step in planned.trial.job.steps)
    with tempfile.TemporaryDirectory() as folder:
        outcome = site.run_watched(planned.trial.job, Path(folder))
        judge(planned, facts, outcome, {})
        seen = Seen.of(Path(folder) / f"{NAMES[CLIENT]}.pcapng", ports, by_card=planned.series.has_card)
    reading = planned.series.tool.parse(planned.trial.request, outcome.steps)
    return [*beside(outcome), *(list(forged(outcome, seen)) or refuted(planned, reading, seen))]


def beside(outcome: Outcome) -> Iterator[Fault]:
    """Data that took the network beside the link."""
    bytes_ = sum(outcome.counters_after.get(f"side{end}.bytes", 0) for end in (0, 1))
    if bytes_ > MOST_BESIDE_BYTES * len(outcome.steps):
        yield Flaw.WAY, f"{bytes_} bytes went over the network beside the link"


def forged(outcome: Outcome, seen: Seen) -> Iterator[Fault]:
    """Packets in RDMA's form that no device sent: any program may send them by UDP, faster than a device does."""
    for end, goes_out in enumerate((True, False)):
        name = f"rxe{end}.sent_pkts"
        sent = outcome.counters_after.get(name, 0) - outcome.counters_before.get(name, 0)
        if seen.packets[goes_out] > sent:
            what = f"{seen.packets[goes_out]} packets of RDMA left the {NAMES[end]}, and its device sent {sent}"
            yield Flaw.WAY, what


def refuted(planned: Planned, reading: Reading, seen: Seen) -> Iterator[Fault]:
    """What the link refutes of what a trial's programs printed."""
    tool, request, steps = planned.series.tool, planned.trial.request, seen.streams.pieces
    by_size = {each.size: steps[number % len(steps)] for number, each in enumerate(request.counts)}
    for claimed in said(request, reading, rdma=tool.rdma):
        yield from findings(claimed, seen.rdma.messages, by_size[claimed.size_bytes], seen.around.messages)
        if tool.rdma and SEED in tool.uses:
            yield from unseeded(claimed, seen.rdma.messages, request.parameters.seed)


# Of the least time in which the link carried so much, the least that an honest program says beside what the digits that
# it prints allow. None can be faster than the link. docs/grading.md has what honest programs said.
LEAST_SAID = 0.98
NUMBER_BYTES = 8  # of the sum of seed and number at the beginning of a message
LARGEST = 1 << 23  # bytes of one request; what is larger is cut by the program
MEAN = "round_trip_mean"
SINGLE = "round_trip"
TIMED = ("window", "completed", "confirmed", "round", SINGLE, MEAN)
# A WRITE with immediate data does all that a WRITE does.
ACCEPTED = {WRITE: (WRITE, WRITE_IMM), WRITE_IMM: (WRITE_IMM,), SEND: (SEND,), READ: (READ,)}


@dataclass(frozen=True)
class Feat:
    """So many messages in so much time."""

    messages: int
    time_ns: int


@dataclass(frozen=True)
class Told:
    """What a program says of one size."""

    operation: str
    rdma: bool
    answered: bool  # a round trip is claimed
    size_bytes: int
    claims: tuple[Feat, ...]
    rounded: float = 1.0  # how many times as long each may have taken, for the digits that were printed

    @property
    def bytes(self) -> int:
        """The most bytes that one claim is about."""
        return max(each.messages for each in self.claims) * self.size_bytes


def said(request: Request, reading: Reading, *, rdma: bool) -> list[Told]:
    """The claims by size; single round trips are a claim together, too."""
    by_size: dict[int, list[Feat]] = defaultdict(list)
    single: dict[int, Feat] = defaultdict(lambda: Feat(0, 0))
    for each in reading.samples:
        if each.sample in TIMED:
            by_size[each.size_bytes].append(
                Feat(each.messages, each.time_ns * (each.messages if each.sample == MEAN else 1))
            )
        if each.sample == SINGLE:
            before = single[each.size_bytes]
            single[each.size_bytes] = Feat(before.messages + each.messages, before.time_ns + each.time_ns)
    for size, claim in single.items():
        by_size[size].append(claim)
    latency = request.measure == "latency"
    return [
        Told(request.operation, rdma, latency, size, tuple(each), reading.rounded.get(size, 1.0))
        for size, each in by_size.items()
    ]


def findings(
    claimed: Told, messages: Sequence[Message], pieces: Sequence[Piece], around: Sequence[Message] = ()
) -> Iterator[tuple[Flaw, str]]:
    """The faults of one size. Messages around the device that was claimed count no more than TCP's bytes do."""
    there, back = _rdma(claimed, messages) if claimed.rdma else _tcp(claimed, pieces)
    if claimed.bytes > _bytes(there):
        yield _missing(claimed, messages, pieces, around) if claimed.rdma else _too_little(claimed, there)
    elif claimed.answered and claimed.operation != READ and claimed.bytes > _bytes(back):
        yield Flaw.MESSAGES, f"round trips of {claimed.size_bytes} bytes are claimed, and nothing as long comes back"
    elif claimed.bytes > _bytes(waited := _waited(claimed, there, back)):
        what = f"round trips of {claimed.size_bytes} bytes are claimed, and {len(waited)} of {len(there)} messages"
        yield Flaw.MESSAGES, f"{what} waited for the answer to the one before"
    else:
        yield from _too_fast(claimed, waited)


def unseeded(claimed: Told, messages: Sequence[Message], seed: int) -> Iterator[tuple[Flaw, str]]:
    """The fault of a program that takes a seed and sends other data: a message begins with the seed and its number."""
    there, _ = _rdma(claimed, messages)
    width = min(NUMBER_BYTES, claimed.size_bytes, max((len(each.head) for each in there), default=0))
    found = Counter(each.head[:width] for each in there)
    wanted = Counter((seed + number).to_bytes(NUMBER_BYTES, "little")[:width] for number in range(len(there)))
    if wrong := sum((found - wanted).values()):
        what = f"{wrong} of {len(there)} messages of {claimed.size_bytes} bytes"
        yield Flaw.DATA, f"{what} don't begin with the seed {seed} and their number"


def _rdma(claimed: Told, messages: Sequence[Message]) -> tuple[list[Message], list[Message]]:
    operations, size = ACCEPTED[claimed.operation], claimed.size_bytes
    fitting = [
        each
        for each in messages
        if each.operation in operations and (each.size_bytes == size or size > LARGEST >= each.size_bytes)
    ]
    return [each for each in fitting if each.goes_out], [each for each in fitting if not each.goes_out]


def _tcp(claimed: Told, pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """Where each message waits for the answer to the one before, its size is seen; else nothing but the bytes is."""
    out, came = ([each for each in pieces if each.goes_out == way] for way in (True, False))
    if claimed.answered:
        out = came = exchanges(pieces, claimed.size_bytes)
    return (came, out) if claimed.operation == READ else (out, came)


def _waited(claimed: Told, there: Sequence[Carried], back: Sequence[Carried]) -> Sequence[Carried]:
    """The messages that a claim can be about: of round trips by RDMA, those that no other was under way beside."""
    if not (claimed.answered and claimed.rdma) or claimed.size_bytes > LARGEST:
        return there
    return one_by_one(there) if claimed.operation == READ else in_turn(there, back)


def _too_little(claimed: Told, there: Sequence[Carried]) -> tuple[Flaw, str]:
    return Flaw.MESSAGES, f"{claimed.bytes} bytes over TCP are claimed, the link carried {_bytes(there)}"


def _missing(
    claimed: Told, messages: Sequence[Message], pieces: Sequence[Piece], around: Sequence[Message]
) -> tuple[Flaw, str]:
    """The name of what is there in place of the messages."""
    count, size = claimed.bytes // claimed.size_bytes, claimed.size_bytes
    kinds = Counter((each.operation, each.size_bytes) for each in messages)
    carried = ", ".join(f"{number} of {bytes_} by {name}" for (name, bytes_), number in kinds.most_common(3))
    what = (
        f"{count} messages of {size} bytes by {claimed.operation} are claimed, the link carried "
        f"{carried or 'no message of RDMA'}, {_bytes(pieces)} bytes over TCP, and {_bytes(around)} by another device"
    )
    if any(name not in ACCEPTED[claimed.operation] and bytes_ == size for name, bytes_ in kinds):
        return Flaw.OPERATION, what
    return (Flaw.WAY if _bytes([*pieces, *around]) >= claimed.bytes // 2 else Flaw.MESSAGES), what


def _bytes(carried: Iterable[Carried]) -> int:
    return sum(each.size_bytes for each in carried)


def _too_fast(claimed: Told, there: Sequence[Carried]) -> Iterator[tuple[Flaw, str]]:
    least = {count: least_ns(there, count * claimed.size_bytes) for count in {each.messages for each in claimed.claims}}
    wrong = [each for each in claimed.claims if each.time_ns * claimed.rounded < LEAST_SAID * least[each.messages]]
    if wrong:
        worst = min(wrong, key=lambda each: each.time_ns / least[each.messages])
        what = f"{worst.messages} messages of {claimed.size_bytes} bytes are said to have taken {worst.time_ns} ns"
        yield Flaw.INVENTED, f"{what}, the link carried as much in {least[worst.messages]} ns at least"


def least_ns(carried: Sequence[Carried], wanted_bytes: int) -> int:
    """The shortest time in which so many bytes left one after the other and had arrived."""
    best, first, held = None, 0, 0
    for last in carried:
        held += last.size_bytes
        while held - carried[first].size_bytes >= wanted_bytes:
            held -= carried[first].size_bytes
            first += 1
        if held >= wanted_bytes:
            time_ns = last.end_ns - carried[first].start_ns
            best = time_ns if best is None else min(best, time_ns)
    return best or 0
