"""Student programs: a table of [programs] becomes a Program with its commands and its reader."""

import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from itertools import product, takewhile
from pathlib import Path, PurePath
from string import Formatter
from typing import Annotated

from lab.errors import ParseError, plural
from lab.model.parameters import NAMES, Counts
from lab.model.trial import DIRECTORY, MARK, End, Ends, Ready, Step, StepOutcome
from lab.places import CARD
from lab.programs import mpi
from lab.programs.printed import COLUMNS, Printed, by_rank, lines_about, output, read_printed
from lab.programs.program import ANY_SOURCE, ENDS, Build, Program, Reading, Request
from lab.programs.samples_csv import read_samples
from lab.typed_json import TEXT, Limits

# The names between braces in a command.
OF_ENDS = ("host", "source", "device", "gid", "port")
OF_SIZES = ("size", "sizes", "iterations", "warmup")
# Also address:0, address:1 ...
LISTS = ("addresses", "addresses:,", "addresses:;", "addresses: ")
OF_COMPUTERS = frozenset(("rank", "index", "computers", "next", "previous", *LISTS))
ARGUMENTS = "arguments"  # of a series: any number of words
PRINTED = re.compile(r"printed:([A-Za-z][A-Za-z0-9 _-]{0,39})", re.ASCII)  # a placeholder in the client's command
TAGGED = {"orte_tag_output": "1"}  # Open MPI names the rank of each line
KNOWN = frozenset((*OF_ENDS, *OF_SIZES, ARGUMENTS, *NAMES)) - {"repetitions", "deadline_s"}

OPERATIONS, MEASURES = ("write", "read", "send", "write-imm"), ("throughput", "latency")
NOTHING = "none"  # the output of a program that only must work
PORT = 18800
# Libraries that a program preloads, also before the library of a modelled card: built with the program.
BUILD_LIBRARY = "[ $? = 0 ] && gcc -O2 -shared -fPIC -o {} -x c - <<'END'\n{}END\n"
PRELOAD = (
    *("sh", "-c"),
    'export LD_PRELOAD="${0#*=}${LD_PRELOAD:+:$LD_PRELOAD}" LAB_ADDRESS="$1" LAB_PEER="$2"; shift 2; exec "$@"',
)
LINE_BY_LINE = ("stdbuf", "-oL")  # else an ended program's output is lost in its buffer
# A server that stays is ended by a signal, which must not count as a failure; nor must its end shortly before, because
# it lost its client. One that waits for a key must not read the end of its input.
STAYS = (
    *("sh", "-c"),
    'key=$(mktemp -u) && mkfifo "$key" && exec 4<>"$key" && rm "$key"; trap "exit 0" TERM; '
    '"$@" <&4 & wait $! || { status=$?; sleep 2 & wait $!; exit $status; }',
    "server",
)
# It prepares variables, and files in a new folder beside links to the binaries, as the program's user in its sandbox.
START, START_PROGRAM = (
    "lab_start.sh",
    r"""#!/bin/sh
fresh() { [ "$folder" ] || { folder=$(mktemp -d) && cd "$folder" && ln -s "${0%/*}"/* .; } || exit; }
while :; do
	case $1 in
	-e) export "$2" && shift 2 ;;
	-f) fresh && mkdir -p "$(dirname "$2")" && rm -f "$2" && printf %s "$3" >"$2" && shift 3 || exit ;;
	-r) fresh && mkdir -p "$(dirname "$2")" && results=$2 && shift 2 || exit ;;
	*) break ;;
	esac
done
[ "$folder" ] || exec "$@"
"$@"
status=$?
[ ! -f "$results" ] || cat "$results"
cd / && rm -rf "$folder"
exit $status
""",
)
ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=", re.ASCII)
BUILD_START = "[ $? = 0 ] && cat >" + START + " <<'END'\n" + START_PROGRAM + "END\n"
# A client that stays is ended by awk, once all lines that it waits for are there. mawk must not wait for more of them.
CLIENT_STAYS = """trap "exit 0" TERM; enough=$1; shift; exec 3>&1; awk=$(command -v mawk) && awk="$awk -W interactive"
status=$({ { "$@" 3>&- 4>&-; echo $? >&4; } | ${awk:-awk} "$enough" >&3; } 4>&1); exit $status"""
ENOUGH = """BEGIN {{ {left} }}
{{ print; fflush(); sub(/^\\[1,[01]\\]<std(out|err)>:/, "") }}
$0 ~ {result} {{ for (size in left) if ($0 ~ size) delete left[size]; for (size in left) next; system("kill 0") }}"""

