"""The table of causes: instructions by kind of work."""

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
from lab.typed_json import JsonTable, parse_as, whole

FILE = Path(__file__).with_name("classes.toml")
FOLDER = "causes"  # in the folder of the tables
CLASSES, FUNCTIONS = "{}.csv", "{}.functions.csv"  # by an experiment's name
# Tolerated difference between the starts of two trials: in instructions, and as a share of the messages' instructions.
LUCK, LUCK_SHARE = 100_000, 0.1
OTHER = "other"  # functions of the kernel without a class
WAITING = "waiting"  # polls that found nothing, and a halted CPU


@dataclass(frozen=True)
class Kind:
    name: str
    functions: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def has(self, function: Function) -> bool:
        module = function.module
        if not module:
            return _is_any(function.owner, self.files)
        return _is_any(module, self.modules) or _is_any(function.name, self.functions)


@cache
def classes() -> tuple[Kind, ...]:
    tables: list[JsonTable] = tomllib.loads(FILE.read_text())["class"]
    return tuple(parse_as(Kind, table) for table in tables)


@cache
def class_of(function: Function) -> str:
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
    time_ns: int  # of the messages
    functions: Tally
    record: str

    @property
    def instructions(self) -> int:
        """The instructions for the messages, without polls that found nothing."""
        return sum(self.functions.values()) - self.functions[POLLING]

    @property
    def is_of_the_start(self) -> bool:
        """Whether the starts of the two trials differ too much: a program that polls for its peer executes more
        instructions the longer it waits, which is random."""
        less = -sum(number for number in self.functions.values() if number < 0)
        return less > max(LUCK, LUCK_SHARE * (self.instructions + less))

    def classes(self) -> Counter[str]:
        """Count the instructions of each kind of work, a nanosecond of VM time each; all other time is waiting."""
        kinds = Counter[str]()
        for function, instructions in self.functions.items():
            kinds[class_of(function)] += instructions
        kinds[WAITING] = self.time_ns - self.instructions
        return Counter({name: number for name, number in kinds.items() if number})


def difference(twice: Tally, once: Tally) -> Tally:
    """Subtract two tallies; a count is negative if the start of the first trial needed fewer instructions."""
    return Counter({function: more for function in twice | once if (more := twice[function] - once[function])})


@dataclass(frozen=True)
class Cause:
    """A kind of work at one end, for all messages together."""

    series: str
    size_bytes: int
    end: str
    messages: int
    work: str
    instructions: int
    record: str

    @property
    def per_message(self) -> float:
        return self.instructions / self.messages


def file_of(experiment: str, results: Path) -> Path:
    """Return the table by kind of work in a folder of results."""
    return results / FOLDER / CLASSES.format(experiment)


def files_of(experiment: str, results: Path) -> tuple[Path, Path]:
    """Return the tables for a report: the reference's, which a grader has too, then the local one."""
    return file_of(experiment, REFERENCE), file_of(experiment, results)


COLUMNS = tuple(column.name for column in fields(Cause))
FUNCTION_COLUMNS = (*COLUMNS[:5], "owner", "function", *COLUMNS[5:])


def rows(shares: Iterable[Share]) -> Iterator[Cause]:
    """Yield a row for each kind of work, the largest first."""
    for share in shares:
        for work, number in sorted(share.classes().items(), key=lambda entry: (-entry[1], entry[0])):
            yield Cause(share.series, share.size_bytes, share.end, share.messages, work, number, share.record)


def format_classes(causes: Iterable[Cause]) -> str:
    return csv_text(COLUMNS, map(astuple, causes))


def format_functions(shares: Iterable[Share]) -> str:
    """Format a row for each function, the largest first."""
    return csv_text(
        FUNCTION_COLUMNS,
        (
            (
                *(share.series, share.size_bytes, share.end, share.messages),
                *(class_of(function), *function, number, share.record),
            )
            for share in shares
            for function, number in sorted(share.functions.items(), key=lambda entry: (-entry[1], entry[0]))
        ),
    )


def read(file: Path) -> tuple[Cause, ...]:
    try:
        with file.open(newline="") as opened:
            return tuple(_row(cells) for cells in csv.DictReader(opened))
    except (KeyError, ValueError, TypeError, csv.Error) as error:
        raise LabError("is not a table of causes", str(file), "lab profile, which writes it") from error


def _row(cells: dict[str, str]) -> Cause:
    cause = Cause(
        cells["series"], whole(cells["size_bytes"]), cells["end"], whole(cells["messages"]), cells["work"],
        whole(cells["instructions"]), cells["record"],
    )  # fmt: skip
    if cause.messages < 1:
        raise ValueError(cause.messages)
    return cause
