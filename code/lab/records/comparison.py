"""Our programs against the peers: for every size the ratio to the best of them, and geometric means."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from lab.analysis.means import geometric_mean
from lab.model.sizes import format_size
from lab.records.row import Row
from lab.spec.experiment import Comparison

Values = dict[int, float]  # size -> measured value


@dataclass(frozen=True)
class Result:
    """One comparison: at every size ours, each peer's, and ours over the best peer's; above 1 is faster."""

    comparison: Comparison
    unit: str
    ours: Values
    peers: dict[str, Values]
    ratios: Values

    @property
    def geometric_mean(self) -> float:
        limit = self.comparison.geometric_mean_up_to
        ratios = [ratio for size, ratio in self.ratios.items() if limit is None or size <= limit]
        return geometric_mean(ratios) if ratios else 0.0

    @property
    def holds(self) -> bool:
        """Whether the bound holds: for the geometric mean or for every size. A limit is never passed."""
        if not self.ratios:
            return False
        if self.comparison.geometric_mean_up_to is not None:
            return self.geometric_mean >= self.comparison.at_least
        passed = self.comparison.limit_bytes_per_s is not None and max(self.ratios.values()) > 1
        return min(self.ratios.values()) >= self.comparison.at_least and not passed


def compare(comparison: Comparison, rows: Iterable[Row]) -> Result:
    """The medians over the repetitions, by the stop time that both sides have."""
    by_series: dict[str, list[Row]] = {}
    for row in rows:
        by_series.setdefault(row.series, []).append(row)
    chosen = {name: by_series.get(name, []) for name in (comparison.ours, *comparison.peers)}
    column = _column(chosen)
    values = {name: _medians(each, column) for name, each in chosen.items()}
    ours = values.pop(comparison.ours)
    if comparison.limit_bytes_per_s is not None:
        values["limit"] = dict.fromkeys(ours, comparison.limit_bytes_per_s)
    is_time = column == "round_trip_ns"
    best = {size: _best(values, size, is_time=is_time) for size in ours}
    ratios = {
        size: theirs / ours[size] if is_time else ours[size] / theirs
        for size, theirs in best.items()
        if theirs is not None
    }
    return Result(comparison, "ns" if is_time else "B/s", ours, values, ratios)


def _best(peers: dict[str, Values], size: int, *, is_time: bool) -> float | None:
    """The shortest time, or the highest rate."""
    values = [each[size] for each in peers.values() if size in each]
    return (min(values) if is_time else max(values)) if values else None


def format_result(result: Result) -> str:
    """A table for people: a line for each size, then the geometric mean."""
    if not result.ratios:
        return f"{result.comparison.name}: not measured on both sides\n"
    names = ["ours", *result.peers]
    widths = [max(12, len(name)) for name in names]
    head = [f"{result.comparison.name} [{result.unit}]", f"{'size':>8} {_cells(names, widths)}   ratio"]
    lines = []
    for size, ratio in result.ratios.items():
        values = [result.ours[size], *(peer.get(size) for peer in result.peers.values())]
        cells = _cells(["" if value is None else f"{value:.0f}" for value in values], widths)
        lines.append(f"{format_size(size):>8} {cells} {ratio:7.3f}")
    return "\n".join([*head, *lines, _verdict(result), ""])


def _verdict(result: Result) -> str:
    limit = result.comparison.geometric_mean_up_to
    scope, what = (f" up to {format_size(limit)}", "the mean") if limit else ("", "every size")
    wanted = f"wanted for {what}: at least {result.comparison.at_least:g}"
    return f"geometric mean{scope}: {result.geometric_mean:.3f}; {wanted}, {'holds' if result.holds else 'MISSED'}"


def _column(chosen: dict[str, list[Row]]) -> str:
    """The stop time that all sides have: the receiver's, else the sender's; or round trips."""
    for column in ("round_trip_ns", "confirmed_bytes_per_s"):
        if all(any(column in row.counts for row in rows) for rows in chosen.values()):
            return column
    return "completed_bytes_per_s"


def _medians(rows: list[Row], column: str) -> Values:
    values: dict[int, list[int]] = {}
    for row in rows:
        if column in row.counts:
            values.setdefault(row.size_bytes, []).append(row.counts[column])
    return {size: median(each) for size, each in sorted(values.items())}


def _cells(texts: Iterable[str], widths: Iterable[int]) -> str:
    return " ".join(f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
