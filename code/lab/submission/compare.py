"""Compare two results folders or reports: ratios of medians with intervals, a verdict each."""

from __future__ import annotations

import csv
import json
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from pathlib import Path

from lab.analysis.estimate import BadSample, Estimate
from lab.analysis.ratios import Verdict, false_verdicts, judge, ratio_of_medians
from lab.errors import LabError, ParseError
from lab.records.compare import values_by_place
from lab.records.record import find_key, read_facts
from lab.records.reference import IDENTITY
from lab.records.table import Row, is_table, parse_table
from lab.report.evidence.curve import margin_of_sites
from lab.report.evidence.evidence import COMPLETED, CONFIRMED
from lab.report.pdf import extract, typesetter
from lab.typed_json import JsonTable

Place = tuple[str, str]  # a row's label, and a column
Values = dict[Place, list[int]]  # as values_by_place has them

VERDICTS = (*(verdict.value for verdict in Verdict), "equal")
SHOWN_LETTERS = 16  # of a digest
CLAIMS, MANIFEST = "claims.csv", "manifest.json"  # of a report: no table of records, and the records' digests


def compare(options: Namespace) -> int:
    """Print the comparison of two results folders or PDFs, size by size."""
    first, second = read_side(options.first), read_side(options.second)
    comparisons = compare_sides(first, second)
    differences = identity_differences(first, second)
    lines = [
        *of_two_sites(first, second),
        *(line for comparison in comparisons for line in comparison.lines()),
        "identity: " + (f"{len(differences)} parts differ" if differences else "the same"),
        *(f"  {difference}" for difference in differences),
        *of_two_typesetters(first, second),
    ]
    print("\n".join(lines))
    return 0


class SideError(LabError):
    """A side of a comparison holds no tables."""


@dataclass(frozen=True)
class ComparedSide:
    """The tables by experiment, and the identity of their site in flat names."""

    name: str
    tables: dict[str, list[Row]]
    identity: dict[str, str]
    typesetter: str = ""  # of a PDF


def read_side(place: Path) -> ComparedSide:
    """A side from a folder with tables or from a PDF that holds them."""
    if place.is_dir():
        return _folder(place, str(place))
    with tempfile.TemporaryDirectory(prefix="lab-side-") as name:
        extract(place, Path(name))
        return replace(_folder(Path(name), str(place)), typesetter=typesetter(place))


def _folder(folder: Path, name: str) -> ComparedSide:
    """Turns damaged or foreign tables into an error of one sentence."""
    try:
        return _side(folder, name)
    except (ParseError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as error:
        raise SideError(f"holds data that Verbyte did not write: {error!r:.200}", where=name) from error


def _side(folder: Path, name: str) -> ComparedSide:
    files = [each for each in sorted(folder.glob("*.csv")) if each.name != CLAIMS]
    texts = {file.stem: file.read_text() for file in files}
    tables = {name: rows for name, text in texts.items() if is_table(text) and (rows := parse_table(text))}
    if not tables:
        raise SideError("holds no table of an experiment", where=name, hint="a results folder, or a PDF of lab report")
    return ComparedSide(name, tables, _identity(folder, tables))


def _identity(folder: Path, tables: dict[str, list[Row]]) -> dict[str, str]:
    """The identity beside the tables, else from their records."""
    if (folder / IDENTITY).exists():
        return _flat(json.loads((folder / IDENTITY).read_text())) | _programs(folder / MANIFEST)
    identity: dict[str, str] = {}
    for start in sorted({row.record for rows in tables.values() for row in rows}):
        asked = read_facts(folder, find_key(folder, start)).asked
        identity |= {"site": asked.site, **asked.programs, **asked.identity}
    return identity


def _programs(manifest: Path) -> dict[str, str]:
    """The programs under test, which a report lists record by record."""
    records = json.loads(manifest.read_text()) if manifest.exists() else []
    return {name: digest for record in records for name, digest in _flat(record["programs"]).items()}


def _flat(values: JsonTable) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}


@dataclass(frozen=True)
class SideRatio:
    """One median of the first side over the second's; equal where both hold the same values."""

    label: str
    column: str
    estimate: Estimate
    equal: bool
    margin: float = 0.0

    @property
    def verdict(self) -> str:
        return "equal" if self.equal else judge(self.estimate, margin=self.margin).value

    def line(self) -> str:
        """`1.050 [1.040, 1.060]  more  verbs ... size_bytes=64 confirmed_bytes_per_s`."""
        interval = self.estimate.interval
        ends = f"[{interval.low:.3f}, {interval.high:.3f}]" if interval else "[no interval]"
        return f"{self.estimate.value:8.3f} {ends:<16} {self.verdict:<10}  {self.label} {self.column}"


