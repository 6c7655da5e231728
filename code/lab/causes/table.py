"""The tables of what messages cost: by function, and by kind of work, which a report reads."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from lab.causes.classes import class_of
from lab.causes.share import Share
from lab.errors import LabError
from lab.files.csv_text import csv_text
from lab.places import REFERENCE

FOLDER = "causes"  # beside the tables of records
CLASSES, FUNCTIONS = "{}.csv", "{}.functions.csv"  # by an experiment's name


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
    """The table by kind of work that is kept beside these results."""
    return results / FOLDER / CLASSES.format(experiment)


def files_of(experiment: str, results: Path) -> tuple[Path, Path]:
    """Where a report looks for it: what comes with the lab, which a grader has too, then what was counted here."""
    return file_of(experiment, REFERENCE), file_of(experiment, results)


COLUMNS = tuple(each.name for each in fields(Cause))
FUNCTION_COLUMNS = (*COLUMNS[:5], "owner", "function", *COLUMNS[5:])


def rows(shares: Iterable[Share]) -> Iterator[Cause]:
    """A row for each kind of work, the largest first."""
    for share in shares:
        for work, number in sorted(share.classes().items(), key=lambda each: (-each[1], each[0])):
            yield Cause(share.series, share.size_bytes, share.end, share.messages, work, number, share.record)


def format_classes(found: Iterable[Cause]) -> str:
    """The table by kind of work."""
    return csv_text(COLUMNS, map(astuple, found))


def format_functions(shares: Iterable[Share]) -> str:
    """The table by function, the largest first."""
    return csv_text(FUNCTION_COLUMNS, _of_functions(shares))


def _of_functions(shares: Iterable[Share]) -> Iterator[tuple[object, ...]]:
    for share in shares:
        place = (share.series, share.size_bytes, share.end, share.messages)
        for function, number in sorted(share.functions.items(), key=lambda each: (-each[1], each[0])):
            yield (*place, class_of(function), *function, number, share.record)


def read(file: Path) -> tuple[Cause, ...]:
    """The rows of a table by kind of work."""
    try:
        with file.open(newline="") as opened:
            return tuple(_row(each) for each in csv.DictReader(opened))
    except (KeyError, ValueError, TypeError, UnicodeDecodeError) as error:
        raise CausesError("is no table of causes", str(file), "lab causes, which writes it") from error


def _row(cells: dict[str, str]) -> Cause:
    found = Cause(
        cells["series"], int(cells["size_bytes"]), cells["end"], int(cells["messages"]), cells["work"],
        int(cells["instructions"]), cells["record"],
    )  # fmt: skip
    if found.messages < 1:
        raise ValueError(found.messages)
    return found
