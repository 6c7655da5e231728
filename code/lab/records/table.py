"""The CSV table of an experiment, row by row."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median_low

from lab.errors import ParseError
from lab.files.store import digest_files
from lab.plan.plan import Plan, Planned, canonical
from lab.programs.program import ONE_WAY, PROCESSOR, SETTLED, WINDOW, Sample
from lab.records.record import Whole, digests_file, has_record, read_whole

WORDS = ("series", "program", "operation", "measure")
ABOUT = (*WORDS, "repetition", "size_bytes")  # and the varied values
COLUMNS = (
    *ABOUT,
    "messages",
    "completed_ns",
    "completed_bytes_per_s",
    "confirmed_bytes",
    "confirmed_ns",
    "confirmed_bytes_per_s",
    "steady_bytes_per_s",
    "round_trip_ns",
    "round_trip_kind",
    "record",
)
# Only of our programs.
OF_PROCESSORS = ("processor_messages", *(f"{sample}_ns" for names in PROCESSOR.values() for sample in names))
OF_ROUNDS = ("rounds", "stable")  # only where rounds were repeated until they agree
SIDES = ("send", "receive")
# Only in one-way measures, where each end has its own time.
OF_SIDES = tuple(f"{side}_{kind}_ns" for side in SIDES for kind in ("mean", "median"))
TEXTS = ("round_trip_kind", "stable")
COUNTED = tuple(
    name for name in (*COLUMNS, *OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES) if name not in (*ABOUT, *TEXTS, "record")
)
KEY_LETTERS = 16  # letters of a key in a row: enough to name a record, short enough to read
FIRST_WINDOWS = 4  # a steady rate needs a run of this many first windows
# Rows of round trips, and their statistic.
TRIPS = {"round_trip": "median", "round_trip_median": "median", "round_trip_mean": "mean"}

Kinds = Mapping[str, list[Sample]]  # of one size, by what they are


@dataclass(frozen=True)
class Row:
    """A series at one point, in one repetition, at one size."""

    series: str
    program: str
    operation: str
    measure: str
    repetition: int
    size_bytes: int
    record: str  # the first letters of its record's key
    point: Mapping[str, str] = field(default_factory=dict)  # the varied parameters, as the CSV spells them
    counts: Mapping[str, int] = field(default_factory=dict)  # the measured values by column
    round_trip_kind: str = ""
    stable: str = ""

    def cells(self) -> dict[str, str]:
        """The texts of the CSV; empty where nothing was measured."""
        texts = {name: str(getattr(self, name)) for name in (*ABOUT, *TEXTS, "record")}
        more = (name for name in (*OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES) if texts.get(name) or name in self.counts)
        names = (*COLUMNS, *more)
        return {name: texts.get(name, str(self.counts.get(name, ""))) for name in names} | dict(self.point)

    def label(self, *, of_all: bool = False) -> str:
        """The series, point and size in words; with the repetition, or for all repetitions together."""
        numbers = {"repetition": self.repetition, "size_bytes": self.size_bytes}
        if of_all:
            del numbers["repetition"]
        named = [f"{name}={value}" for name, value in (*numbers.items(), *self.point.items())]
        return " ".join([self.series, self.program, self.operation, self.measure, *named])


def make_table(plan: Plan, results: Path) -> list[Row]:
    """A row for every measured size."""
    return table_of(plan, lambda key: read_whole(results, key))


def table_of(plan: Plan, read: Callable[[str], Whole | None]) -> list[Row]:
    """A row for every measured size, from a reader that may cache records in memory."""
    records = ((planned, read(planned.trial.key)) for planned in plan.planned)
    return [row for planned, record in records if record for row in _rows(planned, record.samples())]


def columns(plan: Plan, rows: Iterable[Row]) -> list[str]:
    """The common columns, those that only some programs or measures fill, and one for each parameter that any series
    varies."""
    varied = dict.fromkeys(name for series in plan.experiment.series for name in series.vary)
    requests = [each.trial.request for each in plan.planned]
    processors = OF_PROCESSORS if any(OF_PROCESSORS[0] in each.counts for each in rows) else ()
    rounds = OF_ROUNDS if any(each.parameters.until_stable for each in requests) else ()
    sides = OF_SIDES if any(each.measure == ONE_WAY for each in requests) else ()
    return [*COLUMNS[:-1], *processors, *rounds, *sides, *varied, COLUMNS[-1]]


def table_stamp(plan: Plan, results: Path) -> str:
    """A stamp of the table's records: the same stamp gives the same table."""
    there = [each for each in plan.planned if has_record(results, each.trial.key)]
    places = [[each.series.name, each.point, each.repetition, each.trial.key] for each in there]
    files = [digests_file(results, each.trial.key) for each in there]
    content = digest_files([Path(__file__), *files])
    return hashlib.sha256(canonical([columns(plan, ()), places, content]).encode()).hexdigest()


def bytes_per_second(count: int, time_ns: int) -> int:
    """Rounded to whole bytes per second, in integers: the same everywhere."""
    return (2 * count * 10**9 + time_ns) // (2 * time_ns)


