"""The CSV table of an experiment, row by row."""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import median_low

from lab.errors import ParseError
from lab.files.storage import csv_text
from lab.files.store import SUMS, digest_files, sha256_of
from lab.plan.plan import Plan, Planned, canonical
from lab.programs.program import BACK, PROCESSOR, ROUNDED, SENT, SETTLED, SHARE, SUMMARIES, WINDOW, Sample
from lab.records.record import RecordFiles, has_record, read_whole, record_folder
from lab.typed_json import whole

WORDS = ("series", "program", "operation", "measure")
ABOUT = (*WORDS, "repetition", "size_bytes")  # and the varied parameters
COLUMNS = (
    *(*ABOUT, "messages"),
    *("completed_ns", "completed_bytes_per_s"),
    *("confirmed_bytes", "confirmed_ns", "confirmed_bytes_per_s", "steady_bytes_per_s"),
    *("round_trip_ns", "round_trip_kind", "record"),
)
OF_PROCESSORS = ("processor_messages", *(f"{sample}_ns" for names in PROCESSOR.values() for sample in names))
SIDES = ("send", "receive")
ROUNDING = "rounding_percent"
# In a table only if a row fills them.
OF_SOME = (
    *OF_PROCESSORS,  # of Verbyte's programs
    "fairness_ppm",  # of several queue pairs or connections
    *("back_ns", "back_bytes_per_s", "sum_bytes_per_s"),  # of both directions
    *("arrived_messages", "lost_ppm"),  # of connections that may lose messages
    *("rounds", "stable"),  # with until_stable
    *(f"{side}_{kind}_ns" for side in SIDES for kind in ("mean", "median")),  # of one-way measures
    ROUNDING,  # of student programs that print few digits
)
TEXTS = ("round_trip_kind", "stable")
COUNTED = tuple(name for name in (*COLUMNS, *OF_SOME) if name not in (*ABOUT, *TEXTS, "record"))
KEY_LETTERS = 16  # letters of a key in a row: enough to name a record, short enough to read
FIRST_WINDOWS = 4  # a steady rate needs a run of this many times its first window
# Rows of round trips, and their statistic.
TRIPS = {"round_trip": "median", "round_trip_median": "median", "round_trip_mean": "mean"}

Kinds = Mapping[str, list[Sample]]  # of one size


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
        """Return the texts of the CSV; empty without a measured value."""
        texts = {name: str(getattr(self, name)) for name in (*ABOUT, *TEXTS, "record")}
        more = (name for name in OF_SOME if texts.get(name) or name in self.counts)
        names = (*COLUMNS, *more)
        return {name: texts.get(name, str(self.counts.get(name, ""))) for name in names} | dict(self.point)

    def label(self, *, of_all: bool = False) -> str:
        """Name the series, point and size, and the repetition unless the label is of all repetitions."""
        numbers = {"repetition": self.repetition, "size_bytes": self.size_bytes}
        if of_all:
            del numbers["repetition"]
        named = [f"{name}={value}" for name, value in (*numbers.items(), *self.point.items())]
        return " ".join([self.series, self.program, self.operation, self.measure, *named])


def make_table(plan: Plan, results: Path) -> list[Row]:
    return table_of(plan, lambda key: read_whole(results, key))


def table_of(plan: Plan, read: Callable[[str], RecordFiles | None]) -> list[Row]:
    """Return a row for every measured size, from a reader that may cache records in memory."""
    records = ((planned, read(planned.trial.key)) for planned in plan.planned)
    return [row for planned, record in records if record for row in _rows(planned, record)]


def columns(plan: Plan, rows: Iterable[Row]) -> list[str]:
    """Return the common columns, the others that a row fills, and the varied parameters."""
    varied = dict.fromkeys(name for series in plan.experiment.series for name in series.vary)
    filled = {name for row in rows for name in row.cells()}
    return [*COLUMNS[:-1], *(name for name in OF_SOME if name in filled), *varied, COLUMNS[-1]]


