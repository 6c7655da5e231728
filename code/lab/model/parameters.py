"""The parameters of a series of trials, each with its type and its default; docs/experiments.md explains them."""

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

    sizes: Annotated[tuple[int, ...], Typed(Sizes)] = ()
    iterations: Annotated[int, COUNT] = number("iterations")
    warmup: Annotated[int, COUNT_OR_NONE] = number("warmup")
    repetitions: Annotated[int, Limits(least=1, most=1000)] = 1
    windows: Annotated[int, limits] = number("windows")
    least_time_s: Choice = "auto"
    duration_s: Annotated[int, limits] = number("duration_s")
    until_stable: Annotated[int, limits] = number("until_stable")
    stable_window: Annotated[int, limits] = number("stable_window")
    rounds_cap: Annotated[int, limits] = number("rounds_cap")
    connection: Annotated[str, limits] = word("connection")
    pace: Annotated[int, limits] = number("pace")
    pairs: Annotated[int, limits] = number("pairs")
    completion_queues: Annotated[str, limits] = word("completion_queues")
    streams: Annotated[int, limits] = number("streams")
    both: bool = False
    tx_depth: Annotated[int, limits] = number("tx_depth")
    rx_depth: Annotated[int, limits] = number("rx_depth")
    post_list: Choice = "auto"
    signal_every: Choice = "auto"
    inline: Choice = "auto"
    path_mtu: Choice = "auto"
    relaxed_ordering: Annotated[str, limits] = word("relaxed_ordering")
    timeout: Choice = "auto"
    rnr_timer: Annotated[int, limits] = number("rnr_timer")
    tclass: Annotated[int, limits] = number("tclass")
    sl: Annotated[int, limits] = number("sl")
    pkey_index: Annotated[int, limits] = number("pkey_index")
    wait: Annotated[str, limits] = word("wait")
    verify: bool = False
    seed: Annotated[int, limits] = number("seed")
    nodelay: bool = False
    calls: Annotated[str, limits] = word("calls")
    send_buffer: Annotated[int, Typed(Bytes), limits] = number("send_buffer")
    receive_buffer: Annotated[int, Typed(Bytes), limits] = number("receive_buffer")
    # The parameters of the reference tools are apart: their defaults differ from those of Verbyte's programs.
    peer_post_list: Annotated[int, COUNT] = 1
    peer_tx_depth: Annotated[int, COUNT] = 128
    peer_cq_moderation: Annotated[int, Limits(least=0, most=1024)] = 0
    peer_no_peak: bool = False
    peer_seconds: Annotated[int, Limits(least=1, most=3600)] = 1
    wait_deadline_s: Annotated[int, limits] = 10
    deadline_s: Annotated[AutoNumber, Limits(least=1, most=86_400)] = "auto"

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

    why: Annotated[str, Limits(shortest=1, longest=2000), '"A second of the VM costs several seconds of the host."']
    iterations_at_most: Annotated[int | None, COUNT] = None
    iterations_at_least: Annotated[int, COUNT] = 1
    iterations_multiple_of: Annotated[int, COUNT] = 1
    depths_at_least: Annotated[int, COUNT] = 0
    warmup_at_most: Annotated[int | None, COUNT_OR_NONE] = None
    warmup_depths_at_least: Annotated[int, COUNT] = 0
    bytes_per_size_at_most: Annotated[int | None, Typed(Bytes, parse_size)] = None


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
