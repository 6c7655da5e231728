"""Numbers of published reports: curves, times, tables of values, and parameters."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Annotated, Any

from lab.analysis.estimate import Estimate
from lab.analysis.lines import Line, fit_line
from lab.errors import SpecError
from lab.files.bounded import read_typed
from lab.files.toml import read_toml
from lab.places import PUBLISHED
from lab.report.tex.numbers import NANO
from lab.typed_json import Fault, Limits

INDEX = "curves.toml"
BASE_UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}

Entry = dict[str, Any]
Text = Annotated[str, Limits(shortest=1, longest=1000)]
FileName = Annotated[str, Limits(pattern=r"\w[^/]*", expected="the name of a file beside this one")]
Experiments = Annotated[tuple[str, ...], Limits(shortest=1)]


@dataclass(frozen=True)
class CurveEntry:
    """A column of rates; one that lost a fixed amount in print, from a size on, has that amount."""

    experiments: Experiments
    label: Text
    machine: Text
    file: FileName
    value: Text
    bytes_per_s: Annotated[float, Limits(above=0)]
    note: Text
    where: Mapping[str, str] = field(default_factory=dict)
    name: Text = ""
    restored_from_bytes: Annotated[int | None, Limits(least=0)] = None
    restored_by: float | None = None
    card: Text = ""


@dataclass(frozen=True)
class TimesEntry:
    """A column of times."""

    experiments: Experiments
    name: Text
    label: Text
    machine: Text
    file: FileName
    size: Text
    seconds: Text
    what: Text
    card: Text = ""


@dataclass(frozen=True)
class ParametersEntry:
    """The parameters of a report."""

    experiments: Experiments
    label: Text
    values: Mapping[str, int]


@dataclass(frozen=True)
class ValuesEntry:
    """A table of quantities."""

    experiments: Experiments
    name: Text
    label: Text
    file: FileName


@dataclass(frozen=True)
class Index:
    """The tables of curves.toml."""

    curve: tuple[CurveEntry, ...] = ()
    times: tuple[TimesEntry, ...] = ()
    parameters: tuple[ParametersEntry, ...] = ()
    values: tuple[ValuesEntry, ...] = ()


def entries(kind: str, experiment: str, folder: Path) -> Iterator[Entry]:
    """The entries of one kind in the index that belong to an experiment."""
    return (entry for entry in all_entries(kind, folder) if experiment in entry["experiments"])


def all_entries(kind: str, folder: Path) -> Iterator[Entry]:
    """All entries of one kind in the index."""
    index = read_toml(folder / INDEX, Index)
    for number, curve in enumerate(index.content.curve):
        if (curve.restored_by is None) != (curve.restored_from_bytes is None):
            expected = "restored_from_bytes together with restored_by"
            index.refuse(Fault("one of two keys that go together is missing", ("curve", number), expected))
    yield from index.document.get(kind, ())


def rows_of(entry: Entry, folder: Path, columns: dict[str, type]) -> tuple[dict[str, str], ...]:
    """The rows of an entry's file, all of which have these columns, each of its type."""
    file = folder / entry["file"]
    rows = tuple(csv.DictReader(io.StringIO(read_typed(file), newline="")))
    if not rows:
        raise SpecError("holds no rows", file=file)
    for line, row in enumerate(rows, 2):
        for name, kind in columns.items():
            if not _reads(row.get(name), kind):
                what = f"{name} is {row.get(name)!r:.60}"
                raise SpecError(what, file=file, line=line, expected="a number" if kind is not str else "a text")
    return rows


def _reads(value: str | None, kind: type) -> bool:
    try:
        return value is not None and math.isfinite(kind(value)) if kind is not str else isinstance(value, str)
    except (ValueError, TypeError, OverflowError):
        return False


@dataclass(frozen=True)
class PublishedCurve:
    """One curve in B/s, each point from a single run; the note warns its reader."""

    label: str
    machine: str
    note: str
    sizes: tuple[int, ...]
    rates: tuple[Estimate, ...]
    card: str = ""  # the modelled card that stands for the machine's
    name: str = ""

    @property
    def slug(self) -> str:
        """Its name, or `Report A, verbs` as report_a."""
        return self.name or self.label.partition(",")[0].lower().replace(" ", "_")

    def by_size(self) -> dict[int, float]:
        """The rate of each size, in B/s."""
        return {size: rate.value for size, rate in zip(self.sizes, self.rates, strict=True)}


