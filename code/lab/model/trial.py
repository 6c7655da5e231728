"""A trial, the job that it runs, and the card that it may use. docs/experiments.md and docs/cards.md explain the link's
keys and the card's parameters."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from lab.typed_json import JsonTable, Limits, Typed

_TIME = Limits(least=0, most=1_000_000_000)
MOST_COMPUTERS = 16


@dataclass(frozen=True)
class Card:
    """The parameters of a modelled card and of the wire between two of them. Times are of the link's clock."""

    name: str
    rate_bit_s: Annotated[int, Limits(least=1_000_000, most=400_000_000_000)]
    wire_ns: Annotated[int, Limits(least=100, most=1_000_000_000)]
    header_bytes: Annotated[int, Limits(least=0, most=1000)]
    bus_bit_s: Annotated[int, Limits(least=0, most=1_000_000_000_000)]
    doorbell_ps: Annotated[int, _TIME]
    fetch_ps: Annotated[int, _TIME]
    write_ps: Annotated[int, _TIME]
    gap_ps: Annotated[int, _TIME]
    block_ps: Annotated[int, _TIME]
    ack_ps: Annotated[int, _TIME]
    irq_ps: Annotated[int, _TIME]
    knee_permille: Annotated[int, Limits(least=0, most=1000)] = 0

    @property
    def kernel_ns(self) -> int:
        """One way for a frame of the kernel: doorbell, fetch, wire, write and interrupt."""
        return self.wire_ns + (self.doorbell_ps + self.fetch_ps + self.write_ps + self.irq_ps) // PS_PER_NS

    @property
    def words(self) -> dict[str, int]:
        """The parameters of the devices in the VMs; those of WIRES are the link's."""
        return {f"card_{name}": value for name, value in vars(self).items() if name not in WIRES}


PS_PER_NS = 1000
NS_PER_S = 1_000_000_000
LARGEST_PACKET = 4096 + 20  # of a card, without header_bytes: the payload, and the headers of a WRITE with immediate
WIRES = ("name", "rate_bit_s", "wire_ns")
PARAMETERS = tuple(each.name for each in fields(Card) if each.name != "name")

LAUNCHER = "orterun"
PLAIN = "orterun"  # starts both ranks on its host
ECHO = "/bin/echo"  # the remote shell of a launcher that only prints the command of its daemon
DAEMON = ("orted",)  # as a step's server: the first line that the client prints completes its command

CARD_NAME = Limits(pattern="[a-z0-9][a-z0-9_.-]{0,59}", expected="the name of a file in experiments/cards")


