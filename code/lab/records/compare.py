"""Compare rows with the reference (`lab verify`), and series with reference tools (`lab bench`)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from lab.errors import plural
from lab.experiment.experiment import Comparison
from lab.model.sizes import format_size
from lab.plan.plan import Plan
from lab.records.table import Row, columns, format_table, make_table, parse_table

TOLERANCE = 0.10  # of a median under another kernel or library, whose instruction counts differ by a few per cent
MEASURED = ("completed_bytes_per_s", "confirmed_bytes_per_s", "round_trip_ns", "send_mean_ns", "receive_mean_ns")


class RowPlace(NamedTuple):
    """A measured column of a series at one point and size; the label includes program and operation."""

    series: str
    point: tuple[tuple[str, str], ...]
    size_bytes: int
    column: str
    label: str


def measured(rows: Iterable[Row]) -> dict[RowPlace, list[int]]:
    """Return the measured values over the repetitions, by place."""
    values: dict[RowPlace, list[int]] = {}
    for row in rows:
        label, point = row.label(of_all=True), tuple(row.point.items())
        for column in MEASURED:
            if column in row.counts:
                place = RowPlace(row.series, point, row.size_bytes, column, label)
                values.setdefault(place, []).append(row.counts[column])
    return values


def paired(rows: Iterable[Row], others: Iterable[Row]) -> Iterator[tuple[RowPlace, list[int], list[int]]]:
    """Yield the values of both sets at each place that both have."""
    first = measured(rows)
    return ((place, first[place], values) for place, values in measured(others).items() if place in first)


def first_difference(rows: list[Row], reference: list[Row]) -> str | None:
    """Describe the first different row and count the different rows; None for equal tables."""
    pairs = enumerate(zip(rows, reference, strict=False), 1)
    different = [f"row {number} {what}" for number, pair in pairs if (what := _difference(*pair))]
    if different:
        return different[0] + (f"; {len(different)} rows differ" if len(different) > 1 else "")
    if len(rows) != len(reference):
        return f"{plural(len(rows), 'row')}, the reference has {len(reference)}"
    return None


def difference_of_records(rows: list[Row], reference: Iterable[Row]) -> str | None:
    """Describe the first row that differs from the reference's rows of the same records; None for equal rows."""
    records = {row.record for row in rows}
    same = [row for row in reference if row.record in records]
    return first_difference(rows, same) if same or not rows else "the reference has none of these trials"


def _difference(row: Row, reference: Row) -> str:
    """Describe the first column in which two rows differ; empty for equal rows."""
    cells, expected = row.cells(), reference.cells()
    for name in dict.fromkeys([*expected, *cells]):
        if cells.get(name, "") != expected.get(name, ""):
            values = f"{cells.get(name) or 'empty'}, the reference has {expected.get(name) or 'empty'}"
            return f"({reference.label()}): {name} is {values}"
    return ""


@dataclass(frozen=True)
class Verification:
    experiment: str
    rows: int
    identical: bool
    difference: str | None
    ratios: dict[RowPlace, float]  # of medians, only under another identity

    @property
    def holds(self) -> bool:
        """Return whether the bytes are equal, or under another identity every ratio is within its tolerance."""
        return self.identical or (bool(self.ratios) and all(map(_is_near, self.ratios.values())))

    def lines(self) -> list[str]:
        if self.identical:
            return [f"{self.experiment}: identical ({plural(self.rows, 'row')})"]
        lines = [f"{self.experiment}: {self.difference or 'the rows are equal, the bytes differ'}"]
        if self.ratios:
            lines.append(f"another identity: medians over the reference's, each must be within {TOLERANCE:.0%}")
        for place, ratio in self.ratios.items():
            lines.append(f"  {ratio:6.3f} {'ok' if _is_near(ratio) else 'OUTSIDE'}  {place.label} {place.column}")
        return lines


def _is_near(ratio: float) -> bool:
    return abs(ratio - 1) <= TOLERANCE


def verify(plan: Plan, results: Path, reference: str) -> Verification:
    rows = make_table(plan, results)
    identical = format_table(columns(plan, rows), rows) == reference
    return compare_rows(plan.experiment.name, rows, parse_table(reference), identical=identical)


def compare_rows(name: str, rows: list[Row], reference: list[Row], *, identical: bool) -> Verification:
    """Compare rows with the reference's. Other keys mean another identity: then medians are compared."""
    difference = None if identical else first_difference(rows, reference)
    is_other = [row.record for row in rows] != [row.record for row in reference]
    pairs = paired(rows, reference) if is_other else ()
    ratios = {place: median(values) / median(expected) for place, values, expected in pairs}
    return Verification(name, len(rows), identical, difference, ratios)