Words = tuple[str, ...]


def split(command: str) -> Words:
    """Split a command as a shell would, without a shell; raise ValueError for an open quote."""
    return tuple(shlex.split(command))


SHELL = re.compile(r"[&|;<>()$`*?~\n]|^\s*\w+=")
COMPILED = ("", ".out", ".exe", ".bin", ".elf")  # suffixes of programs; binaries with others are scripts and data


def places(words: Iterable[str]) -> frozenset[str]:
    """Return the names between braces; raise ValueError for a single brace."""
    parsed = (part for word in words for part in Formatter().parse(word))
    return frozenset(
        f"{name}{'!' + conversion if conversion else ''}{':' + form if form else ''}"
        for _, name, form, conversion in parsed
        if name is not None
    )


def fill(words: Words, values: Mapping[str, object], several: Mapping[str, Words]) -> Words:
    """Fill in values. A word that is a key of `several` becomes several words."""
    filled: list[str] = []
    for word in words:
        filled += several[word] if word in several else [word.format_map(values)]
    return tuple(filled)


class PrintedPlace:
    """The value of `printed`: `{printed:TEXT}` becomes a mark, since the site knows the value only when it runs."""

    def __init__(self, texts: Words) -> None:
        self.texts = texts

    def __format__(self, text: str) -> str:
        return MARK.format(self.texts.index(text))


class Addresses(tuple[str, ...]):
    """The addresses of all computers: `{address:2}` is that of rank 2, and `{addresses: }` has spaces for commas."""

    def __format__(self, which: str) -> str:
        return self[int(which) % len(self)] if which.isdecimal() else (which or ",").join(self)


@dataclass(frozen=True)
class Commands:
    """The commands of both ends, or of each computer; a binary's argv[0] is its path on the site."""

    server: Words
    client: Words
    each: Words
    computers: int
    arguments: Words
    table: "ProgramTable"
    printed_lines: Printed

    @property
    def places(self) -> frozenset[str]:
        return places((*self.server, *self.client, *self.each, *self.arguments, *self.table.files.values()))

    @property
    def printed(self) -> Words:
        """Return the texts of `{printed:TEXT}` in the client's command."""
        return tuple(sorted(match[1] for name in places(self.client) if (match := PRINTED.fullmatch(name))))

    def parts(self, request: Request) -> tuple[tuple[Counts, ...], ...]:
        """Return the sizes of each pair of processes."""
        return tuple((counts,) for counts in request.counts) if "size" in self.places else (request.counts,)

    def steps(self, request: Request, ends: Ends) -> tuple[Step, ...]:
        return tuple(self._step(request, ends, counts, port) for port, counts in enumerate(self.parts(request), PORT))

    def _step(self, request: Request, ends: Ends, counts: tuple[Counts, ...], port: int) -> Step:
        shared = vars(request.parameters) | {
            "host": ends.server.host,
            "source": ends.client.host,
            "port": port,
            "size": counts[0].size,
            "sizes": ",".join(str(size.size) for size in counts),
            "iterations": counts[0].iterations,
            "warmup": counts[0].warmup,
            "printed": PrintedPlace(self.printed),
        }

        def filled(words: Words, end: End, **more: object) -> Words:
            values = shared | {"device": end.device, "gid": end.gid} | more
            libraries = ":".join(f"{DIRECTORY}/{name}" for name in table.libraries)
            peer = ends.client if end == ends.server else ends.server
            hosts = (end.host, peer.host)
            starter = (*PRELOAD, f"preload={libraries}", *hosts, *LINE_BY_LINE) if libraries else LINE_BY_LINE
            arguments = fill(self.arguments, values, {})
            words = fill(words, values, {"{arguments}": arguments, "{addresses}": addresses})
            written = {name: _written(text, values, addresses) for name, text in table.files.items()}
            options = [word for name, text in written.items() for word in ("-f", name, text)]
            options += ["-r", table.result_file] if table.result_file else []
            start = (f"{DIRECTORY}/{START}", *options) if table.is_prepared else ()
            return *starter, *start, *words

        table, computers = self.table, ends.first(self.computers)
        addresses = Addresses(end.host for end in computers)
        if self.each:
            shared |= {"computers": self.computers, "address": addresses, "addresses": addresses}
            ranks = tuple(
                filled(self.each, end, rank=rank, index=rank + 1, previous=addresses[rank - 1], next=following)
                for rank, (end, following) in enumerate(zip(computers, (*addresses[1:], addresses[0]), strict=True))
            )
            if table.mpi:
                return mpi.launch_together(table.mpi, ends.launcher, computers, ranks, TAGGED)
            return Step((), ranks[0], port, ranks=ranks)
        server, client = filled(self.server, ends.server), filled(self.client, ends.client)
        step = Step(server, client, port, table.ready or Ready(tcp=port, cm=port), self.printed or None)
        if table.mpi:
            step = mpi.launch(table.mpi, ends, client, server, TAGGED)
        elif table.server_stays or table.client_stays:
            step = replace(step, server=(*STAYS, *server))
        if table.client_stays:
            enough = _enough(self.printed_lines, [size.size for size in counts])
            step = replace(step, client=("sh", "-c", CLIENT_STAYS, "client", enough, *step.client))
        return step


