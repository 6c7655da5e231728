"""A trial run once more, its link watched."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lab.grade.finding import Flaw
from lab.grade.witness.claims import findings, said, unseeded
from lab.grade.witness.decoding import decoded
from lab.grade.witness.messages import Assembly
from lab.grade.witness.packets import Packet, Segment
from lab.grade.witness.streams import Streams
from lab.machine import frames
from lab.machine.ends import CLIENT, NAMES
from lab.model.trial import Outcome
from lab.plan.plan import Planned, SiteFacts
from lab.programs.request import Reading
from lab.run.measure import judge
from lab.sites import Witness

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
        for frame in frames.read(log):
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