Values = dict[int, float]  # size -> measured value


@dataclass(frozen=True)
class Result:
    """A series and its reference tools by size; a ratio above 1 means that the series is faster than the best tool."""

    comparison: Comparison
    unit: str
    ours: Values
    peers: dict[str, Values]
    ratios: Values
    drawn: frozenset[int] = frozenset()  # sizes that are in no experiment's file

    def bound(self, size: int) -> float:
        drawn = self.comparison.drawn_at_least if size in self.drawn else None
        return self.comparison.at_least if drawn is None else drawn

    @property
    def geometric_mean(self) -> float:
        from lab.analysis.ratios import geometric_mean  # numpy takes longer to import than a table to compare

        limit = self.comparison.geometric_mean_up_to
        ratios = [ratio for size, ratio in self.ratios.items() if limit is None or size <= limit]
        return geometric_mean(ratios) if ratios else 0.0

    @property
    def holds(self) -> bool:
        """Return whether the geometric mean, or every size, reaches the bound, and no size exceeds a physical limit."""
        if not self.ratios:
            return False
        if self.comparison.geometric_mean_up_to is not None:
            return self.geometric_mean >= self.comparison.at_least
        exceeded = self.comparison.limit_bytes_per_s is not None and max(self.ratios.values()) > 1
        return all(ratio >= self.bound(size) for size, ratio in self.ratios.items()) and not exceeded


def compare(comparison: Comparison, rows: Iterable[Row], drawn: Iterable[int] = ()) -> Result:
    """Compare medians over the repetitions, by the stop time that all series have; some sizes are drawn."""
    rows = tuple(rows)
    tables = {name: [row for row in rows if row.series == name] for name in (comparison.ours, *comparison.peers)}
    column = _column(tables.values())
    medians = {name: _medians(table, column) for name, table in tables.items()}
    ours = medians.pop(comparison.ours)
    if comparison.limit_bytes_per_s is not None:
        medians["limit"] = dict.fromkeys(ours, comparison.limit_bytes_per_s)
    is_time, ratios = column == "round_trip_ns", Values()
    for size, value in ours.items():
        if peers := [peer[size] for peer in medians.values() if size in peer]:
            ratios[size] = min(peers) / value if is_time else value / max(peers)
    return Result(comparison, "ns" if is_time else "B/s", ours, medians, ratios, frozenset(drawn).intersection(ratios))


def _column(tables: Iterable[list[Row]]) -> str:
    """Return round trips, or the stop time that all series have: the receiver's, else the sender's."""
    names = [{name for row in rows for name in row.counts} for rows in tables]
    for column in ("round_trip_ns", "confirmed_bytes_per_s"):
        if all(column in counted for counted in names):
            return column
    return "completed_bytes_per_s"


def _medians(rows: Iterable[Row], column: str) -> Values:
    by_size: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        if column in row.counts:
            by_size[row.size_bytes].append(row.counts[column])
    return {size: median(values) for size, values in sorted(by_size.items())}


def format_result(result: Result) -> str:
    comparison = result.comparison
    if not result.ratios:
        return f"{comparison.name}: not measured on both sides\n"
    names = ["ours", *result.peers]
    widths = [max(12, len(name)) for name in names]
    lines = [f"{comparison.name} [{result.unit}]", f"{'size':>8} {_cells(names, widths)}   ratio"]
    for size, ratio in result.ratios.items():
        values = [result.ours[size], *(peer.get(size) for peer in result.peers.values())]
        cells = _cells(["" if value is None else f"{value:.0f}" for value in values], widths)
        lines.append(f"{format_size(size):>8} {cells} {ratio:7.3f}")
    limit = comparison.geometric_mean_up_to
    scope, what = (f" up to {format_size(limit)}", "the mean") if limit else ("", "every size")
    bounds = ", ".join(f"{result.bound(size):g} at {size}" for size in sorted(result.drawn))
    drawn = f" ({bounds})" if bounds else ""
    bound = f"wanted for {what}: at least {comparison.at_least:g}{drawn}, {'holds' if result.holds else 'MISSED'}"
    return "\n".join([*lines, f"geometric mean{scope}: {result.geometric_mean:.3f}; {bound}", ""])


def _cells(texts: Iterable[str], widths: Iterable[int]) -> str:
    return " ".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