def _written(text: str, values: Mapping[str, object], addresses: Words) -> str:
    """Return the text of a file. A line with `{address}` is there once for each computer."""
    each = [{"rank": rank, "index": rank + 1, "address": address} for rank, address in enumerate(addresses)]
    return "".join(
        line.format_map({**values, **of_rank})
        for line in text.splitlines(keepends=True)
        for of_rank in (each if "{address}" in line else ({},))
    )


def _enough(printed: Printed, sizes: Iterable[int]) -> str:
    """Return the program for awk that ends the client."""
    result, left = lines_about(printed, sizes)
    quoted = ['"' + text.replace("\\", r"\\").replace('"', r"\"") + '"' for text in (result, *left)]
    return ENOUGH.format(result=quoted[0], left="; ".join(f"left[{text}]" for text in quoted[1:]))


@dataclass(frozen=True)
class ProgramTable:
    """A student program's table of an experiment; docs/programs.md shows a whole one."""

    folder: Annotated[str, TEXT, '"mine"']
    build: Annotated[str, TEXT, '"make -s"']
    binaries: Annotated[tuple[Annotated[str, TEXT], ...], Limits(shortest=1, unique=True), '["mine"]']
    output: Annotated[str, Limits(choices=("csv", "columns", "pattern", NOTHING)), '"columns"']
    server: Annotated[str, TEXT] = ""
    client: Annotated[str, TEXT] = ""
    each: Annotated[str, TEXT] = ""
    pattern: Annotated[str, TEXT] = ""
    unit: Annotated[str, TEXT] = ""
    size_unit: Annotated[str, Limits(choices=("B", "KB", "MB", "ints", "doubles"))] = "B"
    factor: Annotated[int | float, Limits(above=0, most=1000)] = 1
    printed_by: Annotated[str, Limits(choices=ENDS)] = "client"
    sources: tuple[Annotated[str, TEXT], ...] = ANY_SOURCE
    ready: Annotated[Ready | None, Limits(shortest=1)] = None
    server_stays: bool = False
    client_stays: bool = False
    files: Mapping[str, Annotated[str, TEXT]] = field(default_factory=dict)
    result_file: str = ""
    mpi: Annotated[str, Limits(choices=("tcp", "verbs"))] = ""
    rdma: bool = False
    grants: Annotated[str, Limits(choices=("connectx",))] = ""
    emulate: Annotated[
        tuple[Annotated[str, Limits(choices=("addresses", "devices", "gids", "hostname", "lids"))], ...],
        Limits(unique=True),
    ] = ()
    both_spin: bool = False

    @property
    def commands(self) -> str:
        return " ".join((self.server, *self.files.values(), self.client, self.each))

    @property
    def is_prepared(self) -> bool:
        """Whether it is started by START."""
        firsts = (word for command in (self.server, self.client, self.each) for word in split(command)[:1])
        return bool(self.files or self.result_file or any(map(ASSIGNMENT.match, firsts)))

    @property
    def libraries(self) -> dict[str, Path]:
        """The source of each library that it preloads."""
        names = (*self.emulate, "grants") if self.grants else self.emulate
        return {f"lab_{name}.so": CARD / f"{name}.c" for name in names}


