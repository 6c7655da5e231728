"""Student programs: a table of [programs] becomes a Program with its commands and its reader."""

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import product
from pathlib import Path
from string import Formatter
from typing import Annotated

from lab.errors import ParseError
from lab.model.parameters import NAMES, Counts
from lab.model.trial import DIRECTORY, End, Ends, Ready, Step, StepOutcome
from lab.programs import mpi
from lab.programs.printed import COLUMNS, Printed, output, read_printed
from lab.programs.program import ANY_SOURCE, Build, Parse, Program, Reading, Request
from lab.programs.samples_csv import read_samples
from lab.typed_json import TEXT, Limits

# The names between braces in a command.
OF_ENDS = ("host", "source", "device", "gid", "port")
OF_SIZES = ("size", "sizes", "iterations", "warmup")
ARGUMENTS = "arguments"  # of a series: any number of words
KNOWN = frozenset((*OF_ENDS, *OF_SIZES, ARGUMENTS, *NAMES)) - {"repetitions", "deadline_s"}

OPERATIONS, MEASURES = ("write", "read", "send", "write-imm"), ("throughput", "latency")
NOTHING = "none"  # the output of a program that only must work
PORT = 18800
LINE_BY_LINE = ("stdbuf", "-oL")  # else a program buffers its output until it ends, unless it sees a terminal
# A server that stays is ended by a signal, which must not count as a failure.
STAYS = ("sh", "-c", 'trap "exit 0" TERM; "$@" & wait $!', "server")

Words = tuple[str, ...]


def split(command: str) -> Words:
    """Split a command as a shell would, without a shell; raise ValueError for an open quote."""
    return tuple(shlex.split(command))


def places(words: Iterable[str]) -> frozenset[str]:
    """Return the names between braces; raise ValueError for a single brace."""
    parsed = (part for word in words for part in Formatter().parse(word))
    return frozenset(
        f"{name}{'!' + conversion if conversion else ''}{':' + form if form else ''}"
        for _, name, form, conversion in parsed
        if name is not None
    )


def fill(words: Words, values: Mapping[str, object], arguments: Words) -> Words:
    filled: list[str] = []
    for word in words:
        filled += arguments if word == f"{{{ARGUMENTS}}}" else [word.format_map(values)]
    return tuple(filled)


@dataclass(frozen=True)
class Commands:
    """The commands of both ends; a binary's argv[0] is its path on the site."""

    server: Words
    client: Words
    arguments: Words
    ready: Ready | None = None  # None: the server listens on {port}
    server_stays: bool = False
    mpi: str = ""  # transport of the messages, if both ends are ranks of one MPI program

    @property
    def places(self) -> frozenset[str]:
        return places((*self.server, *self.client, *self.arguments))

    @property
    def pair_per_size(self) -> bool:
        return "size" in self.places

    def parts(self, request: Request) -> tuple[tuple[Counts, ...], ...]:
        """Return the sizes of each pair of processes."""
        return tuple((counts,) for counts in request.counts) if self.pair_per_size else (request.counts,)

    def steps(self, request: Request, ends: Ends) -> tuple[Step, ...]:
        return tuple(
            self._step(request, ends, counts, PORT + index) for index, counts in enumerate(self.parts(request))
        )

    def _step(self, request: Request, ends: Ends, counts: tuple[Counts, ...], port: int) -> Step:
        shared = vars(request.parameters) | {
            "host": ends.server.host,
            "source": ends.client.host,
            "port": port,
            "size": counts[0].size,
            "sizes": ",".join(str(size.size) for size in counts),
            "iterations": counts[0].iterations,
            "warmup": counts[0].warmup,
        }

        def filled(words: Words, end: End) -> Words:
            values = shared | {"device": end.device, "gid": end.gid}
            return fill(words, values, fill(self.arguments, values, ()))

        server, client = filled(self.server, ends.server), filled(self.client, ends.client)
        if self.mpi:
            return mpi.launch(self.mpi, ends, client, server)
        if self.ready and self.ready.line:
            server = (*LINE_BY_LINE, *server)
        if self.server_stays:
            server = (*STAYS, *server)
        return Step(server, client, port, self.ready or Ready(tcp=port, cm=port))


