"""The table of causes: instructions by kind of work."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from lab.causes.symbols import POLLING, Function, Tally
from lab.errors import LabError
from lab.files.storage import csv_text
from lab.places import REFERENCE
from lab.typed_json import JsonTable, parse_as

FILE = Path(__file__).with_name("classes.toml")
FOLDER = "causes"  # beside the tables of records
CLASSES, FUNCTIONS = "{}.csv", "{}.functions.csv"  # by an experiment's name
ENDS = ("client", "server")
# By as much may the start of one trial be luckier: in instructions, and as a share of the messages' instructions.
LUCK, LUCK_SHARE = 100_000, 0.1
OTHER = "other"  # functions of the kernel that no class names
WAITING = "waiting"  # polls that found nothing, and the time in which the CPU is halted


@dataclass(frozen=True)
class Kind:
    """A kind of work, by the names of functions."""

    name: str
    functions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def has(self, function: Function) -> bool:
        """Whether a function is of this kind."""
        module = function.module
        if not module:
            return _is_any(function.owner, self.files)
        return _is_any(module, self.modules) or _is_any(function.name, self.functions)


@cache
def classes() -> tuple[Kind, ...]:
    """All kinds of work, in the order of their file."""
    tables: list[JsonTable] = tomllib.loads(FILE.read_text())["class"]
    return tuple(parse_as(Kind, table) for table in tables)


@cache
def class_of(function: Function) -> str:
    """The name of the first kind of work that has a function."""
    return next((kind.name for kind in classes() if kind.has(function)), OTHER)


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@dataclass(frozen=True)
class Share:
    """The instructions of one end for the messages of one window."""

    series: str
    size_bytes: int
    end: str
    messages: int
    time_ns: int  # in which they were sent
    functions: Tally
    record: str

    @property
    def instructions(self) -> int:
        """All that this end executed for the messages, without polls that found nothing."""
        return sum(self.functions.values()) - self.functions[POLLING]

    @property
    def is_of_the_start(self) -> bool:
        """Whether the starts of the two trials differ by too much: a program that polls for its peer executes more
        instructions the longer it waits, which is chance."""
        less = -sum(number for number in self.functions.values() if number < 0)
        return less > max(LUCK, LUCK_SHARE * (self.instructions + less))

    def classes(self) -> Counter[str]:
        """The instructions of each kind of work, each a nanosecond of VM time; what remains of the time is waiting."""
        found = Counter[str]()
        for function, instructions in self.functions.items():
            found[class_of(function)] += instructions
        found[WAITING] = self.time_ns - self.instructions
        return Counter({name: number for name, number in found.items() if number})


def difference(twice: Tally, once: Tally) -> Tally:
    """The excess of one tally over the other, by function; negative if the start of a trial was luckier."""
    return Counter({function: more for function in twice | once if (more := twice[function] - once[function])})


class CausesError(LabError):
    """A table that cannot be read."""


@dataclass(frozen=True)
class Cause:
    """One kind of work at one end, in whole numbers for all messages together."""

    series: str
    size_bytes: int
    end: str
    messages: int
    work: str
    instructions: int
    record: str

    @property
    def per_message(self) -> float:
        """The instructions of one message."""
        return self.instructions / self.messages


def file_of(experiment: str, results: Path) -> Path:
    """The table by kind of work beside these results."""
    return results / FOLDER / CLASSES.format(experiment)


def files_of(experiment: str, results: Path) -> tuple[Path, Path]:
    """The tables for a report: the reference's, which a grader has too, then the one that was counted here."""
    return file_of(experiment, REFERENCE), file_of(experiment, results)


COLUMNS = tuple(column.name for column in fields(Cause))
FUNCTION_COLUMNS = (*COLUMNS[:5], "owner", "function", *COLUMNS[5:])


def rows(shares: Iterable[Share]) -> Iterator[Cause]:
    """A row for each kind of work, the largest first."""
    for share in shares:
        for work, number in sorted(share.classes().items(), key=lambda entry: (-entry[1], entry[0])):
            yield Cause(share.series, share.size_bytes, share.end, share.messages, work, number, share.record)


def format_classes(causes: Iterable[Cause]) -> str:
    """The table by kind of work."""
    return csv_text(COLUMNS, map(astuple, causes))


def format_functions(shares: Iterable[Share]) -> str:
    """The table by function, the largest first."""
    return csv_text(FUNCTION_COLUMNS, _of_functions(shares))


def _of_functions(shares: Iterable[Share]) -> Iterator[tuple[object, ...]]:
    for share in shares:
        place = (share.series, share.size_bytes, share.end, share.messages)
        for function, number in sorted(share.functions.items(), key=lambda entry: (-entry[1], entry[0])):
            yield (*place, class_of(function), *function, number, share.record)


def read(file: Path) -> tuple[Cause, ...]:
    """The rows of a table by kind of work."""
    try:
        with file.open(newline="") as opened:
            return tuple(_row(cells) for cells in csv.DictReader(opened))
    except (KeyError, ValueError, TypeError, UnicodeDecodeError) as error:
        raise CausesError("is not a table of causes", str(file), "lab profile, which writes it") from error


def _row(cells: dict[str, str]) -> Cause:
    cause = Cause(
        cells["series"], int(cells["size_bytes"]), cells["end"], int(cells["messages"]), cells["work"],
        int(cells["instructions"]), cells["record"],
    )  # fmt: skip
    if cause.messages < 1:
        raise ValueError(cause.messages)
    return cause
