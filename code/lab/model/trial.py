"""A trial, the job that it runs, and the card that it may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from lab.typed_json import JsonTable


@dataclass(frozen=True)
class Card:
    """The parameters of one card, and of the wire between two of them; times are of the link's own clock."""

    name: str
    rate_bit_s: int  # of the wire
    wire_ns: int  # one way
    header_bytes: int  # of each packet beside its payload
    bus_bit_s: int  # payload between memory and card; 0: no limit
    doorbell_ps: int  # a store of the processor's until the card has it
    fetch_ps: int  # the card reads memory: there and back
    write_ps: int  # the card's write until memory has it
    gap_ps: int  # the card's work for each message
    block_ps: int  # the same for each 64 bytes of a request that carries its data
    ack_ps: int  # from a message's last byte to its acknowledgement
    irq_ps: int  # from a completion to the processor's interrupt

    @property
    def kernel_ns(self) -> int:
        """One way for a frame of the kernel's: the card is rung for it, fetches it, writes it, and interrupts."""
        return self.wire_ns + (self.doorbell_ps + self.fetch_ps + self.write_ps + self.irq_ps) // PS_PER_NS

    @property
    def words(self) -> dict[str, int]:
        """What the devices in the machines are told; the wire itself is told rate and propagation."""
        return {f"card_{name}": value for name, value in vars(self).items() if name not in WIRES}


PS_PER_NS = 1000
WIRES = ("name", "rate_bit_s", "wire_ns")
PARAMETERS = tuple(each.name for each in fields(Card) if each.name != "name")


PLAIN = "orterun"  # starts both ranks on its own computer
ECHO = "/bin/echo"  # the remote shell of a launcher that only prints the command of its daemon
DAEMON = ("orted",)  # as a step's server: the rest of its words is the first line that the client prints


@dataclass(frozen=True)
class Link:
    """A link model, applied to the cable before the first step."""

    mtu: int = 4200  # bytes of IP per frame
    rate_bit_s: int | None = None
    delay_ns: int = 0
    loss_ppm: int = 0
    loss_seed: int = 1
    offload: bool = True
    clock_offset_ns: int = 0  # by which the server's clock is ahead of the client's at first
    clock_drift_ppm: int = 0  # by which it is too fast
    card: Card | None = None  # one in each computer, with the rate and the propagation of its wire

    @property
    def sets_clock(self) -> bool:
        """Whether the ends' clocks shall differ."""
        return bool(self.clock_offset_ns or self.clock_drift_ppm)

    @property
    def is_modelled(self) -> bool:
        """Whether it asks for more than a length of frames; a real link gives no more."""
        return (
            bool(self.rate_bit_s or self.delay_ns or self.loss_ppm or self.sets_clock or self.card) or not self.offload
        )

    @property
    def table(self) -> dict[str, int | Card | None]:
        """What keys and records have of it: of clocks and cards what is set, since older ones know of neither."""
        return {name: value for name, value in vars(self).items() if value or not name.startswith(("clock_", "card"))}


@dataclass(frozen=True)
class Ready:
    """What shows that a server can be called, whichever comes first."""

    tcp: int = 0  # a TCP port on which somebody listens
    cm: int = 0  # a port of the RDMA connection manager
    line: str = ""  # a text in what the server prints
    after_s: int | float = 0  # seconds since its start


@dataclass(frozen=True)
class Step:
    """One server and one client process, as argv; or a launcher, as the client, that starts both ends itself."""

    server: tuple[str, ...]  # none, or DAEMON, beside a launcher
    client: tuple[str, ...]
    port: int  # TCP port that the server must be listening on before the client starts
    ready: Ready | None = None  # or another sign

    @property
    def sign(self) -> Ready:
        """What must be seen of the server before the client starts."""
        return self.ready or Ready(tcp=self.port)

    @classmethod
    def launched(cls, launcher: tuple[str, ...]) -> Step:
        """A step of a single command."""
        return cls((), launcher, 0)


DIRECTORY = "/lab/bin"  # the site's folder of programs under test
OVER_CARD = f"{DIRECTORY}/over-card"  # stands before a program whose messages take the modelled card
PADDING = "LAB_PADDING"  # the variable that makes the environment longer
NS_PER_S = 1_000_000_000


def place_under_test(command: Sequence[str]) -> int:
    """Where the program under test stands in a command; 0 where there is none."""
    ours = (place for place, word in enumerate(command) if word.startswith(f"{DIRECTORY}/") and word != OVER_CARD)
    return next(ours, 0)


@dataclass(frozen=True)
class Perturbation:
    """The start of a repetition."""

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
    stranger: bool = False  # those are a student's own: a machine that runs them shuts them in

    @property
    def takes_card(self) -> bool:
        """Whether the messages of a program take the modelled card."""
        return any(OVER_CARD in (*step.server, *step.client) for step in self.steps)


DEADLINE_STATUS = 124  # after the deadline, as timeout(1) has it


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of one pair of processes."""

    client_out: str
    client_err: str
    server_out: str
    server_err: str
    client_status: int  # exit status; 128+n for signals; DEADLINE_STATUS
    server_status: int
    clock_start_ns: int  # the site's own clock (CLOCK_MONOTONIC there) around the step
    clock_end_ns: int


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job."""

    steps: tuple[StepOutcome, ...]
    counters_before: dict[str, int]  # flat names: v0.rx_bytes, lo.rx_bytes, rxe0.sent_pkts
    counters_after: dict[str, int]
    clock_start_ns: int
    clock_end_ns: int
    console: str
    host_seconds: float
    state: JsonTable = field(default_factory=dict)  # of both ends: recorded, never compared

    @property
    def failed(self) -> bool:
        """Whether a program failed."""
        return any(step.client_status or step.server_status for step in self.steps)


@dataclass(frozen=True)
class End:
    """One end of the data link, as the programs name it."""

    host: str  # address of the data link
    device: str  # RDMA device name, or ""
    interface: str
    gid: str = ""  # the number of the address in the device's table of GIDs, or ""


@dataclass(frozen=True)
class Ends:
    """Both ends, and where peers open their TCP side channel."""

    client: End
    server: End
    side_channel: str
    launcher: str = PLAIN  # the way to start MPI's ranks there: a name of programs.launchers
