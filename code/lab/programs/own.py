"""An experiment's own programs: their commands, and one of three ways to read their output."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path

from lab.errors import ParseError
from lab.model.parameters import NAMES, Counts
from lab.model.trial import DIRECTORY, End, Ends, Step, StepOutcome
from lab.programs.placeholders import OF_SIZES, Words, fill, places, split
from lab.programs.printed import COLUMNS, Printed, read_printed
from lab.programs.request import ANY_SOURCE, Build, Program, Reading, Request
from lab.programs.samples_csv import read_samples

PORT = 18800
OPERATIONS, MEASURES = ("write", "read", "send", "write-imm"), ("throughput", "latency")


@dataclass(frozen=True)
class Commands:
    """Both ends' words; argv[0] of a binary is its path on the site."""

    server: Words
    client: Words
    arguments: Words

    @property
    def places(self) -> frozenset[str]:
        return places((*self.server, *self.client, *self.arguments))

    @property
    def pair_per_size(self) -> bool:
        return "size" in self.places


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
    sources: tuple[str, ...] = ANY_SOURCE
    both_spin: bool = False


def own_program(name: str, table: OwnTable, folder: Path, arguments: str = "") -> Program:
    """The program of one checked table of [programs], with the arguments of one series."""
    binaries = tuple(folder / file for file in table.binaries)
    server, client = (_placed(split(command), binaries) for command in (table.server, table.client))
    commands = Commands(server, client, split(arguments))
    used = commands.places
    return Program(
        name,
        frozenset(product(OPERATIONS, MEASURES)),
        partial(_steps, commands),
        partial(_parse, commands, _printed(table, rdma="device" in used)),
        binaries,
        build=Build(tuple(split(table.build)), folder, table.sources),
        prints_samples=table.output == "csv",
        both_spin=table.both_spin,
        rdma="device" in used,
        same_counts=not commands.pair_per_size and bool(used & {"iterations", "warmup"}),
        uses=frozenset(used & (set(NAMES) | set(OF_SIZES))) | {"sizes"},
        reading=" ".join((table.output, table.pattern, table.unit)),
    )


def _placed(words: Words, binaries: tuple[Path, ...]) -> Words:
    names = {file.name for file in binaries}
    return (f"{DIRECTORY}/{words[0]}" if words[0] in names else words[0], *words[1:])


def _printed(said: OwnTable, *, rdma: bool) -> Printed | None:
    """The format of the output. A device's completion shows arrival of the data; a socket's sender needs an answer."""
    stop = "completed" if rdma else "confirmed"
    if said.output == "csv":
        return None
    if said.output == "columns":
        return Printed(COLUMNS, only=True, stop=stop)
    return Printed(re.compile(said.pattern, re.ASCII), said.unit, stop=stop)


def _parts(commands: Commands, request: Request) -> tuple[tuple[Counts, ...], ...]:
    """The sizes of each pair of processes."""
    return tuple((each,) for each in request.counts) if commands.pair_per_size else (request.counts,)


def _steps(commands: Commands, request: Request, ends: Ends) -> tuple[Step, ...]:
    parts = enumerate(_parts(commands, request))
    return tuple(_step(commands, request, ends, counts, PORT + index) for index, counts in parts)


def _step(commands: Commands, request: Request, ends: Ends, counts: tuple[Counts, ...], port: int) -> Step:
    shared = request.parameters.as_dict() | {
        "host": ends.server.host,
        "source": ends.client.host,
        "port": port,
        "size": counts[0].size,
        "sizes": ",".join(str(each.size) for each in counts),
        "iterations": counts[0].iterations,
        "warmup": counts[0].warmup,
    }

    def filled(words: Words, end: End) -> Words:
        values = shared | {"device": end.device, "gid": end.gid}
        return fill(words, values, fill(commands.arguments, values, ()))

    return Step(filled(commands.server, ends.server), filled(commands.client, ends.client), port)


def _parse(commands: Commands, printed: Printed | None, request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    parts = _parts(commands, request)
    if len(outcomes) != len(parts):
        raise ParseError(f"{len(outcomes)} outputs for {len(parts)} pairs of programs", where=request.program)
    if printed is None:
        return read_samples(outcomes[0].client_out, request)
    return read_printed(printed, request, zip(outcomes, parts, strict=True))
