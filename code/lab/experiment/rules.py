"""Rules of an experiment beyond the types and limits of its keys."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from lab.experiment.experiment import Document, Point, Series, SeriesTable
from lab.model.parameters import NAMES
from lab.model.trial import MOST_COMPUTERS
from lab.options import Refusal, refusal
from lab.programs import PROGRAMS
from lab.programs.printed import KNOWN as UNITS
from lab.programs.printed import Printed, is_unit, lines_about
from lab.programs.program import ONE_WAY, Program, Request
from lab.programs.student import (
    ARGUMENTS,
    ASSIGNMENT,
    KNOWN,
    NOTHING,
    OF_COMPUTERS,
    PRINTED,
    ProgramTable,
    make_program,
    places,
    split,
)
from lab.sites.site import FIXED_TRAITS
from lab.typed_json import Fault, Keys

ProgramTables = Mapping[str, ProgramTable]


def find_program(series: SeriesTable, tables: ProgramTables, file: Path, computers: int) -> Program:
    """The program that a series names; one of `[programs]` takes the series' arguments."""
    name = series.program
    if name in tables:
        return make_program(name, tables[name], file.parent / tables[name].folder, series.arguments or "", computers)
    return PROGRAMS[name]


def program_faults(document: Document, file: Path) -> Iterator[Fault]:
    for name, table in document.programs.items():
        path: Keys = ("programs", name)
        if name in PROGRAMS:
            yield Fault(f"Verbyte has a program {name!r} already", path, "another name")
        yield from _folder_faults(table, file, path)
        yield from _command_faults(table.build, (*path, "build"), frozenset())
        if table.each:
            yield from _each_faults(table, path)
        else:
            yield from _command_faults(table.server, (*path, "server"), KNOWN)
            yield from _command_faults(table.client, (*path, "client"), KNOWN)
            yield from _ready_faults(table, path)
        yield from _file_faults(table, path)
        yield from _output_faults(table, path)
    for index, series in enumerate(document.series):
        yield from _series_faults(series, document.programs, ("series", index))


def _folder_faults(table: ProgramTable, file: Path, path: Keys) -> Iterator[Fault]:
    """The faults of the folder and of its binaries, which are all in one folder on a site."""
    folder = file.parent / table.folder
    if not folder.is_dir():
        yield Fault(
            f"the folder {table.folder!r} does not exist", (*path, "folder"), "one beside the experiment's file"
        )
    elif folder.resolve() in file.resolve().parent.parents:
        what = f"the folder {table.folder!r} contains more than the programs: the experiment's folder"
        yield Fault(what, (*path, "folder"), "one beside the experiment's file")
    binaries = [PurePath(each) for each in table.binaries]
    for index, binary in enumerate(binaries):
        if binary.is_absolute() or ".." in binary.parts:
            what = f"{str(binary)!r} is outside of the program's folder"
            yield Fault(what, (*path, "binaries", index), "a path inside it")
        if binary.name in (other.name for other in binaries[:index]):
            yield Fault(f"two binaries are called {binary.name!r}", (*path, "binaries", index), "a name for each")


def _command_faults(command: str, path: Keys, known: frozenset[str]) -> Iterator[Fault]:
    try:
        words = split(command)
        unknown = tuple(_unknown_places(words, path, known))
    except ValueError as error:
        yield Fault(f"the command cannot be read: {str(error).lower()}", path, "words with quotes and braces in pairs")
        return
    if not words or (path[-1] != "build" and all(map(ASSIGNMENT.match, words))):
        yield Fault("the command is empty", path, "a program and its arguments")
    yield from unknown


def _unknown_places(words: Iterable[str], path: Keys, known: frozenset[str]) -> Iterator[Fault]:
    unknown = sorted(name for name in places(words) - known if path[-1] != "client" or not PRINTED.fullmatch(name))
    if unknown:
        expected = "one of " + ", ".join(sorted(known)) if known else "a command without braces"
        yield Fault(f"unknown placeholder {{{unknown[0]}}}", path, expected)


ADDRESSES = frozenset(f"address:{rank}" for rank in range(MOST_COMPUTERS))
KNOWN_OF_EACH = KNOWN - {"host", "source"} | OF_COMPUTERS | ADDRESSES


def _each_faults(table: ProgramTable, path: Keys) -> Iterator[Fault]:
    """All computers start at once: there is no server."""
    for key in ("server", "client", "ready", "server_stays", "client_stays", "printed_by"):
        if getattr(table, key) != getattr(ProgramTable, key):
            yield Fault(f"{key} and each do not go together", (*path, key), "each alone, for all computers")
    if "{size}" in table.each and "{port}" not in table.each and not table.mpi:
        what = "a computer may still be at the size before, and {size} has no {port} beside it"
        yield Fault(what, (*path, "each"), "{port} in it, another for each size, or {sizes}")
    yield from _command_faults(table.each, (*path, "each"), KNOWN_OF_EACH)


