"""Single values that another machine's report published, to stand in a table beside ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.places import PUBLISHED
from lab.report.claim import Claim, ClaimGroup, constant
from lab.report.evidence.published_files import Entry, entries, rows_of, source_of

UNITS = {"microseconds": ("s", 1e-6), "bytes": ("size", 1.0), "bytes_per_microsecond": ("B/s", 1e6)}


@dataclass(frozen=True)
class PublishedValues(ClaimGroup):
    """A table of quantities, a column for each variant: the claims by both names."""

    label: str
    variants: tuple[str, ...]
    claims: dict[tuple[str, str], Claim]


def published_values(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedValues, ...]:
    """The values that belong to an experiment."""
    return tuple(_values(entry, folder) for entry in entries("values", experiment, folder))


def _values(entry: Entry, folder: Path) -> PublishedValues:
    rows = rows_of(entry, folder, {"quantity": str, "unit": str})
    variants = tuple(name for name in rows[0] if name not in ("quantity", "unit"))
    rows_of(entry, folder, dict.fromkeys(variants, float))
    if strange := sorted({row["unit"] for row in rows} - UNITS.keys()):
        raise SpecError(f"unit {strange[0]!r}", file=folder / entry["file"], expected=f"one of {', '.join(UNITS)}")
    claims = {(row["quantity"], each): _claim(entry, row, each) for row in rows for each in variants}
    return PublishedValues(entry["label"], variants, claims)


def _claim(entry: Entry, row: dict[str, str], variant: str) -> Claim:
    """One value, in the base unit: nobody measured it here."""
    quantity, (unit, scale) = row["quantity"], UNITS[row["unit"]]
    meaning = f"{quantity.replace('_', ' ')}, {variant}, as {entry['label']} says"
    name = f"{entry['name']}.{variant}.{quantity}"
    return constant(name, float(row[variant]) * scale, unit, meaning, source_of(entry["file"]))
