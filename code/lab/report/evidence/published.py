"""Numbers of published reports: curves, times, tables of values, and parameters."""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from statistics import median
from typing import Annotated, TypeVar

from lab.analysis.lines import Line, fit_line
from lab.errors import SpecError
from lab.files.bounded import read_typed
from lab.files.toml import read_toml
from lab.places import PUBLISHED
from lab.report.tex.numbers import NANO
from lab.typed_json import Fault, Limits

INDEX = "curves.toml"
BASE_UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}

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

    def restored(self, size: int, value: float) -> float:
        """A value with the amount that its column lost in print."""
        is_lost = self.restored_from_bytes is not None and size >= self.restored_from_bytes
        return value + (self.restored_by or 0.0) if is_lost else value


@dataclass(frozen=True)
class TimesEntry:
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
    """The parameters of a report, by the names of an experiment's file; nothing by default."""

    experiments: Experiments = ()
    label: Text = ""
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ValuesEntry:
    experiments: Experiments
    name: Text
    label: Text
    file: FileName


@dataclass(frozen=True)
class Index:
    curve: tuple[CurveEntry, ...] = ()
    times: tuple[TimesEntry, ...] = ()
    parameters: tuple[ParametersEntry, ...] = ()
    values: tuple[ValuesEntry, ...] = ()


Entry = TypeVar("Entry", CurveEntry, TimesEntry, ParametersEntry, ValuesEntry)


def _index(folder: Path) -> Index:
    file = read_toml(folder / INDEX, Index)
    for number, curve in enumerate(file.content.curve):
        if (curve.restored_by is None) != (curve.restored_from_bytes is None):
            expected = "restored_from_bytes together with restored_by"
            file.refuse(Fault("one of two keys that go together is missing", ("curve", number), expected))
    return file.content


def _of(experiment: str, entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if experiment in entry.experiments)


def _rows(file: Path, columns: dict[str, type]) -> tuple[dict[str, str], ...]:
    """The rows of a table, all of which have these columns, each of its type."""
    rows = tuple(csv.DictReader(io.StringIO(read_typed(file), newline="")))
    if not rows:
        raise SpecError("holds no rows", file=file)
    for line, row in enumerate(rows, 2):
        for name, kind in columns.items():
            try:
                is_readable = isinstance(row.get(name), str) and (kind is str or math.isfinite(kind(row[name])))
            except (ValueError, OverflowError):
                is_readable = False
            if not is_readable:
                what = f"{name} is {row.get(name)!r:.60}"
                raise SpecError(what, file=file, line=line, expected="a number" if kind is not str else "a text")
    return rows


@dataclass(frozen=True)
class PublishedCurve:
    """One curve in B/s by size, each point from a single run."""

    name: str
    label: str
    by_size: dict[int, float]


def published_curves(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedCurve, ...]:
    return tuple(_curve(entry, folder) for entry in _of(experiment, _index(folder).curve))


def published_curve(file: str, folder: Path = PUBLISHED) -> PublishedCurve | None:
    """The only curve in a file of the folder; None if the file has another number of curves."""
    entries = [entry for entry in _index(folder).curve if entry.file == file]
    return _curve(entries[0], folder) if len(entries) == 1 else None


def _curve(entry: CurveEntry, folder: Path) -> PublishedCurve:
    columns = {**dict.fromkeys(entry.where, str), "size_bytes": int, entry.value: float}
    rows = [row for row in _rows(folder / entry.file, columns) if row.items() >= entry.where.items()]
    values = {int(row["size_bytes"]): float(row[entry.value]) for row in rows}
    by_size = {size: entry.restored(size, value) * entry.bytes_per_s for size, value in values.items()}
    return PublishedCurve(entry.name or _slug(entry.label.partition(",")[0]), entry.label, by_size)


def _slug(label: str) -> str:
    """`Report A` as report_a."""
    return label.lower().replace(" ", "_")


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
        return median(bytes_ / seconds for bytes_, seconds in self.points if bytes_ == size)

    def line(self, low: int, high: int) -> Line:
        """The line through the times in ns of the sizes in this range, all of one repetition."""
        points = [(float(size), seconds / NANO) for size, seconds in self.points if low <= size <= high]
        sizes, times = zip(*points, strict=True)
        return fit_line(sizes, (times,))


def published_times(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedTimes, ...]:
    times = []
    for entry in _of(experiment, _index(folder).times):
        rows = _rows(folder / entry.file, {entry.size: int, entry.seconds: float})
        points = tuple((int(row[entry.size]), float(row[entry.seconds])) for row in rows)
        times.append(PublishedTimes(entry.name, entry.label, points))
    return tuple(times)


def published_values(experiment: str, folder: Path = PUBLISHED) -> dict[str, tuple[str, float, str]]:
    """The quantities of tables that have a column for each variant: by `report_b.VARIANT.QUANTITY` the table's label,
    the value and its unit."""
    values = {}
    for entry in _of(experiment, _index(folder).values):
        file = folder / entry.file
        rows = _rows(file, {"quantity": str, "unit": str})
        variants = [name for name in rows[0] if name not in ("quantity", "unit")]
        _rows(file, dict.fromkeys(variants, float))
        for row, variant in product(rows, variants):
            if row["unit"] not in BASE_UNITS:
                raise SpecError(f"unit {row['unit']!r}", file=file, expected=f"one of {', '.join(BASE_UNITS)}")
            unit, scale = BASE_UNITS[row["unit"]]
            name = f"{_slug(entry.label)}.{variant}.{row['quantity']}"
            values[name] = (entry.label, float(row[variant]) * scale, unit)
    return values


def published_parameters(experiment: str, folder: Path = PUBLISHED) -> ParametersEntry:
    """The parameters of the report that an experiment repeats; empty if it repeats none."""
    return next(_of(experiment, _index(folder).parameters), ParametersEntry())
