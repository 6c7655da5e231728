"""The parameters of a series of trials, each with its type and its default."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Literal

from lab.model.sizes import parse_size, parse_sizes
from lab.options import number, word

Choice = int | Literal["auto"]
Scalar = int | str | bool
Given = Scalar | Sequence[int | str]  # of a key of [parameters]

BYTE_COUNTS = ("send_buffer", "receive_buffer")
ROUNDS = ("until_stable", "stable_window", "rounds_cap")


@dataclass(frozen=True)
class RoundLimits:
    """The rule that ends the rounds of a size."""

    target: float  # the fraction by which rounds may differ
    window: int  # rounds that must agree
    cap: int  # the largest number of rounds


@dataclass(frozen=True)
class Parameters:
    """One set of parameters; a program reads only its own."""

    sizes: tuple[int, ...] = ()
    iterations: int = number("iterations")
    warmup: int = number("warmup")
    repetitions: int = 1
    windows: int = number("windows")
    least_time_s: Choice = (
        "auto"  # the least time of each size, with more iterations if need be; auto: chosen by the site's clock
    )
    until_stable: int = number("until_stable")
    stable_window: int = number("stable_window")
    rounds_cap: int = number("rounds_cap")
    tx_depth: int = number("tx_depth")
    rx_depth: int = number("rx_depth")
    post_list: Choice = "auto"
    signal_every: Choice = "auto"
    inline: Choice = "auto"
    path_mtu: Choice = "auto"
    relaxed_ordering: str = word("relaxed_ordering")
    timeout: Choice = "auto"  # a code: 4.096 us times 2 to its power
    rnr_timer: int = number("rnr_timer")  # a code
    wait: str = word("wait")
    verify: bool = False
    seed: int = number("seed")
    nodelay: bool = False
    calls: str = word("calls")
    send_buffer: int = number("send_buffer")
    receive_buffer: int = number("receive_buffer")
    peer_post_list: int = 1  # for the peers: their defaults differ from ours
    peer_tx_depth: int = 128
    peer_cq_moderation: int = 0  # 0: the peer's own default
    peer_no_peak: bool = False
    peer_seconds: int = 1  # for peers that count time, not messages
    wait_deadline_s: int = 10  # any wait of our programs without progress
    deadline_s: Choice = "auto"  # the whole trial

    def with_values(self, values: Mapping[str, Given]) -> Parameters:
        """These parameters with some of them replaced, as a TOML table spells them."""
        changed: Callable[..., Parameters] = partial(replace, self)
        return changed(**{name: _canonical(name, value) for name, value in values.items()})

    @property
    def round_limits(self) -> RoundLimits:
        """The rule that ends repeated rounds."""
        return RoundLimits(self.until_stable / 100, self.stable_window, self.rounds_cap)

    def as_dict(self) -> dict[str, Scalar | tuple[int, ...]]:
        """All parameters, given or default."""
        return dict(vars(self))


NAMES = tuple(each.name for each in fields(Parameters))


@dataclass(frozen=True)
class Counts:
    """The number of messages of one size."""

    size: int
    iterations: int
    warmup: int


@dataclass(frozen=True)
class Profile:
    """Other values for a site where time is dear, and the reason."""

    why: str
    iterations_at_most: int | None = None
    iterations_at_least: int = 1
    depths_at_least: int = 0  # iterations in multiples of tx_depth, so that the window slides
    warmup_at_most: int | None = None
    warmup_depths_at_least: int = 0  # warm-up in multiples of tx_depth, so that the clock starts with a full window
    bytes_per_size_at_most: int | None = None
    values: Mapping[str, Given] = field(default_factory=dict)

    def counts(self, parameters: Parameters, size: int) -> Counts:
        """Iterations and warm-up of one size within the profile's bounds."""
        least = max(self.iterations_at_least, self.depths_at_least * parameters.tx_depth)
        iterations = min(parameters.iterations, max(self._bound(size, self.iterations_at_most), least))
        window = min(parameters.tx_depth, iterations)  # the most messages in flight
        warmup = max(self._bound(size, self.warmup_at_most), self.warmup_depths_at_least * window)
        return Counts(size, iterations, min(parameters.warmup, warmup))

    def _bound(self, size: int, at_most: int | None) -> int:
        bounds = [2**63 if at_most is None else at_most]
        if self.bytes_per_size_at_most is not None:
            bounds.append(self.bytes_per_size_at_most // size)
        return min(bounds)


def _canonical(name: str, value: Given) -> Given:
    if name == "sizes":
        return parse_sizes(value)
    return parse_size(value) if name in BYTE_COUNTS and isinstance(value, (int, str)) else value