@dataclass(frozen=True)
class Link:
    """The link model, on sites that have one. The keys of a series replace those of the file."""

    mtu: Annotated[int, Limits(least=576, most=65_535)] = 4200
    rate_bit_s: Annotated[int | None, Limits(least=1000, most=400_000_000_000)] = None
    delay_ns: Annotated[int, Limits(least=0, most=10_000_000_000, multiple_of=1000)] = 0
    loss_ppm: Annotated[int, Limits(least=0, most=1_000_000)] = 0
    loss_seed: Annotated[int, Limits(least=1, most=2**63 - 1)] = 1
    offload: bool = True
    clock_offset_ns: Annotated[int, Limits(least=-10_000_000_000, most=10_000_000_000)] = 0
    clock_drift_ppm: Annotated[int, Limits(least=-500, most=500)] = 0
    card: Annotated[Card | None, Typed(str), CARD_NAME] = None

    computers: Annotated[int, Limits(least=2, most=MOST_COMPUTERS)] = 2
    queue_bytes: Annotated[int, Limits(least=0, most=1_000_000_000)] = 0
    pfc: bool = False
    ecn: bool = False

    @property
    def cable_ns(self) -> int:
        """The latency of each of the two cables between two cards with a switch."""
        return self.card.wire_ns // 2 if self.card else 0

    @property
    def xoff_bytes(self) -> int:
        """The bytes in all queues of the switch from which it tells a card to pause. Half of each queue is for packets
        of the other cards, of which each has this share. What a card sends until it is told, and two packets, of which
        one exceeds this and one has begun, must have room in it too. Less than a packet: there is no such number."""
        return self.queue_bytes // 2 // (self.computers - 1) - self._told_late_bytes

    @property
    def least_queue_bytes(self) -> int:
        """The smallest queue for flow control."""
        return 2 * (self.computers - 1) * (self._told_late_bytes + self._packet_bytes)

    @property
    def mark_bytes(self) -> int:
        """A packet is marked if it makes a queue of the switch longer. With flow control, this is at most half of what
        all cards together may have in it before they pause, but at least two packets."""
        if not self.pfc:
            return self.queue_bytes // 4
        return max(2 * self._packet_bytes, (self.computers - 1) * self.xoff_bytes // 2)

    @property
    def least_marking_queue_bytes(self) -> int:
        """The smallest queue for marks: two packets can wait without one."""
        return 4 * 2 * self._packet_bytes

    @property
    def notify_ns(self) -> int:
        """The least time between two notifications to a queue pair: a full queue and a round trip, after which the
        receiver sees the effect of the last one."""
        waiting = (self.queue_bytes + 2 * self._packet_bytes) * 8 * NS_PER_S // (self.rate_bit_s or NS_PER_S)
        return waiting + 4 * self.cable_ns

    @property
    def _packet_bytes(self) -> int:
        return (self.card.header_bytes if self.card else 0) + LARGEST_PACKET

    @property
    def _told_late_bytes(self) -> int:
        return (2 * self.cable_ns + 2) * (self.rate_bit_s or 0) // (8 * NS_PER_S) + 2 * self._packet_bytes

    @property
    def sets_clock(self) -> bool:
        return bool(self.clock_offset_ns or self.clock_drift_ppm)

    @property
    def is_modelled(self) -> bool:
        """Whether the link needs more than an MTU, which is all that a real link offers."""
        of_wire = self.rate_bit_s or self.delay_ns or self.loss_ppm or self.queue_bytes
        return bool(of_wire or self.sets_clock or self.card) or not self.offload

    @property
    def table(self) -> dict[str, int | Card | None]:
        """The fields in keys and records; without later ones that are not set, since older records lack them."""
        return {name: value for name, value in vars(self).items() if value != LATER.get(name, ())}


LATER = {"clock_offset_ns": 0, "clock_drift_ppm": 0, "card": None, "computers": 2, "queue_bytes": 0}
LATER |= {"pfc": False, "ecn": False}
PORT = Limits(least=1, most=65_535)


@dataclass(frozen=True)
class Ready:
    """When the client starts. Without this table: once the server listens on `{port}`, over TCP or rdma_cm."""

    tcp: Annotated[int, PORT] = 0
    cm: Annotated[int, PORT] = 0
    line: Annotated[str, Limits(shortest=1)] = ""
    after_s: Annotated[int | float, Limits(above=0, most=600)] = 0


MARK = "@printed{}@"  # in a client's command: a value that the server prints, by its number


@dataclass(frozen=True)
class Step:
    """One server and one client process, as argv; or, as the client, a launcher of both ends; or a process on each of
    several computers, of which the client is the first."""

    server: tuple[str, ...]  # with a launcher: empty, or DAEMON
    client: tuple[str, ...]
    port: int  # TCP port that the server must be listening on before the client starts
    ready: Ready | None = None  # or another sign
    printed: tuple[str, ...] | None = None  # the client starts once the server has printed a value after each
    ranks: tuple[tuple[str, ...], ...] | None = None  # the processes of all computers

    @property
    def sign(self) -> Ready:
        return self.ready or Ready(tcp=self.port)

    @classmethod
    def launched(cls, launcher: tuple[str, ...]) -> "Step":
        return cls((), launcher, 0)


DIRECTORY = "/lab/bin"  # the site's folder of programs under test
OVER_CARD = f"{DIRECTORY}/over-card"  # precedes a program whose messages take the modelled card
PADDING = "LAB_PADDING"  # the variable that makes the environment longer


def place_under_test(command: Sequence[str]) -> int:
    """The index of the program under test in a command; 0 without one."""
    return next((i for i, word in enumerate(command) if word.startswith(f"{DIRECTORY}/") and word != OVER_CARD), 0)


@dataclass(frozen=True)
class Perturbation:
    start_delay_ns: int = 0
    environment_bytes: int = 0


@dataclass(frozen=True)
class Job:
    """The input of a site for one trial."""

    steps: tuple[Step, ...]
    link: Link
    perturbation: Perturbation
    deadline_s: int  # seconds of the site's clock for the whole job
    environment: tuple[tuple[str, str], ...] = ()
    overlay: tuple[Path, ...] = ()  # programs under test, put at DIRECTORY
    untrusted: bool = False  # the programs are a student's: a VM runs them in a sandbox

    @property
    def takes_card(self) -> bool:
        return any(OVER_CARD in (*step.server, *step.client) for step in self.steps)

    @property
    def is_switched(self) -> bool:
        """Whether a switch joins the computers, each of which has a process."""
        return any(step.ranks for step in self.steps)

    @property
    def computers(self) -> int:
        """The number of ends that have a process."""
        return self.link.computers if self.is_switched else 2


DEADLINE_STATUS = 124  # after the deadline, as timeout(1) has it


@dataclass(frozen=True)
class StepOutcome:
    client_out: str
    client_err: str
    server_out: str
    server_err: str
    client_status: int  # exit status; 128+n for signals; DEADLINE_STATUS
    server_status: int
    clock_start_ns: int  # the site's CLOCK_MONOTONIC around the step
    clock_end_ns: int


class Counters:
    """Counters before and after a job, by flat names: v0.rx_bytes, lo.rx_bytes, rxe0.sent_pkts."""

    counters_before: dict[str, int]
    counters_after: dict[str, int]

    @property
    def grown(self) -> dict[str, int]:
        return {name: count - self.counters_before.get(name, 0) for name, count in self.counters_after.items()}


@dataclass(frozen=True)
class Outcome(Counters):
    steps: tuple[StepOutcome, ...]
    counters_before: dict[str, int]
    counters_after: dict[str, int]
    clock_start_ns: int
    clock_end_ns: int
    console: str
    host_seconds: float
    state: JsonTable = field(default_factory=dict)  # of both ends: recorded, never compared

    @property
    def failed(self) -> bool:
        return any(step.client_status or step.server_status for step in self.steps)


PLACEHOLDER = "@client."  # before the name of a value of the client's end


@dataclass(frozen=True)
class End:
    host: str  # address
    device: str  # RDMA device name, or ""
    interface: str
    gid: str = ""  # the index of the address in the device's GID table, or ""

    def beside(self, rank: int) -> "End":
        """The computer of a rank, if this one has rank 0: their addresses follow each other, or a site replaces the
        placeholder of each when it runs."""
        if self.host.startswith(PLACEHOLDER):
            return End(*(value.replace(PLACEHOLDER, f"@rank{rank}.") for value in vars(self).values()))
        return replace(self, host=str(ip_address(self.host) + rank))


@dataclass(frozen=True)
class Ends:
    """Both ends, the address of the reference tools' TCP side channel, and the ends of more computers, unless their
    addresses follow from the client's."""

    client: End
    server: End
    side_channel: str
    launcher: str = PLAIN  # of MPI's ranks: a name of programs.launchers
    others: tuple[End, ...] = ()

    def first(self, computers: int) -> list[End]:
        """The ends of the first computers by their ranks."""
        known = (self.client, self.server, *self.others)[:computers]
        return [*known, *map(self.client.beside, range(len(known), computers))]
