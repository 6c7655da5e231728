"""Rules of an experiment that its schema cannot express."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from lab.experiment.document import Document, SeriesTable
from lab.model.parameters import NAMES, Counts, Parameters, Scalar
from lab.model.trial import Link
from lab.options import Refusal, refusal
from lab.programs import PROGRAMS
from lab.programs.printed import KNOWN as UNITS
from lab.programs.printed import is_unit
from lab.programs.program import ONE_WAY, Program, Request
from lab.programs.student import ARGUMENTS, KNOWN, NOTHING, OwnTable, own_program, places, split
from lab.sites.site import fixed
from lab.typed_json import Fault, Keys

OwnTables = Mapping[str, OwnTable]


def find_program(series: SeriesTable, own: OwnTables, file: Path) -> Program:
    """The program that a series names; one of the file's own takes the series' arguments."""
    name = series.program
    if name in own:
        return own_program(name, own[name], file.parent / own[name].folder, series.arguments or "")
    return PROGRAMS[name]


def program_faults(document: Document, file: Path) -> Iterator[Fault]:
    """The faults of programs, and of series that name them, that the schema cannot find."""
    for name, table in document.programs.items():
        yield from _faults(name, table, file, ("programs", name))
    for index, series in enumerate(document.series):
        yield from _series_faults(series, document.programs, ("series", index))


def _faults(name: str, table: OwnTable, file: Path, path: Keys) -> Iterator[Fault]:
    if name in PROGRAMS:
        yield Fault(f"Verbyte has a program {name!r} already", path, "another name")
    folder = file.parent / table.folder
    if not folder.is_dir():
        yield Fault(f"there is no folder {table.folder!r}", (*path, "folder"), "one beside the experiment's file")
    elif folder.resolve() in file.resolve().parent.parents:
        what = f"the folder {table.folder!r} holds more than the programs: it contains the experiment's folder"
        yield Fault(what, (*path, "folder"), "one beside the experiment's file")
    yield from _binary_faults(table, (*path, "binaries"))
    yield from _command_faults(table.build, (*path, "build"), frozenset())
    yield from _command_faults(table.server, (*path, "server"), KNOWN)
    yield from _command_faults(table.client, (*path, "client"), KNOWN)
    yield from _ready_faults(table, path)
    yield from _output_faults(table, path)


def _binary_faults(table: OwnTable, path: Keys) -> Iterator[Fault]:
    """On the site, all of a program lie in one folder."""
    for index, file in enumerate(map(PurePath, table.binaries)):
        if file.is_absolute() or ".." in file.parts:
            yield Fault(f"{str(file)!r} is outside of the program's folder", (*path, index), "a path inside it")
        if file.name in {PurePath(each).name for each in table.binaries[:index]}:
            yield Fault(f"two binaries are called {file.name!r}", (*path, index), "a name for each")


def _ready_faults(table: OwnTable, path: Keys) -> Iterator[Fault]:
    """A client must know when its server can be called."""
    if table.mpi:
        for key in ("ready", "server_stays"):
            if getattr(table, key):
                yield Fault(f"{key} is for a server, and mpi makes both ends ranks", (*path, key), "one of both")
    elif table.ready is None and "{port}" not in table.server:
        what = "nothing says when the server is ready: its command has no {port} on which it would listen"
        yield Fault(what, (*path, "server"), "{port} in it, or ready.tcp, ready.cm, ready.line or ready.after_s")


def _command_faults(command: str, path: Keys, known: frozenset[str]) -> Iterator[Fault]:
    try:
        words = split(command)
        unknown = sorted(places(words) - known)
    except ValueError as error:
        yield Fault(f"the command cannot be read: {str(error).lower()}", path, "words with quotes and braces in pairs")
        return
    if not words:
        yield Fault("the command is empty", path, "a program and its arguments")
    if unknown:
        yield Fault(f"there is no placeholder {{{unknown[0]}}}", path, _listed(known))


def _output_faults(table: OwnTable, path: Keys) -> Iterator[Fault]:
    words = f"{table.server} {table.client}"
    per_size = "{size}" in words
    if per_size and "{sizes}" in words:
        yield Fault(
            "the commands name the sizes in two ways", (*path, "client"), "either {sizes} or {size}, or neither"
        )
    if table.output == "csv" and "{sizes}" not in words:
        yield Fault("Verbyte's CSV holds all sizes", (*path, "output"), "{sizes} in the commands")
    if table.output in ("csv", NOTHING):
        for key in ("unit", "size_unit", "factor", "printed_by"):
            if getattr(table, key) != getattr(OwnTable, key):
                yield Fault(
                    f"{key} and output = {table.output!r} do not go together", (*path, key), "'columns' or 'pattern'"
                )
    if (table.output == "pattern") != bool(table.pattern):
        yield Fault("pattern and output = 'pattern' belong together", (*path, "output"), "both or neither")
    elif table.pattern:
        yield from _pattern_faults(table, path)


def _pattern_faults(table: OwnTable, path: Keys) -> Iterator[Fault]:
    wanted = {"value"} | ({"size"} if "{sizes}" in f"{table.server} {table.client}" else set())
    wanted |= set() if table.unit else {"unit"}
    try:
        groups = re.compile(table.pattern, re.ASCII).groupindex
    except re.error as error:
        yield Fault(f"the pattern is not a regular expression: {error}", (*path, "pattern"))
        return
    if missing := sorted(wanted - set(groups)):
        yield Fault(
            f"the pattern has no group named {missing[0]}", (*path, "pattern"), f"a group (?P<{missing[0]}>...)"
        )
    if table.unit and not is_unit(table.unit):
        yield Fault(f"{table.unit!r} is not a unit", (*path, "unit"), "one such as " + ", ".join(UNITS.values()))


def _series_faults(series: SeriesTable, own: OwnTables, path: Keys) -> Iterator[Fault]:
    name = series.program
    if name not in PROGRAMS and name not in own:
        known = ", ".join((*PROGRAMS, *own))
        yield Fault(f"there is no program {name!r}", (*path, "program"), f"one of {known}")
    if series.arguments is not None:
        if name not in own or "{arguments}" not in f"{own[name].server} {own[name].client}".split():
            yield Fault(f"{name} takes no arguments", (*path, ARGUMENTS), "a program of [programs] with {arguments}")
        yield from _command_faults(f"- {series.arguments}", (*path, ARGUMENTS), KNOWN - {ARGUMENTS})


def _listed(known: frozenset[str]) -> str:
    return "one of " + ", ".join(sorted(known)) if known else "a command without braces"


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
    site = EXACT_LARGEST if s.emulated else MOST_BYTES
    return min(site, s.tool.largest_bytes or MOST_BYTES)


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
        "0, but for the throughput of Verbyte's programs without verify",
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
        lambda s: s.tool.whole_lists and any(each.iterations % s.parameters.peer_post_list for each in s.counts),
        "a divisor of the iterations at every size, as perftest wants it",
    ),
)


def broken_rule(setting: Setting) -> Refusal | None:
    """The first rule that a setting breaks: of the program itself, or of the harness."""
    broken = next((rule for rule in RULES if rule.broken(setting)), None)
    if broken:
        return Refusal(broken.parameter, expected=broken.expected)
    sizes = [(each.size, each.iterations, each.warmup) for each in setting.counts]
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