def _rows(planned: Planned, samples: Iterable[Sample]) -> list[Row]:
    by_size: dict[int, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in samples:
        by_size[sample.size_bytes][sample.sample].append(sample)
    request = planned.trial.request
    common = Row(
        series=planned.series.name,
        program=request.program,
        operation=request.operation,
        measure=request.measure,
        repetition=planned.repetition,
        size_bytes=0,
        record=planned.trial.key[:KEY_LETTERS],
        point={name: str(value) for name, value in planned.point.items()},
    )
    return [_filled(replace(common, size_bytes=size), kinds) for size, kinds in sorted(by_size.items())]


def _filled(row: Row, kinds: Kinds) -> Row:
    counts = _stops(kinds) | _trips(kinds) | _sides(kinds) | _processors(kinds)
    for kind, stable in SETTLED.items():
        for last in kinds.get(kind, ()):
            return replace(row, counts=counts | _rounds(kinds, last), round_trip_kind="control", stable=stable)
    statistics = [statistic for kind, statistic in TRIPS.items() if kinds.get(kind)]
    return replace(row, counts=counts, round_trip_kind=statistics[-1] if statistics else "")


def _stops(kinds: Kinds) -> dict[str, int]:
    values: dict[str, int] = {}
    for kind in ("completed", "confirmed"):
        for sample in kinds.get(kind, ()):
            rate = bytes_per_second(sample.bytes, sample.time_ns)
            values |= {f"{kind}_ns": sample.time_ns, f"{kind}_bytes_per_s": rate}
            values |= {"messages": sample.messages} | ({"confirmed_bytes": sample.bytes} if kind == "confirmed" else {})
    return values | steady(kinds)


def steady(kinds: Kinds) -> dict[str, int]:
    """The rate between the ends of the first and the last window, where the client's completions end them and the first
    holds a small part: the pipeline is full by then, and the receiver's answer comes later. Without the fastest and the
    slowest tenth of the windows, since work of the kernel that falls into one of them is not the card's."""
    windows = sorted(kinds.get(WINDOW, ()), key=lambda window: window.index)
    ends = [sample.time_ns for sample in kinds.get("completed", ())]
    if not windows or ends != [windows[-1].time_ns] or windows[0].bytes * FIRST_WINDOWS > windows[-1].bytes:
        return {}
    parts = [(after.bytes - before.bytes, after.time_ns - before.time_ns) for before, after in pairwise(windows)]
    parts.sort(key=lambda part: Fraction(part[1], part[0]))
    counts, times = zip(*parts[len(parts) // 10 : len(parts) - len(parts) // 10], strict=True)
    return {"steady_bytes_per_s": bytes_per_second(sum(counts), sum(times))}


def _trips(kinds: Kinds) -> dict[str, int]:
    values: dict[str, int] = {}
    for kind in TRIPS:
        if trips := kinds.get(kind):
            time_ns = median_low(sample.time_ns for sample in trips)
            values |= {"messages": sum(sample.messages for sample in trips), "round_trip_ns": time_ns}
    return values


def last_rounds_ns(completed: list[Sample], last: Sample) -> int:
    """The time of the last window of rounds up to their last completions."""
    rounds = last.messages // completed[0].messages
    return sum(sample.time_ns for sample in sorted(completed, key=lambda each: each.index)[-rounds:])


def _sides(kinds: Kinds) -> dict[str, int]:
    """The time of each end's own call; the mean is rounded to whole nanoseconds."""
    values: dict[str, int] = {}
    for side in SIDES:
        if times := [sample.time_ns for sample in kinds.get(side, ())]:
            mean = (2 * sum(times) + len(times)) // (2 * len(times))
            values |= {"messages": len(times), f"{side}_mean_ns": mean, f"{side}_median_ns": median_low(times)}
    return values


def _processors(kinds: Kinds) -> dict[str, int]:
    """Both ends' processor times of all timed messages, with the part in the kernel."""
    rows = [each for names in PROCESSOR.values() for name in names for each in kinds.get(name, ())]
    times = {f"{each.sample}_ns": each.time_ns for each in rows}
    return {"processor_messages": rows[0].messages} | times if rows else {}


def _rounds(kinds: Kinds, last: Sample) -> dict[str, int]:
    """The columns of the last window of rounds, and of the control message's round trip."""
    completed_ns = last_rounds_ns(kinds["round_completed"], last)
    return {
        "messages": last.messages,
        "completed_ns": completed_ns,
        "completed_bytes_per_s": bytes_per_second(last.bytes, completed_ns),
        "confirmed_bytes": last.bytes,
        "confirmed_ns": last.time_ns,
        "confirmed_bytes_per_s": bytes_per_second(last.bytes, last.time_ns),
        "round_trip_ns": median_low(trip.time_ns for trip in kinds["control_trip"]),
        "rounds": len(kinds["round"]),
    }


def format_table(names: Iterable[str], rows: Iterable[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(names), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.cells() for row in rows)
    return text.getvalue()


def parse_table(text: str) -> list[Row]:
    """The rows of a CSV that format_table wrote; an error where it is another."""
    try:
        return [_parsed_row(cells) for cells in csv.DictReader(io.StringIO(text))]
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise ParseError(f"is not a table of records: {error!r:.200}") from error


def is_table(text: str) -> bool:
    """Whether its columns are those of a table of records."""
    return "series" in text.partition("\n")[0].strip().split(",")


def _parsed_row(row: Mapping[str, str]) -> Row:
    cells = {name: cell for name, cell in row.items() if cell}
    counts = {name: int(cells[name]) for name in COUNTED if name in cells}
    texts = {name: cells.get(name, "") for name in (*WORDS, *TEXTS)}
    point = {name: cell for name, cell in cells.items() if name not in (*ABOUT, *TEXTS, *COUNTED, "record")}
    repetition, size = int(cells["repetition"]), int(cells["size_bytes"])
    return Row(**texts, repetition=repetition, size_bytes=size, record=cells["record"], point=point, counts=counts)
