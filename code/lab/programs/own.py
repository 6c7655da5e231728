"""An experiment's own programs: what their table says, and the ways to read their output."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import product
from pathlib import Path

from lab.errors import ParseError
from lab.model.parameters import NAMES
from lab.model.trial import DIRECTORY, Ready, StepOutcome
from lab.programs.own_commands import Commands
from lab.programs.placeholders import OF_SIZES, Words, split
from lab.programs.printed import COLUMNS, Printed, output, read_printed
from lab.programs.request import ANY_SOURCE, Build, Program, Reading, Request
from lab.programs.samples_csv import read_samples

OPERATIONS, MEASURES = ("write", "read", "send", "write-imm"), ("throughput", "latency")
NOTHING = "none"  # the output of programs that only must work

Read = Callable[[Request, tuple[StepOutcome, ...]], Reading]


@dataclass(frozen=True)
class OwnTable:
    """A table of [programs]."""

    folder: str  # beside the experiment's file
    build: str
    binaries: tuple[str, ...]
    server: str
    client: str
    output: str
    pattern: str = ""
    unit: str = ""
    size_unit: str = "B"
    factor: int | float = 1
    printed_by: str = "client"
    sources: tuple[str, ...] = ANY_SOURCE
    ready: Ready | None = None
    server_stays: bool = False
    mpi: str = ""
    rdma: bool = False
    both_spin: bool = False


def own_program(name: str, table: OwnTable, folder: Path, arguments: str = "") -> Program:
    """The program of one checked table of [programs], with the arguments of one series."""
    binaries = tuple(folder / file for file in table.binaries)
    server, client = (_placed(split(command), binaries) for command in (table.server, table.client))
    commands = Commands(server, client, split(arguments), table.ready, table.server_stays, table.mpi)
    used = commands.places
    rdma = table.rdma or bool(used & {"device", "gid"})
    return Program(
        name,
        frozenset(product(OPERATIONS, MEASURES)),
        commands.steps,
        _reader(table, commands, rdma=rdma),
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
        loops=commands.loops,
        one_size=commands.loops and table.output == "pattern" and "(?P<size>" not in table.pattern,
    )


def _placed(words: Words, binaries: tuple[Path, ...]) -> Words:
    names = {file.name for file in binaries}
    return (f"{DIRECTORY}/{words[0]}" if words[0] in names else words[0], *words[1:])


def _reading(table: OwnTable) -> str:
    """All that decides how the output is read; what is not said changes no key."""
    said = [table.output, table.pattern, table.unit]
    said += [f"times {table.factor}"] if table.factor != 1 else []
    said += [f"sizes in {table.size_unit}"] if table.size_unit != "B" else []
    said += [f"of the {table.printed_by}"] if table.printed_by != "client" else []
    return " ".join(said)


def _reader(table: OwnTable, commands: Commands, *, rdma: bool) -> Read:
    """The format of the output. A device's completion shows arrival of the data; a socket's sender needs an answer."""
    if table.output == NOTHING:
        return lambda _, __: Reading({}, ())
    if table.output == "csv":
        return lambda request, outcomes: read_samples(outcomes[0].client_out, request)
    columns = table.output == "columns"
    printed = Printed(
        COLUMNS if columns else re.compile(table.pattern, re.ASCII),
        table.unit,
        only=columns,
        stop="completed" if rdma else "confirmed",
        factor=Decimal(str(table.factor)),
        size_unit=table.size_unit,
        sizes_of_its_own=commands.loops,
    )
    return partial(_parse, commands, printed, table.printed_by)


def _parse(
    commands: Commands, printed: Printed, end: str, request: Request, outcomes: tuple[StepOutcome, ...]
) -> Reading:
    parts = commands.parts(request)
    if len(outcomes) != len(parts):
        raise ParseError(f"{len(outcomes)} outputs for {len(parts)} pairs of programs", where=request.program)
    texts = (output(each, end, talk=not printed.only) for each in outcomes)
    return read_printed(printed, request, zip(texts, parts, strict=True))
