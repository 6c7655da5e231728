"""Single values that another machine's report published, to stand in a table beside ours."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.places import PUBLISHED
from lab.report.claim import Claim, constant
from lab.report.published import INDEX

UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}


@dataclass(frozen=True)
class PublishedValues:
    """A table of quantities, a column for each variant."""

    name: str
    label: str
    file: str
    variants: tuple[str, ...]
    rows: tuple[dict[str, str], ...]

    def claim(self, quantity: str, variant: str) -> Claim:
        """One value, in the base unit: nobody measured it here."""
        (row,) = (row for row in self.rows if row["quantity"] == quantity)
        unit, scale = UNITS[row["unit"]]
        meaning = f"{quantity.replace('_', ' ')}, {variant}, as {self.label} says"
        source = f"experiments/published/{self.file}"
        return constant(f"{self.name}.{variant}.{quantity}", float(row[variant]) * scale, unit, meaning, source)

    def claims(self) -> Iterator[Claim]:
        for row in self.rows:
            yield from (self.claim(row["quantity"], variant) for variant in self.variants)


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    index = tomllib.loads((folder / INDEX).read_text())
    return tuple(_values(entry, folder) for entry in index["values"] if experiment in entry["experiments"])


def _values(entry: dict[str, str], folder: Path) -> PublishedValues:
    with (folder / entry["file"]).open(newline="") as stream:
        rows = tuple(csv.DictReader(stream))
    variants = tuple(name for name in rows[0] if name not in ("quantity", "unit"))
    return PublishedValues(entry["name"], entry["label"], entry["file"], variants, rows)
