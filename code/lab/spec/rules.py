"""Rules between the values of a trial: the limits of programs and kinds of sites.

The rules of our own programs stand once, in code/bench/rule_table.c, and come from options.json. The rules here are
about sites, links and the programs of others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lab.model.parameters import NAMES, Counts, Parameters, Scalar
from lab.model.trial import Link
from lab.options.refusal import OfSize, Refusal, refusal
from lab.programs.request import ONE_WAY, Program, Request
from lab.sites.traits import fixed

FIXED = frozenset({"sizes", "repetitions", "wait_deadline_s", "deadline_s"})  # the same at every point of a series
SWEEPABLE = frozenset(NAMES) - FIXED
MOST_BYTES = 2**63 - 1  # of one size in a trial: the C programs count them in 64 bits
LONGEST_S = 86_400
HEADERS = 80  # of a RoCE packet: Soft-RoCE takes the largest MTU that leaves room for them in the link's frames
EXACT_LARGEST = 256 << 20  # bytes of a message: an end has several buffers of them, and an exact machine 1 GiB


@dataclass(frozen=True)
class Setting:
    """The input of the rules: one series at one varied point on one site."""

    tool: Program
    operation: str
    measure: str
    site: str
    parameters: Parameters
    counts: tuple[Counts, ...]
    link: Link
    point: dict[str, Scalar]

    @property
    def program(self) -> str:
        return self.tool.name

    @property
    def own(self) -> bool:
        return self.tool.engine

    @property
    def emulated(self) -> bool:
        """Whether the site's computers are the lab's own, as far as its name tells."""
        known = fixed(self.site)
        return known is not None and known.repeats


@dataclass(frozen=True)
class Rule:
    """The parameter to blame, the test that finds the fault, and the expected value in words."""

    parameter: str
    broken: Callable[[Setting], bool]
    expected: str


def _fixed(*values: int | str) -> tuple[int, ...]:
    return tuple(value for value in values if isinstance(value, int))


def _signals_too_rare(s: Setting) -> bool:
    """Whether the queue would stand still until its only completion; the program does not refuse that."""
    listed = s.program == "verbs" and s.parameters.post_list != 1
    return listed and any(
        every > 1 and 2 * every > s.parameters.tx_depth for every in _fixed(s.parameters.signal_every)
    )


def _bytes_of(s: Setting) -> int:
    """The most bytes of one size in a trial."""
    return max(_request(s).messages(each) * each.size for each in s.counts)


def _request(s: Setting) -> Request:
    """The request of a trial."""
    return Request(s.program, s.operation, s.measure, s.counts, s.parameters)


def _largest(s: Setting) -> int:
    """Bytes of a message that the program and the site can hold."""
    programs = {"iperf3": 1 << 20}  # its own message: block size too large (maximum = 1048576 bytes)
    site = EXACT_LARGEST if s.emulated else MOST_BYTES
    return min(site, programs.get(s.program, (1 << 31) - 1 if s.program.startswith("ib_") else MOST_BYTES))


def _capped(name: str) -> Callable[[Setting], bool]:
    return lambda s: name in s.point and any(getattr(each, name) != s.point[name] for each in s.counts)


RULES = (
    Rule("iterations", lambda s: _bytes_of(s) > MOST_BYTES, "no more bytes of a size than 64 bits count"),
    Rule(
        "deadline_s",
        lambda s: s.parameters.deadline_s == "auto" and _request(s).deadline_s > LONGEST_S,
        f"fewer bytes, or a number of seconds: so many take longer than {LONGEST_S} s over a slow link",
    ),
    Rule(
        "path_mtu",
        lambda s: s.tool.rdma and any(each + HEADERS > s.link.mtu for each in _fixed(s.parameters.path_mtu)),
        f"a path MTU that leaves {HEADERS} bytes of the link's mtu for headers",
    ),
    Rule(
        "sizes",
        lambda s: max(each.size for each in s.counts) > _largest(s),
        "messages that the program and the site's memory hold: 1M of iperf3, 2G-1 of perftest, 256M on exact",
    ),
    Rule(
        "iterations",
        lambda s: s.tool.same_counts and len({(each.iterations, each.warmup) for each in s.counts}) > 1,
        "the same number at every size, since the command names it once; or {size} in place of {sizes}",
    ),
    Rule(
        "sizes",
        lambda s: s.tool.one_size and len(s.counts) > 1,
        "one size, since neither the commands nor the pattern name it; or a group (?P<size>...)",
    ),
    Rule(
        "until_stable",
        lambda s: bool(s.parameters.until_stable) and not s.own,
        "0, but for the throughput of the lab's own programs without verify",
    ),
    Rule("signal_every", _signals_too_rare, "at most half of tx_depth, or no completion frees the queue in time"),
    Rule(
        "iterations",
        lambda s: s.measure == ONE_WAY and any(each.iterations < 2 for each in s.counts),
        "messages enough for a standard deviation, 2 at every size",
    ),
    Rule("iterations", _capped("iterations"), "a profile whose bounds leave every varied value as it is"),
    Rule("warmup", _capped("warmup"), "a profile whose bounds leave every varied value as it is"),
    Rule(
        "peer_post_list",
        lambda s: (
            s.program.startswith("ib_") and any(each.iterations % s.parameters.peer_post_list for each in s.counts)
        ),
        "a divisor of the iterations at every size, as perftest wants it",
    ),
)


def broken_rule(setting: Setting) -> Refusal | None:
    """The first rule that a setting breaks: of the program itself, or of the harness."""
    broken = next((rule for rule in RULES if rule.broken(setting)), None)
    if broken:
        return Refusal(broken.parameter, expected=broken.expected)
    sizes = [OfSize(each.size, each.iterations, each.warmup) for each in setting.counts]
    return refusal(setting.tool.table, _values(setting), sizes) if setting.tool.table else None


def _values(s: Setting) -> dict[str, str]:
    """The values as its command would name them."""
    asked = s.tool.table.asked if s.tool.table else {}
    given = {option.name: _text(getattr(s.parameters, name)) for name, option in asked.items()}
    return given | {"measure": s.measure, "operation": s.operation}


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def idle_variation(program: Program, names: tuple[str, ...]) -> str | None:
    """A varied parameter without an effect on the program."""
    return next((name for name in names if name not in program.uses & SWEEPABLE), None)
