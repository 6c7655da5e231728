"""What several computers sent for an all-reduce in a ring, by the link's log at rank 0 and the counters."""

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from lab.errors import plural
from lab.grade.finding import Fault, Flaw
from lab.grade.witness.messages import Message, shortest_ns
from lab.grade.witness.packets import ACCEPTED, SEND, WRITE, WRITE_IMM
from lab.model.trial import Outcome
from lab.plan.plan import Planned
from lab.submission.assignment import TaskStep

NUMBER_BYTES = 8  # at most: a vector is a whole number of these
MOST_SENT, MORE_BYTES = 1.25, 256  # of the necessary bytes; and for each message, besides them
LEAST_CLAIMED = 0.98  # of the time in which the link carried the bytes: printed times are rounded
Claimed = tuple[int, int, int]  # the size of some vectors, their number, and the time for all of them in ns


def ring_faults(
    planned: Planned, outcome: Outcome, messages: Sequence[Message], step: TaskStep, claims: Iterable[Claimed]
) -> Iterator[Fault]:
    """The faults of what was sent: each computer sends all chunks but one in each turn, and no more."""
    ranks, request, silent = planned.series.link.computers, planned.trial.request, planned.series.tool.silent
    others, turns, least, most = ranks - 1, 0, 0, 0.0
    for count in request.counts:
        turns = step.turns * (step.sends + (0 if silent else count.iterations))
        least += turns * others * _least_chunk(count.size, ranks)
        most += turns * others * (MOST_SENT * (count.size / ranks + NUMBER_BYTES) + MORE_BYTES)
    accepted = (SEND, WRITE, WRITE_IMM) if step.segment else ACCEPTED[request.operation]
    out = [message for message in messages if message.goes_out]
    carriers = [message for message in out if message.operation in accepted]
    carried, sent = (sum(message.size_bytes for message in each) for each in (carriers, out))
    if carried < least:
        kind = Flaw.OPERATION if sent >= least else Flaw.MESSAGES
        what = f"rank 0 sent {carried} bytes by {request.operation}, and {sent - carried} otherwise"
        yield kind, f"{what}; {ranks} computers in a ring send {least} each"
        return
    for rank in range(1, ranks):
        if (counted := outcome.counters_after.get(f"rank{rank}.link0.bytes", 0)) < least:
            yield Flaw.MESSAGES, f"rank {rank} sent {counted} bytes; {ranks} computers in a ring send {least} each"
    if sent > most:
        what = f"rank 0 sent {sent} bytes; {ranks} computers in a ring send {least} each"
        yield Flaw.METHOD, f"{what}: in each step a chunk to the next rank, not whole vectors to all"
    yield from _method_faults(carriers, step, least, max(count.size for count in request.counts), ranks)
    yield from _time_faults(carriers, step, claims, ranks)


def _least_chunk(size: int, ranks: int) -> int:
    return size // NUMBER_BYTES // ranks * NUMBER_BYTES


def _time_faults(carriers: Sequence[Message], step: TaskStep, claims: Iterable[Claimed], ranks: int) -> Iterator[Fault]:
    """The claimed times in which the link did not even begin to carry the last of so many chunks."""
    start = attrgetter("start_ns")
    ordered = sorted(carriers, key=start)
    for size, vectors, time_ns in claims:
        needed = max(1, vectors * step.turns * (ranks - 1) * _least_chunk(size, ranks))
        chunks = [item for item in ordered if item.size_bytes <= size // ranks + NUMBER_BYTES]
        if time_ns < LEAST_CLAIMED * (took_ns := shortest_ns(chunks, needed, until=start)):
            what = f"the program claims {plural(vectors, 'vector')} of {size} bytes in {time_ns} ns"
            yield Flaw.INVENTED, f"{what}; the link carries their chunks in {took_ns} ns at least"


def _method_faults(
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
        direct = sum(item.size_bytes for item in carriers if step.into <= item.address < end)
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
