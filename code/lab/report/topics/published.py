"""Published data of other machines: times and single values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.analysis.estimate import Estimate
from lab.errors import SpecError
from lab.places import PUBLISHED
from lab.report.answer import Answer
from lab.report.evidence.published import Entry, entries, rows_of, source_of
from lab.report.tex.numbers import NANO
from lab.report.topics.lines import Times

UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}


@dataclass(frozen=True)
class PublishedTimes:
    """One time in seconds for each message; a Timed, without records."""

    name: str
    words: str
    machine: str
    file: str
    what: str
    points: tuple[tuple[int, float], ...]
    card: str = ""  # the modelled card that stands for the machine's
    site: str = "another machine"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({size for size, _ in self.points}))

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]:
        del sizes
        return ()

    def answer(self, estimate: Estimate, unit: str, *sizes: int, is_exact: bool = False) -> Answer:
        """An answer that rests on the published file."""
        del sizes
        return Answer(estimate, unit, is_exact=is_exact, source=source_of(self.file))

    def rate(self, size: int) -> float:
        """The median rate of a size, in B/s."""
        return median(bytes_ / seconds for bytes_, seconds in self.points if bytes_ == size)

    def times(self) -> Times:
        """All of one run, and so one repetition, however often it went through the sizes."""
        sizes, seconds = zip(*self.points, strict=True)
        return Times(self, self.what, tuple(map(float, sizes)), (tuple(time / NANO for time in seconds),))


def published_times(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedTimes, ...]:
    """The times that belong to an experiment."""
    return tuple(_times(entry, folder) for entry in entries("times", experiment, folder))


def _times(entry: Entry, folder: Path) -> PublishedTimes:
    size, seconds = entry["size"], entry["seconds"]
    rows = rows_of(entry, folder, {size: int, seconds: float})
    points = tuple((int(row[size]), float(row[seconds])) for row in rows)
    name, words, machine, file, what = (entry[key] for key in ("name", "label", "machine", "file", "what"))
    return PublishedTimes(name, words, machine, file, what, points, entry.get("card", ""))


@dataclass(frozen=True)
class PublishedValues:
    """A table of quantities, a column for each variant: values in base units, by quantity and variant."""

    label: str
    variants: tuple[str, ...]
    values: dict[tuple[str, str], Answer]


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    return tuple(_values(entry, folder) for entry in entries("values", experiment, folder))


def _values(entry: Entry, folder: Path) -> PublishedValues:
    rows = rows_of(entry, folder, {"quantity": str, "unit": str})
    variants = tuple(name for name in rows[0] if name not in ("quantity", "unit"))
    rows_of(entry, folder, dict.fromkeys(variants, float))
    if strange := sorted({row["unit"] for row in rows} - UNITS.keys()):
        raise SpecError(f"unit {strange[0]!r}", file=folder / entry["file"], expected=f"one of {', '.join(UNITS)}")
    values = {(row["quantity"], variant): _value(entry, row, variant) for row in rows for variant in variants}
    return PublishedValues(entry["label"], variants, values)


def _value(entry: Entry, row: dict[str, str], variant: str) -> Answer:
    unit, scale = UNITS[row["unit"]]
    value = Estimate(float(row[variant]) * scale, None, 0)
    return Answer(value, unit, is_exact=True, source=source_of(entry["file"]))
