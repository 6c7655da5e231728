"""`lab compare`: two results folders or reports, compared by ratios of medians with intervals and verdicts."""

import csv
import json
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from pathlib import Path

from lab.analysis.estimate import BadSample, Estimate
from lab.analysis.ratios import Verdict, false_verdicts, judge, ratio_of_medians
from lab.errors import LabError, ParseError, plural
from lab.records.compare import RowPlace, paired
from lab.records.record import find_key, open_record
from lab.records.reference import IDENTITY
from lab.records.table import Row, is_table, parse_table
from lab.report.evidence.curve import margin_of_sites
from lab.report.evidence.evidence import COMPLETED, CONFIRMED
from lab.report.pdf import extract

EQUAL = "equal"
VERDICTS = (*(verdict.value for verdict in Verdict), EQUAL)
SHOWN_LETTERS = 16  # of a digest
CLAIMS, MANIFEST = "claims.csv", "manifest.json"  # of a report: no table of records, and the records' digests


@dataclass(frozen=True)
class ComparedSide:
    """The tables by experiment, and the identity of their site in flat names."""

    name: str
    tables: dict[str, list[Row]]
    identity: dict[str, str]


def compare(options: Namespace) -> int:
    print("\n".join(comparison(read_side(options.first), read_side(options.second))))
    return 0


def read_side(place: Path) -> ComparedSide:
    """Read a folder with tables, or a PDF that contains them."""
    if place.is_dir():
        return _read_folder(place, str(place))
    with tempfile.TemporaryDirectory(prefix="lab-side-") as name:
        extract(place, Path(name))
        return _read_folder(Path(name), str(place))


def _read_folder(folder: Path, name: str) -> ComparedSide:
    try:
        texts = {file.stem: file.read_text() for file in sorted(folder.glob("*.csv")) if file.name != CLAIMS}
        tables = {stem: rows for stem, text in texts.items() if is_table(text) and (rows := parse_table(text))}
        identity = _identity(folder, tables)
    except (ParseError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as error:
        raise LabError(f"holds data that Verbyte did not write: {error!r:.200}", where=name) from error
    if not tables:
        raise LabError("holds no table of an experiment", where=name, hint="a results folder, or a PDF of lab report")
    return ComparedSide(name, tables, {part: str(value) for part, value in identity.items()})


def _identity(folder: Path, tables: dict[str, list[Row]]) -> dict[str, object]:
    """The identity beside the tables with the programs of a report's records, else the identity of the records."""
    identity: dict[str, object] = {}
    if (folder / IDENTITY).exists():
        manifest = folder / MANIFEST
        records = json.loads(manifest.read_text()) if manifest.exists() else []
        for part in (json.loads((folder / IDENTITY).read_text()), *(record["programs"] for record in records)):
            identity = {**identity, **part}
        return identity
    for start in sorted({row.record for rows in tables.values() for row in rows}):
        asked = open_record(folder, find_key(folder, start)).facts().asked
        identity |= {"site": asked.site, **asked.programs, **asked.identity}
    return identity


def comparison(first: ComparedSide, second: ComparedSide) -> Iterator[str]:
    """The lines of the whole comparison; an error if the sides share no experiment."""
    sites = [side.identity.get("site", "unknown") for side in (first, second)]
    if sites[0] != sites[1]:  # instructions and seconds are different quantities, and so are two links
        yield f"TWO SITES: the first was measured on {sites[0]}, the second on {sites[1]}: each ratio holds that too"
    shared = [name for name in first.tables if name in second.tables]
    if not shared:
        names = f"{', '.join(first.tables)} and {', '.join(second.tables)}"
        raise LabError(f"the sides share no experiment: {names}", where=f"{first.name}, {second.name}")
    margin = margin_of_sites(side.identity.get("site", "") for side in (first, second))
    for name in shared:
        try:
            yield from _experiment_lines(name, first.tables[name], second.tables[name], margin)
        except (BadSample, ValueError, KeyError, TypeError, ArithmeticError) as error:
            what = f"the tables of {name} hold values that Verbyte did not measure: {error!r:.200}"
            raise LabError(what) from error
    yield from _identity_lines(first.identity, second.identity)


def _experiment_lines(name: str, first: list[Row], second: list[Row], margin: float) -> Iterator[str]:
    """The counts of verdicts, then a line for each size and column; a single line for equal rows."""
    pairs = {place: (above, below) for place, below, above in paired(second, first)}
    verdicts: Counter[str] = Counter()
    estimates, lines = [], []
    for place, (above, below) in pairs.items():
        if _has_other_stop(place, pairs.keys()):
            continue
        estimate = ratio_of_medians(above, below)
        verdict = EQUAL if sorted(above) == sorted(below) else judge(estimate, margin=margin).value
        verdicts[verdict] += 1
        estimates += [] if verdict == EQUAL else [estimate]
        interval = estimate.interval
        ends = f"[{interval.low:.3f}, {interval.high:.3f}]" if interval else "[no interval]"
        lines.append(f"{estimate.value:8.3f} {ends:<16} {verdict:<10}  {place.label} {place.column}")
    if first == second:
        yield f"{name}: the same rows, {plural(len(lines), 'median')} equal"
        return
    counts = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS)
    yield f"{name}: medians of the first over the second: {counts}{_doubt(estimates, margin)}"
    yield from lines


def _doubt(estimates: list[Estimate], margin: float) -> str:
    """The margin of the verdicts, and the expected number of false verdicts."""
    count, false = false_verdicts(estimates)
    if not count:
        return ""
    text = f"more and less are beyond a margin of {margin:.0%}"
    return f"; {text}; of {plural(count, 'verdict')} at most {false:.1f} are false on average if nothing differs"


def _has_other_stop(place: RowPlace, places: Set[RowPlace]) -> bool:
    """Whether the receiver's time is at the same place; the receiver of a READ is the client."""
    stops = (CONFIRMED, COMPLETED) if place.label.split()[2:3] == ["read"] else (COMPLETED, CONFIRMED)
    return place.column == stops[0] and place._replace(column=stops[1]) in places


def _identity_lines(first: dict[str, str], second: dict[str, str]) -> Iterator[str]:
    names = sorted(first.keys() | second.keys())
    pairs = {name: (first.get(name, "unknown"), second.get(name, "unknown")) for name in names}
    differing = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
    yield "identity: " + (f"{plural(len(differing), 'different part')}" if differing else "the same")
    yield from (f"  {name}: {_short(here)} and {_short(there)}" for name, (here, there) in differing.items())


def _short(value: str) -> str:
    """A digest by its first letters; QEMU's arguments in full, since they may differ anywhere."""
    is_digest = len(value) > SHOWN_LETTERS and value.isalnum()
    return f"{value[:SHOWN_LETTERS]}..." if is_digest else value
