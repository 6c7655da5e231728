"""A table against its reference: equal to the last byte, or the first difference, or ratios under another identity."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from lab.records.row import Row

TOLERANCE = 0.10  # of a median under another kernel or library: path lengths differ by some per cent
MEASURED = ("completed_bytes_per_s", "confirmed_bytes_per_s", "round_trip_ns", "send_mean_ns", "receive_mean_ns")


@dataclass(frozen=True)
class Ratio:
    """One median of this table over the reference's."""

    label: str
    column: str
    ratio: float

    @property
    def holds(self) -> bool:
        return abs(self.ratio - 1) <= TOLERANCE


def first_difference(rows: list[Row], reference: list[Row]) -> str | None:
    """A sentence with the first different row and the number of others; None for equal tables."""
    pairs = enumerate(zip(rows, reference, strict=False), 1)
    differing = [(number, row, wanted) for number, (row, wanted) in pairs if _differing(row, wanted)]
    if differing:
        number, row, wanted = differing[0]
        column = _differing(row, wanted)[0]
        ours, theirs = (each.cells().get(column) or "empty" for each in (row, wanted))
        values = f"{ours}, the reference says {theirs}"
        more = f"; {len(differing)} rows differ" if len(differing) > 1 else ""
        return f"row {number} ({wanted.label()}): {column} is {values}{more}"
    if len(rows) != len(reference):
        return f"{len(rows)} rows, the reference has {len(reference)}"
    return None


def _differing(row: Row, wanted: Row) -> list[str]:
    """The columns in which two rows differ."""
    ours, theirs = row.cells(), wanted.cells()
    return [name for name in dict.fromkeys([*theirs, *ours]) if ours.get(name, "") != theirs.get(name, "")]


def same_identity(rows: list[Row], reference: list[Row]) -> bool:
    """Whether both come from the same trials: a record's key holds programs, options and the site's identity."""
    return [row.record for row in rows] == [row.record for row in reference]


def ratios(rows: list[Row], reference: list[Row]) -> list[Ratio]:
    """Medians over the repetitions, for every measured column that both tables have."""
    ours, theirs = values_by_place(rows), values_by_place(reference)
    return [Ratio(*place, median(ours[place]) / median(theirs[place])) for place in theirs if place in ours]


def values_by_place(rows: list[Row]) -> dict[tuple[str, str], list[int]]:
    """The values of each measured column over the repetitions, by label and column."""
    values: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for column in MEASURED:
            if column in row.counts:
                values.setdefault((row.label(of_all=True), column), []).append(row.counts[column])
    return values