def _file_faults(table: ProgramTable, path: Keys) -> Iterator[Fault]:
    """Files that the site writes or reads are in the program's working folder, or in one inside it."""
    named = [(name, (*path, "files", name)) for name in table.files]
    for name, key in named:
        try:
            yield from _unknown_places([table.files[name]], key, KNOWN_OF_EACH | {"address"} if table.each else KNOWN)
        except ValueError as error:
            yield Fault(f"the text cannot be read: {str(error).lower()}", key, "{{ and }} for other braces")
    for name, key in (*named, (table.result_file, (*path, "result_file"))):
        if name.startswith(("/", "-")) or ".." in PurePath(name).parts:
            yield Fault(f"{name!r} is outside of the program's working folder", key, "a path inside it")
    if table.result_file and table.client_stays:
        what = "the results in a file are there at the end, and client_stays ends the client before"
        yield Fault(what, (*path, "result_file"), "one of both")


def _ready_faults(table: ProgramTable, path: Keys) -> Iterator[Fault]:
    """A client can start only if it is clear when its server is ready."""
    if table.mpi:
        for key in ("ready", "server_stays"):
            if getattr(table, key):
                yield Fault(f"{key} is for a server, and mpi makes both ends ranks", (*path, key), "one of both")
        if "{printed:" in table.client:
            what = "{printed:...} is of a server, and mpi makes both ends ranks"
            yield Fault(what, (*path, "client"), "one of both")
    elif (
        table.ready is None
        and "{port}" not in " ".join((table.server, *table.files.values()))
        and "{printed:" not in table.client
    ):
        what = "it is unclear when the server is ready: its command has no {port} to listen on"
        yield Fault(what, (*path, "server"), "{port} in it, or ready.tcp, ready.cm, ready.line or ready.after_s")


def _output_faults(table: ProgramTable, path: Keys) -> Iterator[Fault]:
    if "{size}" in table.commands and "{sizes}" in table.commands:
        what = "the commands name the sizes in two ways"
        yield Fault(what, (*path, "client"), "either {sizes} or {size}, or neither")
    if table.output == "csv" and "{sizes}" not in table.commands:
        yield Fault("Verbyte's CSV has all sizes", (*path, "output"), "{sizes} in the commands")
    if table.output in ("csv", NOTHING):
        for key in ("unit", "size_unit", "factor", "printed_by", "client_stays"):
            if getattr(table, key) != getattr(ProgramTable, key):
                what = f"{key} and output = {table.output!r} do not go together"
                yield Fault(what, (*path, key), "'columns' or 'pattern'")
    if (table.output == "pattern") != bool(table.pattern):
        yield Fault("pattern and output = 'pattern' belong together", (*path, "output"), "both or neither")
    elif table.pattern:
        yield from _pattern_faults(table, path)


def _pattern_faults(table: ProgramTable, path: Keys) -> Iterator[Fault]:
    try:
        groups = re.compile(table.pattern, re.ASCII).groupindex
    except (re.error, OverflowError, RecursionError) as error:
        what = f"the pattern is not a regular expression: {error}"
        yield Fault(what, (*path, "pattern"), "one with a group (?P<value>...)")
        return
    required = {
        "value": "total" not in groups,
        "size": "{sizes}" in table.commands,
        "unit": not table.unit,
    }
    for name in (name for name, is_required in required.items() if is_required and name not in groups):
        yield Fault(f"the pattern has no group named {name}", (*path, "pattern"), f"a group (?P<{name}>...)")
    if table.client_stays:
        try:
            lines_about(Printed(re.compile(table.pattern)), ())
        except ValueError as error:
            yield Fault(f"the end of the client cannot be seen: {error}", (*path, "pattern"), "a simpler pattern")
    if table.unit and not is_unit(table.unit):
        yield Fault(f"{table.unit!r} is not a unit", (*path, "unit"), "one such as " + ", ".join(UNITS.values()))


def _series_faults(series: SeriesTable, tables: ProgramTables, path: Keys) -> Iterator[Fault]:
    name = series.program
    if name not in PROGRAMS and name not in tables:
        yield Fault(f"unknown program {name!r}", (*path, "program"), f"one of {', '.join((*PROGRAMS, *tables))}")
    if series.arguments is not None:
        if name not in tables or "{arguments}" not in tables[name].commands.split():
            yield Fault(f"{name} takes no arguments", (*path, ARGUMENTS), "a program of [programs] with {arguments}")
        yield from _command_faults(f"- {series.arguments}", (*path, ARGUMENTS), KNOWN - {ARGUMENTS})


FIXED = frozenset({"sizes", "repetitions", "wait_deadline_s", "deadline_s"})  # the same at every point of a series
SWEEPABLE = frozenset(NAMES) - FIXED
MOST_BYTES = 2**63 - 1  # of one size in a trial: the C programs count them in 64 bits
LONGEST_S = 86_400
HEADERS = 80  # of a RoCE packet: Soft-RoCE takes the largest MTU that leaves room for them in the link's frames
EXACT_LARGEST = 256 << 20  # bytes of a message: an end has several buffers of them, and a VM 1 GiB


