"""A table against its reference: equal to the last byte, or the first difference, or ratios under another identity."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from lab.records.table import ABOUT, COLUMNS, OF_ROUNDS, OF_SIDES, Row

TOLERANCE = 0.10  # of a median under another kernel or library: path lengths differ by some per cent
MEASURED = ("completed_bytes_per_s", "confirmed_bytes_per_s", "round_trip_ns", "send_mean_ns", "receive_mean_ns")
NOT_A_LABEL = frozenset({*COLUMNS, *OF_ROUNDS, *OF_SIDES} - set(ABOUT))


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
    """A sentence about the first row that differs and how many more do, or None when all are the same."""
    pairs = enumerate(zip(rows, reference, strict=False), 1)
    differing = [(number, row, wanted) for number, (row, wanted) in pairs if _differing(row, wanted)]
    if differing:
        number, row, wanted = differing[0]
        column = _differing(row, wanted)[0]
        values = f"{row.get(column, '') or 'empty'}, the reference says {wanted.get(column, '') or 'empty'}"
        more = f"; {len(differing)} rows differ" if len(differing) > 1 else ""
        return f"row {number} ({_label(wanted)}): {column} is {values}{more}"
    if len(rows) != len(reference):
        return f"{len(rows)} rows, the reference has {len(reference)}"
    return None


def _differing(row: Row, wanted: Row) -> list[str]:
    """The columns in which two rows differ."""
    return [column for column in dict.fromkeys([*wanted, *row]) if row.get(column, "") != wanted.get(column, "")]


def same_identity(rows: list[Row], reference: list[Row]) -> bool:
    """Whether both come from the same trials: a record's key holds programs, options and the site's identity."""
    return [row["record"] for row in rows] == [row["record"] for row in reference]


def ratios(rows: list[Row], reference: list[Row]) -> list[Ratio]:
    """Medians over the repetitions, for every measured column that both tables have."""
    ours, theirs = values_by_place(rows), values_by_place(reference)
    return [Ratio(*place, median(ours[place]) / median(theirs[place])) for place in theirs if place in ours]


def values_by_place(rows: list[Row]) -> dict[tuple[str, str], list[int]]:
    """What each measured column holds over the repetitions, by what the rows are about and the column."""
    values: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for column in MEASURED:
            if row.get(column):
                values.setdefault((_label(row, without="repetition"), column), []).append(int(row[column]))
    return values


def _label(row: Row, without: str = "") -> str:
    """What a row is about, from its cells."""
    names = [name for name in row if name not in NOT_A_LABEL | {without} and row[name]]
    named = ("series", "program", "operation", "measure")
    return " ".join(row[name] if name in named else f"{name}={row[name]}" for name in names)
