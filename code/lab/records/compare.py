"""Two sets of rows compared: `lab verify` and `lab compare`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.analysis.ratios import geometric_mean
from lab.errors import VerifyError
from lab.experiment.experiment import Comparison
from lab.files.storage import write_text
from lab.model.sizes import format_size
from lab.plan.plan import Plan
from lab.records.table import Row, columns, format_table, make_table, parse_table

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


IDENTITY = "identity.json"


def write_reference(plans: Iterable[Plan], results: Path, folder: Path) -> dict[Path, int]:
    """Write the tables of complete plans and the identity of their site; the number of rows by file."""
    plans, written = tuple(plans), {}
    for plan in plans:
        rows = make_table(plan, results)
        file = folder / f"{plan.experiment.name}.csv"
        write_text(file, format_table(columns(plan, rows), rows))
        written[file] = len(rows)
    facts = _facts_of_others(folder, written) | _facts(plans)
    write_text(folder / IDENTITY, json.dumps(facts, indent=1, sort_keys=True) + "\n")
    return written


def _facts_of_others(folder: Path, written: Iterable[Path]) -> dict[str, str]:
    """What the identity said, if tables stay that are not written now."""
    return (read_identity(folder) or {}) if set(folder.glob("*.csv")) - set(written) else {}


def read_reference(plan: Plan, folder: Path) -> str:
    """The committed table of an experiment."""
    file = folder / f"{plan.experiment.name}.csv"
    try:
        return file.read_text()
    except FileNotFoundError as error:
        hint = f"lab table {plan.experiment.name} --reference"
        raise VerifyError("there is no reference", where=str(file), hint=hint) from error


def read_identity(folder: Path) -> dict[str, str] | None:
    """The identity that the reference was measured with, if its file names one."""
    try:
        known = json.loads((folder / IDENTITY).read_text())
    except (OSError, ValueError):
        return None
    return known if isinstance(known, dict) else None


def changed_parts(plans: Iterable[Plan], folder: Path) -> list[str]:
    """The names of differences from the reference: parts of the site's identity, programs under test."""
    before = read_identity(folder)
    if before is None:
        return ["everything, since the reference names no identity"]
    now = _facts(plans)
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _facts(plans: Iterable[Plan]) -> dict[str, str]:
    """The site's identity and the digests of the programs, in one flat table."""
    facts: dict[str, str] = {}
    for plan in plans:
        facts |= plan.site.identity
        for planned in plan.planned:
            facts |= planned.trial.programs
    return facts


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


@dataclass(frozen=True)
class Verification:
    """The comparison of one experiment's table with its reference."""

    experiment: str
    rows: int
    identical: bool
    difference: str | None
    ratios: tuple[Ratio, ...]

    @property
    def holds(self) -> bool:
        """Equal bytes, or under another identity every ratio within its tolerance."""
        return self.identical or (bool(self.ratios) and all(ratio.holds for ratio in self.ratios))

    def lines(self) -> list[str]:
        """The result for people: equal, the first difference, or each ratio with its tolerance."""
        if self.identical:
            return [f"{self.experiment}: identical ({self.rows} rows)"]
        lines = [f"{self.experiment}: {self.difference or 'the same rows, other bytes'}"]
        if self.ratios:
            lines.append(f"another identity: medians over the reference's, each to be within {TOLERANCE:.0%}")
        return lines + [
            f"  {each.ratio:6.3f} {'ok' if each.holds else 'OUTSIDE'}  {each.label} {each.column}"
            for each in self.ratios
        ]


def verify(plan: Plan, results: Path, reference: str) -> Verification:
    """Compare the table of fresh records with the reference's text."""
    rows, wanted = make_table(plan, results), parse_table(reference)
    identical = format_table(columns(plan, rows), rows) == reference
    other_identity = bool(rows) and not same_identity(rows, wanted)
    difference = None if identical else first_difference(rows, wanted)
    return Verification(
        plan.experiment.name, len(rows), identical, difference, tuple(ratios(rows, wanted)) if other_identity else ()
    )
