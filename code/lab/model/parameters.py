"""The parameters of a series of trials, each with its type and its default."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Annotated, Literal

from lab.model.sizes import LARGEST, LONGEST_LIST, parse_size, parse_sizes
from lab.options import limits, number, word
from lab.typed_json import Limits, Typed

AutoNumber = int | Literal["auto"]
# `limits` finds those of the option by the field's name.
Choice = Annotated[AutoNumber, limits]
Scalar = int | str | bool
Given = Scalar | Sequence[int | str]  # of a key of [parameters]

BYTE_COUNTS = ("send_buffer", "receive_buffer")
ROUNDS = ("until_stable", "stable_window", "rounds_cap")


@dataclass(frozen=True)
class RoundLimits:
    target: float  # the largest difference of rounds, as a fraction
    window: int  # rounds that must agree
    cap: int  # the largest number of rounds


COUNT = Limits(least=1, most=1_000_000_000)
COUNT_OR_NONE = Limits(least=0, most=1_000_000_000)
Message = Annotated[int, Limits(least=1, most=1 << 40)]
Bytes = (
    Annotated[int, Limits(least=0, most=LARGEST)]
    | Annotated[str, Limits(pattern="[0-9]{1,19}[KMGkmg]?", expected='a text such as "64K"')]
)
Sizes = Annotated[
    Message
    | Annotated[str, Limits(shortest=1, longest=100_000)]
    | Annotated[tuple[Message | Annotated[str, Limits(longest=100)], ...], Limits(shortest=1, longest=LONGEST_LIST)],
    Limits(expected='sizes such as 64, "1..1M*2" or [1, "64K"], 1 byte to 1 TiB each, 4096 of them at most'),
]


@dataclass(frozen=True)
class Parameters:
    """The parameters of a trial. A program reads the keys that concern it: see Programs below."""

    sizes: Annotated[
        tuple[int, ...],
        Typed(Sizes),
        "Message sizes in bytes. K, M and G are powers of 1024. `1..1M*2` doubles, `16M..64M+16M` adds, commas join.",
        '"1..1M*2"',
        '"1K,4K,100..1000+100"',
        '[1, 64, "64K"]',
    ] = ()
    iterations: Annotated[int, COUNT, "Timed messages of each size.", "50_000"] = number("iterations")
    warmup: Annotated[int, COUNT_OR_NONE, "Untimed messages before them.", "5_000"] = number("warmup")
    repetitions: Annotated[
        int, Limits(least=1, most=1000), "Trials of each point. Intervals need six or more.", "10"
    ] = 1
    windows: Annotated[
        int,
        limits,
        "Rows for each size of a throughput trial. Each row covers more of the messages, from the first on.",
        "40",
    ] = number("windows")
    least_time_s: Annotated[
        Choice,
        "Seconds that each size lasts at least; more messages fill them. `auto`: 1 on a wall clock, else 0.",
        "2",
        '"auto"',
    ] = "auto"
    duration_s: Annotated[
        int,
        limits,
        "Seconds that each size lasts, whatever its `iterations`; the middle half is measured. 0: until they are sent.",
        "4",
    ] = number("duration_s")
    until_stable: Annotated[
        int,
        limits,
        "Repeat a size in rounds until their throughput differs by at most this many per cent. 0: one round.",
        "1",
    ] = number("until_stable")
    stable_window: Annotated[int, limits, "How many of the last rounds must agree.", "5"] = number("stable_window")
    rounds_cap: Annotated[int, limits, "Rounds after which a size ends without agreement.", "16"] = number("rounds_cap")
    connection: Annotated[
        str,
        limits,
        "RDMA's kind of connection: reliable (RC), or UC or UD, where lost messages are counted. UD only sends, a "
        "packet at most.",
        '"uc"',
    ] = word("connection")
    pace: Annotated[
        int, limits, "RDMA messages per second at most, so that a receiver is not overrun. 0: no limit.", "100_000"
    ] = number("pace")
    pairs: Annotated[
        int,
        limits,
        "RDMA queue pairs that share the messages of each size, each with `tx_depth` (`peer_tx_depth`) and `rx_depth`.",
        "8",
    ] = number("pairs")
    completion_queues: Annotated[
        str, limits, "Whether all `pairs` share a completion queue, or each has its own.", '"each"'
    ] = word("completion_queues")
    streams: Annotated[int, limits, "TCP connections that share the messages of each size.", "4"] = number("streams")
    both: Annotated[bool, "Both ends send at once, each as many messages.", "true"] = False
    tx_depth: Annotated[int, limits, "Length of the send queue: requests in flight at most.", "512"] = number(
        "tx_depth"
    )
    rx_depth: Annotated[int, limits, "Length of the receive queue.", "512"] = number("rx_depth")
    post_list: Annotated[
        Choice, "Requests that one call posts to the device. `auto`: by the rule in docs/programs.md.", "16"
    ] = "auto"
    signal_every: Annotated[
        Choice, "One request in this many asks for a completion. `auto`: by the rule in docs/programs.md.", "64"
    ] = "auto"
    inline: Annotated[
        Choice,
        "Messages up to this many bytes travel inside the request. `auto`: 0 for throughput; for latency the device's "
        "limit, at most 220.",
        "64",
    ] = "auto"
    path_mtu: Annotated[Choice, "Bytes of data in each RDMA packet. `auto`: the port's active MTU.", "1024"] = "auto"
    relaxed_ordering: Annotated[
        str,
        limits,
        "Whether a device's writes to memory may pass each other on PCIe. `auto`: yes, but for latency of WRITE, whose "
        "receiver polls the last byte.",
        '"no"',
    ] = word("relaxed_ordering")
    timeout: Annotated[
        Choice,
        "A message without an acknowledgement is sent again after 4.096 us x 2^timeout; 0: never. `auto`: 18 (1.07 s) "
        "on Soft-RoCE, else 14 (67 ms).",
        "10",
    ] = "auto"
    rnr_timer: Annotated[
        int,
        limits,
        "InfiniBand's code of the time after which a message that met no receive request is sent again: 1 is 10 us, "
        "12 is 0.64 ms, 0 is 655 ms.",
        "12",
    ] = number("rnr_timer")
    tclass: Annotated[
        int, limits, "Traffic class of all RDMA packets. On RoCE v2 it is 4 times the DSCP that switches see.", "104"
    ] = number("tclass")
    sl: Annotated[int, limits, "InfiniBand's service level. On RoCE it is the priority of a VLAN's frames.", "3"] = (
        number("sl")
    )
    pkey_index: Annotated[int, limits, "Index of the partition in the table of P_Keys of each port.", "1"] = number(
        "pkey_index"
    )
    wait: Annotated[
        str, limits, "How an end waits: it spins, spins and gives way to others, or sleeps until an event.", '"event"'
    ] = word("wait")
    verify: Annotated[bool, "The receiver checks every byte where it arrived.", "true"] = False
    seed: Annotated[int, limits, "Where the pattern of the data begins.", "7"] = number("seed")
    nodelay: Annotated[bool, "TCP sends each message at once (TCP_NODELAY).", "true"] = False
    calls: Annotated[
        str, limits, "MPI calls: MPI_Send and MPI_Recv, or MPI_Isend and MPI_Irecv with MPI_Wait.", '"non-blocking"'
    ] = word("calls")
    send_buffer: Annotated[
        int, Typed(Bytes), limits, "Bytes of the socket's send buffer (SO_SNDBUF). 0 leaves it to the kernel.", '"1M"'
    ] = number("send_buffer")
    receive_buffer: Annotated[
        int,
        Typed(Bytes),
        limits,
        "Bytes of the socket's receive buffer (SO_RCVBUF). 0 leaves it to the kernel.",
        '"1M"',
    ] = number("receive_buffer")
    # The parameters of the reference tools are apart: their defaults differ from those of Verbyte's programs.
    peer_post_list: Annotated[int, COUNT, "The same as `post_list`, for perftest (`-l`).", "8"] = 1
    peer_tx_depth: Annotated[int, COUNT, "The same as `tx_depth`, for perftest (`-t`).", "1024"] = 128
    peer_cq_moderation: Annotated[
        int, Limits(least=0, most=1024), "The same as `signal_every`, for perftest (`-Q`). 0: perftest's default.", "64"
    ] = 0
    peer_no_peak: Annotated[bool, "perftest reads the clock once a size, not once a message (`-N`).", "true"] = False
    peer_seconds: Annotated[
        int,
        Limits(least=1, most=3600),
        "Seconds of each size with reference tools that count seconds, not messages.",
        "2",
    ] = 1
    wait_deadline_s: Annotated[
        int, limits, "Seconds that one wait of Verbyte's programs may last without progress.", "20"
    ] = 10
    deadline_s: Annotated[
        AutoNumber,
        Limits(least=1, most=86_400),
        "Seconds that the whole trial may last. `auto`: 120, or more for many bytes.",
        "60",
    ] = "auto"

    def with_values(self, values: Mapping[str, Given]) -> "Parameters":
        """These parameters with some of them replaced, as a TOML table spells them."""
        changed: Callable[..., Parameters] = partial(replace, self)
        return changed(**{name: _canonical(name, value) for name, value in values.items()})

    @property
    def round_limits(self) -> RoundLimits:
        return RoundLimits(self.until_stable / 100, self.stable_window, self.rounds_cap)


NAMES = tuple(each.name for each in fields(Parameters))


@dataclass(frozen=True)
class Counts:
    size: int
    iterations: int
    warmup: int


@dataclass(frozen=True)
class ProfileKeys:
    """The differences on one site: any key of `[parameters]`, and bounds for the number of messages."""

    why: Annotated[
        str,
        Limits(shortest=1, longest=2000),
        "Why the site needs other values. The report prints it. A series' own profile can do without.",
        '"A second of the VM costs several seconds of the host."',
    ]
    iterations_at_most: Annotated[int | None, COUNT, "No size has more iterations.", "2_000"] = None
    iterations_at_least: Annotated[int, COUNT, "No bound lowers the iterations below this.", "40"] = 1
    iterations_multiple_of: Annotated[
        int, COUNT, "A bound leaves a multiple of this many iterations, for programs that post whole lists.", "64"
    ] = 1
    depths_at_least: Annotated[
        int, COUNT, "No bound lowers the iterations below this many times `tx_depth`, so that the window slides.", "4"
    ] = 0
    warmup_at_most: Annotated[int | None, COUNT_OR_NONE, "No size has more warm-up.", "100"] = None
    warmup_depths_at_least: Annotated[
        int, COUNT, "No bound lowers the warm-up below this many windows: the clock starts with a full one.", "1"
    ] = 0
    bytes_per_size_at_most: Annotated[
        int | None, Typed(Bytes), "Bounds iterations and warm-up of a size, each to this many bytes.", '"10M"'
    ] = None


@dataclass(frozen=True)
class Profile(ProfileKeys):
    """The bounds and values of one site, and the reason."""

    values: Mapping[str, Given] = field(default_factory=dict)

    def counts(self, parameters: Parameters, size: int) -> Counts:
        """Iterations and warm-up of one size within the profile's bounds."""
        least = max(self.iterations_at_least, self.depths_at_least * parameters.tx_depth)
        bound = self._bound(size, self.iterations_at_most)
        iterations = min(parameters.iterations, max(bound - bound % self.iterations_multiple_of, least))
        window = min(parameters.tx_depth, iterations)  # the most messages in flight
        warmup = max(self._bound(size, self.warmup_at_most), self.warmup_depths_at_least * window)
        return Counts(size, iterations, min(parameters.warmup, warmup))

    def _bound(self, size: int, at_most: int | None) -> int:
        bounds = [LARGEST if at_most is None else at_most]
        if self.bytes_per_size_at_most is not None:
            bounds.append(self.bytes_per_size_at_most // size)
        return min(bounds)


def _canonical(name: str, value: Given) -> Given:
    if name == "sizes":
        return parse_sizes(value)
    return parse_size(value) if name in BYTE_COUNTS and isinstance(value, (int, str)) else value
