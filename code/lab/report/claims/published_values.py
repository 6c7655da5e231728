"""Single values that another machine's report published, to stand in a table beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.places import PUBLISHED
from lab.report.claim import Claim, constant
from lab.report.evidence.published_files import Entry, entries, rows_of, source_of

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
        name = f"{self.name}.{variant}.{quantity}"
        return constant(name, float(row[variant]) * scale, unit, meaning, source_of(self.file))

    def claims(self) -> Iterator[Claim]:
        for row in self.rows:
            yield from (self.claim(row["quantity"], variant) for variant in self.variants)


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    return tuple(_values(entry, folder) for entry in entries("values", experiment, folder))


def _values(entry: Entry, folder: Path) -> PublishedValues:
    rows = rows_of(entry, folder, {"quantity": str, "unit": str})
    variants = tuple(name for name in rows[0] if name not in ("quantity", "unit"))
    rows_of(entry, folder, dict.fromkeys(variants, float))
    if strange := sorted({row["unit"] for row in rows} - UNITS.keys()):
        raise SpecError(f"unit {strange[0]!r}", file=folder / entry["file"], expected=f"one of {', '.join(UNITS)}")
    return PublishedValues(entry["name"], entry["label"], entry["file"], variants, rows)
