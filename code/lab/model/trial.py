"""A trial, the job that it runs, and the card that it may use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated

from lab.typed_json import About, JsonTable, Limits, Typed

_TIME = Limits(least=0, most=1_000_000_000)


@dataclass(frozen=True)
class Card:
    """The parameters of one card, and of the wire between two of them; times are of the link's own clock."""

    name: str
    rate_bit_s: Annotated[
        int,
        Limits(least=1_000_000, most=100_000_000_000),
        About("Bits per second that the wire carries, after its line code."),
    ]
    wire_ns: Annotated[int, Limits(least=100, most=1_000_000_000), About("Cable and switch, one way, in ns.")]
    header_bytes: Annotated[
        int, Limits(least=0, most=1000), About("Bytes of each packet on the wire beside its payload.")
    ]
    bus_bit_s: Annotated[
        int,
        Limits(least=0, most=1_000_000_000_000),
        About("Bits of payload per second between memory and card; 0: no limit."),
    ]
    doorbell_ps: Annotated[int, _TIME, About("From the processor's store until the card has it, in ps.")]
    fetch_ps: Annotated[int, _TIME, About("The card reads the computer's memory: there and back, in ps.")]
    write_ps: Annotated[int, _TIME, About("From the card's write until memory has it, in ps.")]
    gap_ps: Annotated[int, _TIME, About("The card's work for each message, in ps: its message rate.")]
    block_ps: Annotated[
        int, _TIME, About("The card's work for each 64 bytes of a request that carries its data, in ps.")
    ]
    ack_ps: Annotated[int, _TIME, About("From a message's last byte until its acknowledgement leaves, in ps.")]
    irq_ps: Annotated[int, _TIME, About("From a completion until the processor is interrupted, in ps.")]

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


CARD_NAME = Limits(pattern="[a-z0-9][a-z0-9_.-]{0,59}", expected="the name of a file in experiments/cards")


@dataclass(frozen=True)
class Link:
    """The model of the cable, on the sites that make one. A series' own table adds to the file's."""

    mtu: Annotated[
        int,
        Limits(least=576, most=65_535),
        About("Bytes of IP in each frame. 4200 holds RDMA's largest packets.", "1500"),
    ] = 4200
    rate_bit_s: Annotated[
        int | None,
        Limits(least=1000, most=100_000_000_000),
        About(
            "Bits per second on the wire, headers included. Without it: as fast as the software goes.", "1_000_000_000"
        ),
    ] = None
    delay_ns: Annotated[
        int,
        Limits(least=0, most=10_000_000_000, multiple_of=1000),
        About("Delay each way, in ns. The kernel (netem) takes whole microseconds.", "50_000"),
    ] = 0
    loss_ppm: Annotated[int, Limits(least=0, most=1_000_000), About("Packets lost of each million.", "100")] = 0
    loss_seed: Annotated[
        int, Limits(least=1, most=2**63 - 1), About("Which packets are lost: the same seed loses the same ones.", "3")
    ] = 1
    offload: Annotated[bool, About("Whether TCP hands large segments to the interface.", "false")] = True
    clock_offset_ns: Annotated[
        int,
        Limits(least=-10_000_000_000, most=10_000_000_000),
        About(
            "By how much the clock of the server's computer is ahead at first, for programs that compare clocks: "
            "CLOCK_REALTIME. Only where each end has a computer of its own that Verbyte makes, and so a clock.",
            "250_000",
        ),
    ] = 0
    clock_drift_ppm: Annotated[
        int,
        Limits(least=-500, most=500),
        About(
            "By how many millionths that clock is too fast: CLOCK_REALTIME and CLOCK_MONOTONIC. The lab's own "
            "programs measure by CLOCK_MONOTONIC_RAW.",
            "20",
        ),
    ] = 0
    card: Annotated[
        Card | None,
        Typed(str),
        CARD_NAME,
        About(
            "A modelled RDMA card in each computer, by the name of its file in `experiments/cards`, which gives the "
            "rate and the propagation of the wire too. On exact alone: docs/cards.md.",
            '"qdr"',
        ),
    ] = None

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


PORT = Limits(least=1, most=65_535)


@dataclass(frozen=True)
class Ready:
    """When a server can be called. Without this table: once somebody listens on `{port}`, over TCP or rdma_cm."""

    tcp: Annotated[int, PORT, About("Somebody listens on this TCP port.", "18515")] = 0
    cm: Annotated[int, PORT, About("Somebody listens on this port of the RDMA connection manager.", "7471")] = 0
    line: Annotated[str, Limits(shortest=1), About("The server has printed this text.", '"waiting"')] = ""
    after_s: Annotated[
        int | float, Limits(above=0, most=600), About("So many seconds have passed since its start.", "0.5")
    ] = 0


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
    """Where the program under test is in a command; 0 where there is none."""
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
