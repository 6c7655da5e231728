"""Numbers of a hand-out: claims that the experiment's table in results/reference makes, by the names of reports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from statistics import median

from lab.errors import SpecError
from lab.model.sizes import format_size
from lab.records.row import Row, parse_table
from lab.report.check.numbers import Sort, numbers
from lab.report.tex.units import show, significant

DIGITS = 3  # of a hand-out's number: it says what to expect, a report says how sure
CLAIM = re.compile(r"\\claim\{([^{}\n]+)\}")
# In this order, of what a row has: the receiver's stop, the sender's, the round trip, the call.
COLUMNS = {
    "confirmed_bytes_per_s": ("B/s", 1.0, "{}.{}"),
    "completed_bytes_per_s": ("B/s", 1.0, "{}.{}"),
    "round_trip_ns": ("s", 1e-9, "{}.{}.round_trip"),
    "receive_median_ns": ("s", 1e-9, "{}.receive.{}.median"),
}
MEASURED = (Sort.RATE, Sort.TIME, Sort.RATIO, Sort.PERCENT)


@dataclass(frozen=True)
class ReferenceClaim:
    """One number, with its unit's name."""

    value: float
    unit: str

    @property
    def words(self) -> str:
        return show(self.value, self.unit, significant(self.value, DIGITS)).plain


Claims = Mapping[str, ReferenceClaim]


def reference_claims(table: Path) -> dict[str, ReferenceClaim]:
    """`SERIES.SIZE` is a median, `ONE_over_OTHER.SIZE` a ratio of two; a varied value stands behind the series."""
    try:
        rows = parse_table(table.read_text())
    except FileNotFoundError as error:
        raise SpecError("there is no reference to take numbers from", file=table, hint="make lock") from error
    claims = {}
    medians = _medians(rows)
    for (curve, size, column), value in medians.items():
        unit, scale, name = COLUMNS[column]
        claims[name.format(curve, size)] = ReferenceClaim(value * scale, unit)
        for (other, at, same), base in medians.items():
            if (at, same) == (size, column) and other != curve and base:
                claims[f"{curve}_over_{other}.{size}"] = ReferenceClaim(value / base, "")
    return claims


def with_numbers(text: str, claims: Claims, file: Path) -> str:
    """The text with each claim's number; an error for an unknown one, and for a measured number that was typed."""
    require_none_typed(text, file)
    return CLAIM.sub(lambda found: _find(found, claims, text, file).words, text)


def require_none_typed(text: str, file: Path) -> None:
    """Refuse rates, times, ratios and percentages: they change with the machine, and a claim with them."""
    for number, line in enumerate(text.splitlines(), 1):
        said = CLAIM.sub("", line)
        typed = [each for each in numbers(re.sub(r"`[^`]*`", "", said)) if each.sort in MEASURED and not each.worded]
        if typed:
            what = f"{typed[0].typed.strip()!r} is typed, and a hand-out's measured numbers are claims"
            raise SpecError(what, file=file, line=number, expected=r"such as \claim{verbs.64K}")


def _find(found: re.Match[str], claims: Claims, text: str, file: Path) -> ReferenceClaim:
    name = found[1]
    if name in claims:
        return claims[name]
    line = text.count("\n", 0, found.start()) + 1
    near = get_close_matches(name, claims, n=3)
    raise SpecError(f"the reference makes no claim {name!r}", file=file, line=line, hint=" or ".join(near))


def _medians(rows: list[Row]) -> dict[tuple[str, str, str], float]:
    """Of each series at each of its points, by the curve's name, the size and the column."""
    values: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    varied = {name: _varied(rows, name) for name in {row.series for row in rows}}
    for row in rows:
        if column := next((name for name in COLUMNS if name in row.counts), None):
            curve = ".".join([row.series, *(row.point[name] for name in varied[row.series])])
            values[curve, format_size(row.size_bytes), column].append(row.counts[column])
    return {place: median(found) for place, found in values.items()}


def _varied(rows: list[Row], series: str) -> list[str]:
    """The parameters that a series varies."""
    points = [row.point for row in rows if row.series == series]
    return [name for name in points[0] if len({each.get(name) for each in points}) > 1]
