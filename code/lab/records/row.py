"""One row of an experiment's table: its series, point and size, and the measured values in whole numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lab.errors import ParseError
from lab.programs.request import PROCESSOR

WORDS = ("series", "program", "operation", "measure")
ABOUT = (*WORDS, "repetition", "size_bytes")  # and the varied values
COLUMNS = (
    *ABOUT,
    "messages",
    "completed_ns",
    "completed_bytes_per_s",
    "confirmed_bytes",
    "confirmed_ns",
    "confirmed_bytes_per_s",
    "steady_bytes_per_s",
    "round_trip_ns",
    "round_trip_kind",
    "record",
)
# Only of our programs.
OF_PROCESSORS = ("processor_messages", *(f"{sample}_ns" for names in PROCESSOR.values() for sample in names))
OF_ROUNDS = ("rounds", "stable")  # only where rounds were repeated until they agree
SIDES = ("send", "receive")
# Only in one-way measures, where each end has its own time.
OF_SIDES = tuple(f"{side}_{kind}_ns" for side in SIDES for kind in ("mean", "median"))
TEXTS = ("round_trip_kind", "stable")
COUNTED = tuple(
    name for name in (*COLUMNS, *OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES) if name not in (*ABOUT, *TEXTS, "record")
)


@dataclass(frozen=True)
class Row:
    """A series at one point, in one repetition, at one size."""

    series: str
    program: str
    operation: str
    measure: str
    repetition: int
    size_bytes: int
    record: str  # the first letters of its record's key
    point: Mapping[str, str] = field(default_factory=dict)  # the varied parameters, as the CSV spells them
    counts: Mapping[str, int] = field(default_factory=dict)  # the measured values by column
    round_trip_kind: str = ""
    stable: str = ""

    def cells(self) -> dict[str, str]:
        """The texts of the CSV; empty where nothing was measured."""
        own = {name: str(getattr(self, name)) for name in (*ABOUT, *TEXTS, "record")}
        names = (
            *COLUMNS,
            *(name for name in (*OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES) if own.get(name) or name in self.counts),
        )
        return {name: own.get(name, str(self.counts.get(name, ""))) for name in names} | dict(self.point)

    def label(self, *, of_all: bool = False) -> str:
        """The series, point and size in words; with the repetition, or for all repetitions together."""
        numbers = {"repetition": self.repetition, "size_bytes": self.size_bytes}
        if of_all:
            del numbers["repetition"]
        named = [f"{name}={value}" for name, value in (*numbers.items(), *self.point.items())]
        return " ".join([self.series, self.program, self.operation, self.measure, *named])


def format_table(names: Iterable[str], rows: Iterable[Row]) -> str:
    """The CSV text."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.cells() for row in rows)
    return text.getvalue()


def parse_table(text: str) -> list[Row]:
    """The rows of a CSV that format_table wrote; an error where it is another."""
    try:
        return list(_rows(text))
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise ParseError(f"is no table of records: {error!r:.200}") from error


def is_table(text: str) -> bool:
    """Whether its columns are those of a table of records."""
    return "series" in text.partition("\n")[0].strip().split(",")


def _rows(text: str) -> Iterator[Row]:
    for cells in csv.DictReader(io.StringIO(text)):
        given = {name: value for name, value in cells.items() if value}
        counts = {name: int(given[name]) for name in COUNTED if name in given}
        texts = {name: given.get(name, "") for name in (*WORDS, *TEXTS)}
        point = {name: value for name, value in given.items() if name not in (*ABOUT, *TEXTS, *COUNTED, "record")}
        repetition, size = int(given["repetition"]), int(given["size_bytes"])
        yield Row(**texts, repetition=repetition, size_bytes=size, record=given["record"], point=point, counts=counts)