def make_program(name: str, table: ProgramTable, folder: Path, arguments: str = "", computers: int = 2) -> Program:
    """Make the program of a checked table of [programs], with the arguments of a series."""
    binaries = tuple(folder / file for file in table.binaries)
    server, client, each = (_placed(split(text), binaries) for text in (table.server, table.client, table.each))
    data = tuple(file for file in table.binaries if is_data(PurePath(file)))
    used = places((*server, *client, *each, *split(arguments), *table.files.values()))
    rdma = table.rdma or table.mpi == "verbs" or bool(used & {"device", "gid"})
    chooses_sizes = not used & {"size", "sizes"}
    columns = table.output == "columns"
    printed = Printed(
        COLUMNS if columns else re.compile(table.pattern, re.ASCII),
        table.unit,
        only=columns,
        # A device's completion shows that the data arrived; a socket's sender needs an answer.
        stop="completed" if rdma else "confirmed",
        factor=Decimal(str(table.factor)),
        size_unit=table.size_unit,
        sizes_of_its_own=chooses_sizes,
    )
    build_words = build_command(table.build, table.libraries, prepared=table.is_prepared)
    build = Build(build_words, folder, (*table.sources, *data) if table.sources else ())
    commands = Commands(server, client, each, computers, split(arguments), table, printed)
    return Program(
        name,
        frozenset(product(OPERATIONS, MEASURES)),
        commands.steps,
        partial(_read, commands),  # not a closure: plans are pickled
        (*binaries, *(folder / name for name in (*table.libraries, *([START] if table.is_prepared else ())))),
        build=build,
        prints_samples=table.output == "csv",
        both_spin=table.both_spin,
        grants=table.grants,
        emulated=table.emulate,
        rdma=rdma,
        same_counts="size" not in used and bool(used & {"iterations", "warmup"}),
        parameters=frozenset(used & (set(NAMES) | set(OF_SIZES))) | {"sizes"},
        reading=_reading(table),
        reads_iterations="(?P<total>" in table.pattern and "(?P<messages>" not in table.pattern,
        launched=bool(table.mpi),
        together=bool(table.each),
        silent=table.output == NOTHING,
        chooses_sizes=chooses_sizes,
        one_size=chooses_sizes and table.output == "pattern" and "(?P<size>" not in table.pattern,
    )


def is_data(binary: PurePath) -> bool:
    """Return whether a file of `binaries` is a script or data, which no build makes."""
    return binary.suffix not in COMPILED


def build_command(text: str, libraries: Mapping[str, Path], *, prepared: bool = False) -> Words:
    """Return the words of a command; a shell runs one that has a shell's signs, or builds libraries or START."""
    more = [BUILD_LIBRARY.format(name, source.read_text()) for name, source in libraries.items()]
    more += [BUILD_START] if prepared else []
    if more:
        return "sh", "-c", "\n".join((text, *more))
    return ("sh", "-c", text) if SHELL.search(text) else split(text)


def _placed(words: Words, binaries: tuple[Path, ...]) -> Words:
    """Replace the program's name, and each name of a script or of data, by its path on the site. The variables before
    the program become options of START."""
    variables = list(takewhile(ASSIGNMENT.match, words))
    words = words[len(variables) :]
    names = {file.name for file in binaries}
    data = {file.name for file in binaries if is_data(file)}
    placed = (word in (data if index else names) for index, word in enumerate(words))
    options = (word for variable in variables for word in ("-e", variable))
    words = tuple(f"{DIRECTORY}/{word}" if is_file else word for word, is_file in zip(words, placed, strict=True))
    return *options, *words


def _reading(table: ProgramTable) -> str:
    """Describe how the output is read, as a part of the key; a default adds nothing."""
    parts = [table.output, table.pattern, table.unit]
    parts += [f"times {table.factor}"] if table.factor != 1 else []
    parts += [f"sizes in {table.size_unit}"] if table.size_unit != "B" else []
    parts += [f"of the {table.printed_by}"] if table.printed_by != "client" else []
    return " ".join(parts)


def _read(commands: Commands, request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    table, printed = commands.table, commands.printed_lines
    if table.output == NOTHING:
        return Reading({}, ())
    outcomes = tuple(map(by_rank, outcomes)) if table.mpi else outcomes
    if table.output == "csv":
        return read_samples(outcomes[0].client_out, request)
    parts = commands.parts(request)
    if len(outcomes) != len(parts):
        what = f"{plural(len(outcomes), 'output')} for {plural(len(parts), 'pair')} of programs"
        raise ParseError(what, where=request.program)

    def read(end: str) -> Reading:
        texts = (output(outcome, end, with_errors=not printed.only) for outcome in outcomes)
        return read_printed(printed, request, zip(texts, parts, strict=True))

    try:
        return read(table.printed_by)
    except ParseError:
        with suppress(ParseError):
            if table.mpi:
                return read("server")  # only rank 1 prints results
        raise
