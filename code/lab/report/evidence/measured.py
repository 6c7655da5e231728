"""Measured curves of a card: what perftest printed, or a CSV."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.analysis.card import Conditions, Rates, fit, fit_latency
from lab.errors import ParseError, SpecError
from lab.files.bounded import read_csv, read_typed
from lab.model.sizes import LARGEST, LONGEST_LIST, format_size
from lab.places import PUBLISHED
from lab.programs.perftest import PS_PER_US, Pasted, read_tables
from lab.report.evidence.published import published_curve
from lab.typed_json import whole

SIZE = "size_bytes"
COLUMNS = {"bytes_per_s": ("throughput", 1), "latency_us": ("latency", PS_PER_US)}
INLINE = {"write": 220, "send": 236, "read": 0}  # perftest's default for latencies; for throughput it is 0
OVER = 1.05  # times the link's rate: more than the difference between MB and MiB
RATES = tuple(gigabit * 10**9 for gigabit in (10, 25, 32, 40, 50, 56, 100, 200, 400, 800))  # of usual links
MEASURES = ("throughput", "latency")
SLOWEST, FASTEST = 1, 1e15  # bytes per second; or ps
EXPECTED = f"{SIZE} from 1, each once, and {' or '.join(COLUMNS)} above 0"
POINTS = "64,123.5: a comma between columns, and a point in a number"
HINT = "save what ib_write_bw -a printed, or a CSV with the columns size_bytes and bytes_per_s"


@dataclass(frozen=True)
class MeasuredCurve:
    """A curve, in bytes per second or ps by size, and how it was measured."""

    file: Path
    known: Conditions
    values: dict[int, float]

    @property
    def label(self) -> str:
        return f"{self.known.operation.upper()} {self.known.measure} of {self.file.name}"


def read_measured(file: Path, known: Conditions, *, inline: int | None = None) -> list[MeasuredCurve]:
    """Read the curves of a file. A paste names its own operation, MTU, inline data and outstanding reads; that of a CSV
    is the one in its name, else that of `known`. `inline` replaces the paste's or perftest's default."""
    if file.resolve().parent == PUBLISHED and (published := published_curve(file.name)):
        return [_measured(file, known, Pasted("write", "throughput", published.by_size, {}), inline)]
    text = read_typed(file, HINT)
    try:
        tables = [_csv(file)] if text.lstrip().startswith(SIZE) else read_tables(text)
    except ParseError as error:
        raise SpecError(f"{error.where}: {error.what}", file=file, hint=error.hint) from error
    if not tables:
        raise SpecError("holds no table of perftest and no curve", file=file, hint=HINT)
    return [_measured(file, known, table, inline) for table in tables]


def _csv(file: Path) -> Pasted:
    rows = read_csv(file, HINT)
    _, names = next(rows)
    column = next((each for each in COLUMNS if each in names), "bytes_per_s")
    measure, unit = COLUMNS[column]
    values = dict[int, float]()
    for line, row in rows:
        try:
            size, value = whole(row[names.index(SIZE)]), float(row[names.index(column)]) * unit
        except ValueError:
            size, value = 0, 0.0
        if not (1 <= size <= LARGEST and SLOWEST <= value <= FASTEST) or size in values:
            hint = POINTS if "," in "".join(row) or ";" in "".join(row) else ""
            raise SpecError("holds no point of a curve", file=file, line=line, expected=EXPECTED, hint=hint)
        values[size] = value
    if not 1 <= len(values) <= LONGEST_LIST:
        raise SpecError(f"holds {len(values)} sizes", file=file, expected=f"1 to {LONGEST_LIST}", hint=HINT)
    return Pasted("", measure, values, {})


def _measured(file: Path, known: Conditions, table: Pasted, inline: int | None) -> MeasuredCurve:
    words = re.split(r"[^a-z]+", file.stem.lower())
    operation = table.operation or next((each for each in INLINE if each in words), known.operation)
    if operation not in INLINE:
        raise SpecError(f"operation: {operation} ({', '.join(INLINE)})", file=file)
    fastest = max(table.values.values())
    if table.measure == "throughput" and fastest * 8 > OVER * known.rate_bit_s:
        what = f"rate: {fastest * 8:.4g} bit/s (at most --rate-bit-s {known.rate_bit_s:.0f})"
        rate = next((rate for rate in RATES if fastest * 8 <= OVER * rate), RATES[-1])
        raise SpecError(what, file=file, hint=f"--rate-bit-s {rate}; bytes_per_s counts bytes")
    default = INLINE[operation] if table.measure == "latency" else 0
    return MeasuredCurve(
        file,
        Conditions(
            known.rate_bit_s,
            _number(table, "Mtu") or known.mtu,
            inline if inline is not None else _number(table, "Max inline data", default),
            operation,
            table.measure,
            _number(table, "Outstand reads") or known.reads,
        ),
        table.values,
    )


def _number(table: Pasted, name: str, default: int = 0) -> int:
    """Return a number of the paste's header, such as `Mtu : 4096[B]`."""
    digits = re.match(r"\d{1,9}", table.header.get(name, ""))
    return int(digits[0]) if digits else default


# Values of experiments/cards/connectx-100g.toml, which has their sources. No throughput of WRITEs shows them.
ASSUMED = {"doorbell_ps": 100_000.0, "fetch_ps": 500_000.0, "write_ps": 150_000.0, "wire_ns": 450.0}


def fit_measured(curves: Sequence[MeasuredCurve]) -> Rates:
    """Fit a card to a throughput, and its latencies to the latency if there is one."""
    kinds = {measure: [each for each in curves if each.known.measure == measure] for measure in MEASURES}
    if len(kinds["throughput"]) != 1 or len(kinds["latency"]) > 1:
        found = ", ".join(each.label for each in curves)
        hint = "lab fit-card WRITE.txt --predict READ.txt"
        raise SpecError(f"curves to fit: {found} (one throughput, and at most one latency)", hint=hint)
    (rates,) = kinds["throughput"]
    card = fit(rates.values, rates.known, Rates(rates.known.rate_bit_s, 0, 0, 0, **ASSUMED))
    for each in kinds["latency"]:
        card = fit_latency(each.values, card, each.known)
    return card


def summary(off: Mapping[int, float], exempt: Collection[int] = ()) -> str:
    """The median and the worst error, the latter without sizes that no card explains."""
    worst = max(set(off) - set(exempt), key=lambda size: abs(off[size]))
    return f"median error {median(map(abs, off.values())):.1%}, worst {off[worst]:+.1%} at {format_size(worst)}"