@dataclass(frozen=True)
class SideBySide:
    """One experiment on both sides."""

    experiment: str
    identical: bool
    ratios: tuple[SideRatio, ...]

    def lines(self) -> Iterator[str]:
        """One for each size and column; a single one where all rows are the same."""
        if self.identical:
            yield f"{self.experiment}: the same rows, {len(self.ratios)} medians equal"
            return
        counts = [f"{sum(each.verdict == word for each in self.ratios)} {word}" for word in VERDICTS]
        yield f"{self.experiment}: medians of the first over the second: {', '.join(counts)}{self._doubt()}"
        yield from (each.line() for each in self.ratios)

    def _doubt(self) -> str:
        """The margin of the verdicts, and the expected number of false ones."""
        asked, wrong = false_verdicts(each.estimate for each in self.ratios if not each.equal)
        if not asked:
            return ""
        margin = f"more and less are beyond a margin of {self.ratios[0].margin:.0%}"
        return f"; {margin}; of {asked} verdicts at most {wrong:.1f} are false on average if nothing differs"


def compare_sides(first: ComparedSide, second: ComparedSide) -> list[SideBySide]:
    """Every experiment that both sides hold; an error where there is none."""
    both = [name for name in first.tables if name in second.tables]
    if not both:
        there = f"{', '.join(first.tables)} and {', '.join(second.tables)}"
        raise SideError(f"the sides share no experiment: {there}", where=f"{first.name}, {second.name}")
    margin = margin_of_sites(side.identity.get("site", "") for side in (first, second))
    return [_compare(name, first.tables[name], second.tables[name], margin) for name in both]


def of_two_sites(first: ComparedSide, second: ComparedSide) -> Iterator[str]:
    """A warning above the ratios: instructions and seconds are different quantities, and so are two links."""
    sites = [side.identity.get("site", "unknown") for side in (first, second)]
    if sites[0] != sites[1]:
        yield f"TWO SITES: the first was measured on {sites[0]}, the second on {sites[1]}: each ratio holds that too"


def identity_differences(first: ComparedSide, second: ComparedSide) -> list[str]:
    """A line for each part of the identity that differs between the sides."""
    names = sorted(first.identity.keys() | second.identity.keys())
    pairs = ((name, first.identity.get(name, "unknown"), second.identity.get(name, "unknown")) for name in names)
    return [f"{name}: {_short(one)} and {_short(other)}" for name, one, other in pairs if one != other]


def of_two_typesetters(first: ComparedSide, second: ComparedSide) -> Iterator[str]:
    """A line for two PDFs whose pages were broken by different versions of TeX, so that their bytes say nothing."""
    one, other = first.typesetter, second.typesetter
    if one and other and one != other:
        yield f"typeset by {one} and by {other}: the PDFs differ for that alone"


def _compare(name: str, ours: list[Row], theirs: list[Row], margin: float) -> SideBySide:
    try:
        ratios = _ratios(values_by_place(ours), values_by_place(theirs), margin)
        return SideBySide(name, ours == theirs, tuple(ratios))
    except (BadSample, ValueError, KeyError, TypeError, ArithmeticError) as error:
        raise SideError(f"the tables of {name} hold values that Verbyte did not measure: {error!r:.200}") from error


def _ratios(above: Values, below: Values, margin: float) -> Iterator[SideRatio]:
    for place in above:
        if place in below and not _is_other_stop(place, above.keys() & below.keys()):
            equal = sorted(above[place]) == sorted(below[place])
            yield SideRatio(*place, ratio_of_medians(above[place], below[place]), equal, margin)


def _is_other_stop(place: Place, both: Set[Place]) -> bool:
    """Whether the row also has the receiver's time; the receiver of a READ is the client."""
    label, column = place
    stops = (CONFIRMED, COMPLETED) if label.split()[2:3] == ["read"] else (COMPLETED, CONFIRMED)
    return column == stops[0] and (label, stops[1]) in both


def _short(value: str) -> str:
    """A digest by its first letters; QEMU's arguments in full, since they may differ anywhere."""
    is_digest = len(value) > SHOWN_LETTERS and value.isalnum()
    return f"{value[:SHOWN_LETTERS]}..." if is_digest else value