class Setting:
    """The input of the rules: one series at one varied point on one site."""

    def __init__(self, series: Series, site: str, point: Point) -> None:
        self.tool, self.link, self.point, self.measure = series.tool, series.link, point, series.measure
        self.parameters, self.counts = series.parameters(site, point), series.counts(site, point)
        self.request = Request(series.program, series.operation, series.measure, self.counts, self.parameters)
        traits = FIXED_TRAITS.get(site)
        most = EXACT_LARGEST if traits and traits.is_deterministic else MOST_BYTES
        self.largest = min(most, series.tool.largest_bytes or MOST_BYTES)  # bytes of a message

    @property
    def has_long_datagrams(self) -> bool:
        """Whether UD is asked to do other than SEND, or to send a message longer than a packet."""
        path_mtu = self.parameters.path_mtu
        packet = 1 << min(12, (self.link.mtu - HEADERS).bit_length() - 1) if path_mtu == "auto" else path_mtu
        by_datagrams = self.parameters.connection == "ud" and "connection" in self.tool.parameters
        return by_datagrams and (self.request.operation != "send" or max(each.size for each in self.counts) > packet)

    @property
    def peer_lists(self) -> int:
        """The messages of a post list of perftest on each queue pair."""
        return self.parameters.peer_post_list * self.parameters.pairs

    def counts_differ(self, name: str) -> bool:
        """Whether a bound of the profile changes a varied number of messages."""
        return name in self.point and any(getattr(each, name) != self.point[name] for each in self.counts)


@dataclass(frozen=True)
class Rule:
    """The parameter to blame, the test that finds the fault, and the expected value."""

    parameter: str
    broken: Callable[[Setting], bool]
    expected: str


def _signals_too_rare(s: Setting) -> bool:
    """Whether the queue would stop until its only completion; the program does not refuse that."""
    every = s.parameters.signal_every
    listed = s.request.program == "verbs" and s.parameters.post_list != 1
    return listed and every != "auto" and every > 1 and 2 * every > s.parameters.tx_depth


UNBOUNDED = "a profile whose bounds leave every varied value as it is"
RULES = (
    Rule(
        "iterations",
        lambda s: max(s.request.messages(each) * each.size for each in s.counts) > MOST_BYTES,
        "no more bytes of a size than 64 bits count",
    ),
    Rule(
        "deadline_s",
        lambda s: s.parameters.deadline_s == "auto" and s.request.deadline_s > LONGEST_S,
        f"fewer bytes, or a number of seconds: so many take longer than {LONGEST_S} s over a slow link",
    ),
    Rule(
        "path_mtu",
        lambda s: s.tool.rdma and s.parameters.path_mtu != "auto" and s.parameters.path_mtu + HEADERS > s.link.mtu,
        f"a path MTU that leaves {HEADERS} bytes of the link's mtu for headers",
    ),
    Rule(
        "sizes",
        lambda s: max(each.size for each in s.counts) > s.largest,
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
        lambda s: bool(s.parameters.until_stable) and not s.tool.engine,
        "0, but for the throughput of Verbyte's programs without verify",
    ),
    Rule("signal_every", _signals_too_rare, "at most half of tx_depth, or no completion frees the queue in time"),
    Rule(
        "iterations",
        lambda s: s.measure == ONE_WAY and any(each.iterations < 2 for each in s.counts),
        "messages enough for a standard deviation, 2 at every size",
    ),
    Rule(
        "connection",
        lambda s: s.has_long_datagrams,
        "rc or uc, since UD only sends, and a message is at most a packet of the link's mtu or path_mtu",
    ),
    Rule("iterations", lambda s: s.counts_differ("iterations"), UNBOUNDED),
    Rule("warmup", lambda s: s.counts_differ("warmup"), UNBOUNDED),
    Rule(
        "peer_post_list",
        lambda s: s.tool.whole_lists and any(each.iterations % s.peer_lists for each in s.counts),
        "a divisor of the iterations of each of the pairs at every size, as perftest requires",
    ),
)


def broken_rule(series: Series, site: str, point: Point) -> Refusal | None:
    """The first rule that a point of a series breaks: of the harness, or of the program itself."""
    setting = Setting(series, site, point)
    if broken := next((rule for rule in RULES if rule.broken(setting)), None):
        return Refusal(broken.parameter, expected=broken.expected)
    if not (table := series.tool.table):
        return None
    values = {option.name: _text(getattr(setting.parameters, name)) for name, option in table.asked.items()}
    values |= {"measure": series.measure, "operation": series.operation}
    return refusal(table, values, [(each.size, each.iterations, each.warmup) for each in setting.counts])


def _text(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