def table_stamp(plan: Plan, results: Path) -> str:
    """Return a stamp of the records: equal stamps mean equal tables."""
    recorded = [planned for planned in plan.planned if has_record(results, planned.trial.key)]
    places = [[planned.series.name, planned.point, planned.repetition, planned.trial.key] for planned in recorded]
    files = [record_folder(results, planned.trial.key) / SUMS for planned in recorded]  # digests of all other files
    content = digest_files([Path(__file__), *files])
    return sha256_of(canonical([columns(plan, ()), places, content]).encode())


def bytes_per_second(count: int, time_ns: int) -> int:
    """Round to whole bytes per second, in integers: equal on every CPU."""
    return (2 * count * 10**9 + time_ns) // (2 * time_ns)


def _rows(planned: Planned, record: RecordFiles) -> list[Row]:
    by_size: dict[int, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in record.samples():
        by_size[sample.size_bytes][sample.sample].append(sample)
    request = planned.trial.request
    words = (planned.series.name, request.program, request.operation, request.measure)
    key, point = planned.trial.key[:KEY_LETTERS], {name: str(value) for name, value in planned.point.items()}
    rows = [
        _filled(Row(*words, planned.repetition, size, key, point), kinds) for size, kinds in sorted(by_size.items())
    ]
    if not planned.series.tool.reading:
        return rows
    header = record.facts().measured.header or {}
    return [_with_rounding(row, header) for row in rows]


def _with_rounding(row: Row, header: Mapping[str, str]) -> Row:
    percent = header.get(f"{ROUNDED}{row.size_bytes}", "")
    return replace(row, counts={**row.counts, ROUNDING: int(percent)}) if percent.isdecimal() else row


def _filled(row: Row, kinds: Kinds) -> Row:
    counts = stops(kinds) | _trips(kinds) | _sides(kinds) | _processors(kinds) | fairness(kinds)
    for kind, stable in SETTLED.items():
        for last in kinds.get(kind, ()):
            return replace(row, counts=counts | _rounds(kinds, last), round_trip_kind="control", stable=stable)
    statistics = [statistic for kind, statistic in TRIPS.items() if kinds.get(kind)]
    return replace(row, counts=counts, round_trip_kind=statistics[-1] if statistics else "")


def stops(kinds: Kinds) -> dict[str, int]:
    values: dict[str, int] = {}
    for kind in (*SUMMARIES, BACK):
        for sample in kinds.get(kind, ()):
            rate = bytes_per_second(sample.bytes, sample.time_ns)
            values |= {f"{kind}_ns": sample.time_ns, f"{kind}_bytes_per_s": rate}
            values |= {"messages": sample.messages} | ({"confirmed_bytes": sample.bytes} if kind == "confirmed" else {})
    if kinds.get(BACK):
        values["sum_bytes_per_s"] = values["completed_bytes_per_s"] + values["back_bytes_per_s"]
    return values | (_loss(kinds) or steady(kinds))


def _loss(kinds: Kinds) -> dict[str, int]:
    """Return how many messages arrived, and the share of those that did not. A steady rate, which is the sender's, says
    nothing then."""
    if SENT not in kinds or "confirmed" not in kinds:
        return {}
    sent, arrived = (kinds[kind][-1].messages for kind in (SENT, "confirmed"))
    lost_ppm = round(Fraction(sent - arrived, sent) * 10**6)
    return {"messages": sent, "arrived_messages": arrived, "lost_ppm": lost_ppm}


def steady(kinds: Kinds) -> dict[str, int]:
    """Return the rate from the end of the first window to the end of the last, if the client's completions end them and
    the first is a small part: the pipeline is full by then, and the receiver's answer comes later. The fastest and the
    slowest tenth of the windows are left out, since the kernel's work in one window is not the card's. Several queue
    pairs have none: their completions come in bursts, of all that is in flight."""
    windows = sorted(kinds.get(WINDOW, ()), key=lambda window: window.index)
    ends = [sample.time_ns for sample in kinds.get("completed", ())]
    if not windows or kinds.get(SHARE) or ends != [windows[-1].time_ns]:
        return {}
    if windows[0].bytes * FIRST_WINDOWS > windows[-1].bytes:
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
    """Sum the times of the last window of rounds, each up to its last completion."""
    rounds = last.messages // completed[0].messages
    return sum(sample.time_ns for sample in sorted(completed, key=lambda sample: sample.index)[-rounds:])


def _sides(kinds: Kinds) -> dict[str, int]:
    """Return the times of each end's call; the mean is rounded to whole nanoseconds."""
    values: dict[str, int] = {}
    for side in SIDES:
        if times := [sample.time_ns for sample in kinds.get(side, ())]:
            mean = (2 * sum(times) + len(times)) // (2 * len(times))
            values |= {"messages": len(times), f"{side}_mean_ns": mean, f"{side}_median_ns": median_low(times)}
    return values


def _processors(kinds: Kinds) -> dict[str, int]:
    """Return both ends' CPU times of all timed messages, with the part in the kernel."""
    rows = [row for names in PROCESSOR.values() for name in names for row in kinds.get(name, ())]
    times = {f"{row.sample}_ns": row.time_ns for row in rows}
    return {"processor_messages": rows[0].messages} | times if rows else {}


def fairness(kinds: Kinds) -> dict[str, int]:
    """Return Jain's index of fairness of the shares' rates in parts per million: (sum x)^2 / (n sum x^2). It is 1 if
    all are equal, and 1/n if one has everything (Jain, Chiu, Hawe: DEC-TR-301, 1984)."""
    rates = [Fraction(row.bytes, row.time_ns) for row in kinds.get(SHARE, ())]
    index = sum(rates) ** 2 / (len(rates) * sum(rate**2 for rate in rates)) if rates else None
    return {} if index is None else {"fairness_ppm": round(index * 10**6)}


def _rounds(kinds: Kinds, last: Sample) -> dict[str, int]:
    """Return the columns of the last window of rounds, and of the control message's round trip."""
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


def format_table(names: Sequence[str], rows: Iterable[Row]) -> str:
    cells = (row.cells() for row in rows)
    return csv_text(names, ([each.get(name, "") for name in names] for each in cells))


def format_json_lines(rows: Iterable[Row]) -> str:
    """Return a JSON object for each row, without empty cells; measured values are numbers."""
    return "".join(json.dumps({name: value for name, value in _values(row) if value != ""}) + "\n" for row in rows)


def _values(row: Row) -> Iterator[tuple[str, str | int]]:
    numbers = {"repetition": row.repetition, "size_bytes": row.size_bytes, **row.counts}
    return ((name, numbers.get(name, cell)) for name, cell in row.cells().items())


def parse_table(text: str) -> list[Row]:
    """Parse a CSV of format_table; raise for any other text."""
    try:
        return [_parsed_row(cells) for cells in csv.DictReader(io.StringIO(text))]
    except (ValueError, KeyError, TypeError, csv.Error) as error:
        raise ParseError(f"is not a table of records: {error!r:.200}") from error


def is_table(text: str) -> bool:
    return "series" in text.partition("\n")[0].strip().split(",")


def _parsed_row(row: Mapping[str, str]) -> Row:
    cells = {name: cell for name, cell in row.items() if cell}
    counts = {name: whole(cells[name]) for name in COUNTED if name in cells}
    texts = {name: cells.get(name, "") for name in (*WORDS, *TEXTS)}
    point = {name: cell for name, cell in cells.items() if name not in (*ABOUT, *TEXTS, *COUNTED, "record")}
    repetition, size = whole(cells["repetition"]), whole(cells["size_bytes"])
    return Row(**texts, repetition=repetition, size_bytes=size, record=cells["record"], point=point, counts=counts)