def published_curves(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedCurve, ...]:
    """The curves that belong beside an experiment."""
    return tuple(_curve(entry, folder) for entry in entries("curve", experiment, folder))


def published_curve(file: str, folder: Path = PUBLISHED) -> PublishedCurve | None:
    """The only curve in a file there; None where it holds another number of them."""
    found = [entry for entry in all_entries("curve", folder) if entry["file"] == file]
    return _curve(found[0], folder) if len(found) == 1 else None


def _curve(entry: Entry, folder: Path) -> PublishedCurve:
    where = entry.get("where", {})
    wanted: dict[str, type] = dict.fromkeys(where, str)
    points = [
        (int(row["size_bytes"]), float(row[entry["value"]]))
        for row in rows_of(entry, folder, wanted | {"size_bytes": int, entry["value"]: float})
        if all(row[name] == value for name, value in where.items())
    ]
    rates = tuple(Estimate(_restored(entry, size, value) * entry["bytes_per_s"], None, 1) for size, value in points)
    sizes = tuple(size for size, _ in points)
    about = entry.get("card", ""), entry.get("name", "")
    return PublishedCurve(entry["label"], entry["machine"], entry["note"], sizes, rates, *about)


def _restored(entry: Entry, size: int, value: float) -> float:
    """A value; a size at which its column lost a fixed amount in print gets that amount back."""
    lost = size >= entry.get("restored_from_bytes", size + 1)
    return value + entry["restored_by"] if lost else value


@dataclass(frozen=True)
class PublishedTimes:
    """One time in seconds for each message of a run."""

    name: str
    label: str
    points: tuple[tuple[int, float], ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({size for size, _ in self.points}))

    def rate(self, size: int) -> float:
        """The median rate of a size, in B/s."""
        return median(bytes_ / seconds for bytes_, seconds in self.points if bytes_ == size)

    def line(self, low: int, high: int) -> Line:
        """The line through the times in ns of the sizes in this range, all of one repetition."""
        points = [(float(size), seconds / NANO) for size, seconds in self.points if low <= size <= high]
        sizes, times = zip(*points, strict=True)
        return fit_line(sizes, (times,))


def published_times(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedTimes, ...]:
    """The times that belong to an experiment."""
    return tuple(_times(entry, folder) for entry in entries("times", experiment, folder))


def _times(entry: Entry, folder: Path) -> PublishedTimes:
    size, seconds = entry["size"], entry["seconds"]
    rows = rows_of(entry, folder, {size: int, seconds: float})
    return PublishedTimes(entry["name"], entry["label"], tuple((int(row[size]), float(row[seconds])) for row in rows))


@dataclass(frozen=True)
class PublishedValues:
    """A table of quantities, a column for each variant: values and their units, by quantity and variant."""

    label: str
    values: dict[tuple[str, str], tuple[float, str]]


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    return tuple(_values(entry, folder) for entry in entries("values", experiment, folder))


def _values(entry: Entry, folder: Path) -> PublishedValues:
    rows = rows_of(entry, folder, {"quantity": str, "unit": str})
    variants = [name for name in rows[0] if name not in ("quantity", "unit")]
    rows_of(entry, folder, dict.fromkeys(variants, float))
    values: dict[tuple[str, str], tuple[float, str]] = {}
    for row in rows:
        if row["unit"] not in BASE_UNITS:
            file = folder / entry["file"]
            raise SpecError(f"unit {row['unit']!r}", file=file, expected=f"one of {', '.join(BASE_UNITS)}")
        unit, scale = BASE_UNITS[row["unit"]]
        values |= {(row["quantity"], variant): (float(row[variant]) * scale, unit) for variant in variants}
    return PublishedValues(entry["label"], values)


@dataclass(frozen=True)
class PublishedParameters:
    """The report and its values, by the names that the experiment's file has for them."""

    label: str = ""
    values: dict[str, int] = field(default_factory=dict)


def published_parameters(experiment: str, folder: Path = PUBLISHED) -> PublishedParameters:
    """Those of the report that an experiment repeats; empty where it repeats none."""
    for entry in entries("parameters", experiment, folder):
        return PublishedParameters(entry["label"], entry["values"])
    return PublishedParameters()