@dataclass(frozen=True)
class OwnTable:
    """A student program's table of an experiment; docs/programs.md shows a whole one."""

    folder: Annotated[str, TEXT, "Its folder, relative to the experiment's file.", '"mine"']
    build: Annotated[str, TEXT, "The command that builds it, run in the folder.", '"make -s"']
    binaries: Annotated[
        tuple[Annotated[str, TEXT], ...],
        Limits(shortest=1, unique=True),
        "The files that the command makes. They are put on the site for each trial.",
        '["mine"]',
    ]
    server: Annotated[
        str,
        TEXT,
        "The server's command, with names such as `{port}` to fill in: docs/programs.md lists them.",
        '"mine --listen {host} --port {port}"',
    ]
    client: Annotated[str, TEXT, "The client's command.", '"mine --port {port} --size {size} {arguments} {host}"']
    output: Annotated[
        str,
        Limits(choices=("csv", "columns", "pattern", NOTHING)),
        "How the output is read: Verbyte's CSV, lines `size value unit`, lines that match `pattern`, or not at all.",
        '"columns"',
    ]
    pattern: Annotated[
        str,
        TEXT,
        "A regular expression with the named groups `value`, `size`, `unit` and `messages`; with "
        '`output = "pattern"` only.',
        r"'(?P<size>\d+) bytes: (?P<value>[\d.]+) (?P<unit>\S+)'",
    ] = ""
    unit: Annotated[str, TEXT, "The unit of the value, if the pattern has no group for it.", '"MB/s"'] = ""
    size_unit: Annotated[
        str,
        Limits(choices=("B", "KB", "MB")),
        "The unit of sizes without one in the output: 1, 1024 or 1048576 bytes.",
        '"KB"',
    ] = "B"
    factor: Annotated[
        int | float,
        Limits(above=0, most=1000),
        "Factor of each value: 2 if the program prints RTT/2, 0.5 if it counts both directions.",
        "2",
    ] = 1
    printed_by: Annotated[str, Limits(choices=("client", "server")), "Which end prints the results.", '"server"'] = (
        "client"
    )
    sources: Annotated[
        tuple[Annotated[str, TEXT], ...],
        Limits(shortest=1),
        "The files of the folder that belong into a submission, as patterns.",
        '["*.c", "*.h"]',
    ] = ANY_SOURCE
    ready: Annotated[
        Ready | None,
        Limits(shortest=1),
        "The signs that the server is ready, of which the first is enough.",
        '{ line = "waiting" }',
        "{ cm = 7471 }",
    ] = None
    server_stays: Annotated[
        bool,
        "The server does not end by itself: once the client has ended, a signal ends it, without an error.",
        "true",
    ] = False
    mpi: Annotated[
        str,
        Limits(choices=("tcp", "verbs")),
        "Both ends are ranks of one MPI program, rank 0 at the client, and their MPI messages use this transport.",
        '"tcp"',
    ] = ""
    rdma: Annotated[bool, "It finds an RDMA device by itself. Implied by `{device}` and `{gid}`.", "true"] = False
    both_spin: Annotated[bool, "Both ends poll. Every record from one core then has a note about it.", "true"] = False


def own_program(name: str, table: OwnTable, folder: Path, arguments: str = "") -> Program:
    """Make the program of a checked table of [programs], with the arguments of a series."""
    binaries = tuple(folder / file for file in table.binaries)
    server, client = (_placed(split(command), binaries) for command in (table.server, table.client))
    commands = Commands(server, client, split(arguments), table.ready, table.server_stays, table.mpi)
    used = commands.places
    rdma, loops = table.rdma or bool(used & {"device", "gid"}), not used & {"size", "sizes"}
    return Program(
        name,
        frozenset(product(OPERATIONS, MEASURES)),
        commands.steps,
        _reader(table, commands, rdma=rdma, loops=loops),
        binaries,
        build=Build(tuple(split(table.build)), folder, table.sources),
        prints_samples=table.output == "csv",
        both_spin=table.both_spin,
        rdma=rdma,
        same_counts=not commands.pair_per_size and bool(used & {"iterations", "warmup"}),
        uses=frozenset(used & (set(NAMES) | set(OF_SIZES))) | {"sizes"},
        reading=_reading(table),
        launched=bool(table.mpi),
        silent=table.output == NOTHING,
        loops=loops,
        one_size=loops and table.output == "pattern" and "(?P<size>" not in table.pattern,
    )


def _placed(words: Words, binaries: tuple[Path, ...]) -> Words:
    names = {file.name for file in binaries}
    return (f"{DIRECTORY}/{words[0]}" if words[0] in names else words[0], *words[1:])


def _reading(table: OwnTable) -> str:
    """Describe how the output is read, as a part of the key; a default adds nothing."""
    parts = [table.output, table.pattern, table.unit]
    parts += [f"times {table.factor}"] if table.factor != 1 else []
    parts += [f"sizes in {table.size_unit}"] if table.size_unit != "B" else []
    parts += [f"of the {table.printed_by}"] if table.printed_by != "client" else []
    return " ".join(parts)


def _reader(table: OwnTable, commands: Commands, *, rdma: bool, loops: bool) -> Parse:
    """Return the parser of the output. A device's completion shows that the data arrived; a socket's sender needs an
    answer."""
    columns = table.output == "columns"
    printed = Printed(
        COLUMNS if columns else re.compile(table.pattern, re.ASCII),
        table.unit,
        only=columns,
        stop="completed" if rdma else "confirmed",
        factor=Decimal(str(table.factor)),
        size_unit=table.size_unit,
        sizes_of_its_own=loops,
    )
    return partial(_read, table, commands, printed)  # not a closure: plans are pickled


def _read(
    table: OwnTable, commands: Commands, printed: Printed, request: Request, outcomes: tuple[StepOutcome, ...]
) -> Reading:
    if table.output == NOTHING:
        return Reading({}, ())
    if table.output == "csv":
        return read_samples(outcomes[0].client_out, request)
    parts = commands.parts(request)
    if len(outcomes) != len(parts):
        raise ParseError(f"{len(outcomes)} outputs for {len(parts)} pairs of programs", where=request.program)
    texts = (output(outcome, table.printed_by, with_errors=not printed.only) for outcome in outcomes)
    return read_printed(printed, request, zip(texts, parts, strict=True))
