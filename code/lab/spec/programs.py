"""The [programs] of an experiment file: their faults, and the programs that series can name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from lab.files.fault import Fault, Keys
from lab.programs import PROGRAMS
from lab.programs.own import NOTHING, OwnTable, own_program
from lab.programs.placeholders import ARGUMENTS, KNOWN, places, split
from lab.programs.request import Program
from lab.programs.units import KNOWN as UNITS
from lab.programs.units import is_unit
from lab.spec.document import Document, SeriesTable

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
        yield Fault(f"the lab has a program {name!r} already", path, "another name")
    folder = file.parent / table.folder
    if not folder.is_dir():
        yield Fault(f"there is no folder {table.folder!r}", (*path, "folder"), "one beside the experiment's file")
    elif folder.resolve() in file.resolve().parent.parents:
        what = f"the folder {table.folder!r} holds more than the programs: the experiment's own folder lies in it"
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
            yield Fault(f"{str(file)!r} lies outside of the program's folder", (*path, index), "a path inside it")
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
        yield Fault(f"the lab knows no place {{{unknown[0]}}}", path, _listed(known))


def _output_faults(table: OwnTable, path: Keys) -> Iterator[Fault]:
    words = f"{table.server} {table.client}"
    per_size = "{size}" in words
    if per_size and "{sizes}" in words:
        yield Fault(
            "the commands name the sizes in two ways", (*path, "client"), "either {sizes} or {size}, or neither"
        )
    if table.output == "csv" and "{sizes}" not in words:
        yield Fault("the lab's CSV holds all sizes", (*path, "output"), "{sizes} in the commands")
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
        yield Fault(f"the pattern is no regular expression: {error}", (*path, "pattern"))
        return
    if missing := sorted(wanted - set(groups)):
        yield Fault(
            f"the pattern has no group named {missing[0]}", (*path, "pattern"), f"a group (?P<{missing[0]}>...)"
        )
    if table.unit and not is_unit(table.unit):
        yield Fault(f"{table.unit!r} is no unit", (*path, "unit"), "one such as " + ", ".join(UNITS.values()))


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
