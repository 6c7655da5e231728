"""perftest's ib_* programs: one pair of processes for each size, read from the table that they print; and the tables of
other people's measurements.

Its JSON is not usable (4.5 writes unquoted keys), and it computes t_stdev and t_max wrongly.
"""

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from lab.errors import ParseError, plural
from lab.model.parameters import Counts, Parameters
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import BACK, Program, Reading, Request, Sample, outputs_per_size, steps_per_size
from lab.typed_json import whole

PORT = 18515
LARGEST = 2**31 - 1
PS_PER_US = 10**6
PEER = {"pairs", "both", "duration_s", "peer_tx_depth", "peer_post_list", "peer_cq_moderation", "peer_no_peak"}
UNRELIABLE = ("ib_write_bw", "ib_send_bw", "ib_write_lat", "ib_send_lat")  # READ must be reliable
DEFAULT = Parameters()
# Its options for parameters of Verbyte's programs that are not the default; without -u it uses 14, on Soft-RoCE too.
SHARED = {
    "path_mtu": "-m {}",
    "timeout": "-u {}",
    "tclass": "--tclass={}",
    "sl": "-S {}",
    "pkey_index": "--pkey_index={}",
}
# All versions print MB/sec for mebibytes; gigabits appear with --report_gbits.
UNITS = {"MB/sec": 2**20, "MiB/sec": 2**20, "Gb/sec": 10**9 // 8}

_RULE = re.compile(r"-{20,}")
_HEADINGS = {
    "throughput": re.compile(r"\s*#bytes\s+#iterations\s+BW peak\[(\S+)\]\s+BW average\[(\S+)\]\s+MsgRate\[Mpps\].*"),
    "latency": re.compile(
        r"\s*#bytes\s+#iterations\s+t_min\[usec\]\s+t_max\[usec\]\s+t_typical\[usec\]\s+t_avg\[usec\].*"
    ),
}
_COLUMN = re.compile(r"(#bytes|#iterations|BW peak|BW average|MsgRate|t_[a-z]+)(?:\[(\S+)\])?")
_PROGRAM = re.compile(
    r"(?:\b|_)(Write|Read|Send|Atomic)\b.*\b(?:BW|Latency) Test\b|\bib_(write|read|send|atomic)_(?:bw|lat)\b"
)
_NUMBER = r"\s+(\d{1,19}(?:\.\d{1,19})?)"
_ROWS = {
    measure: re.compile(rf"\s*(\d{{1,19}})\s+(\d{{1,19}}){_NUMBER * numbers}(?:\s+\S+)*\s*", re.ASCII)
    for measure, numbers in (("throughput", 3), ("latency", 4))
}


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    samples = [_sample(request, counts, text) for counts, text in outputs_per_size(request, outcomes)]
    if request.parameters.both:  # the printed rate is the sum of both directions
        there = [replace(row, time_ns=2 * row.time_ns) for row in samples]
        samples = [*there, *(replace(row, sample=BACK) for row in there)]
    return Reading(_header(outcomes[0].client_out), tuple(samples))


def _step(request: Request, ends: Ends, counts: Counts, port: int) -> Step:
    """The side channel is TCP on a separate address; the data go between the devices."""
    messages, seconds = counts.iterations // request.parameters.pairs, request.parameters.duration_s
    number = ("-D", str(seconds)) if seconds else ("-n", str(messages))  # of each queue pair
    shared = ("-p", str(port), "-s", str(counts.size), *number, "-F", *_tuning(request))
    server = (request.program, "-d", ends.server.device, *shared)
    client = (request.program, "-d", ends.client.device, *shared, ends.side_channel)
    return Step(server, client, port)


def _tuning(request: Request) -> tuple[str, ...]:
    values = request.parameters
    shared = {name: getattr(values, name) for name in SHARED}
    others = (SHARED[name].format(value) for name, value in shared.items() if value != getattr(DEFAULT, name))
    words = " ".join(others).split()
    if values.connection != DEFAULT.connection and request.program in UNRELIABLE:
        words += ["-c", values.connection.upper()]
    if values.relaxed_ordering == "no" and request.program != "ib_write_lat":  # which never uses it
        words.append("--disable_pcie_relaxed")
    if request.measure == "latency":
        return (*words, "-e") if values.wait == "event" and request.operation == "send" else tuple(words)
    words += ["-t", str(values.peer_tx_depth)]
    if values.pairs > 1:
        words += ["-q", str(values.pairs)]
    if values.both:
        words.append("-b")
    if values.peer_post_list > 1:
        words += ["-l", str(values.peer_post_list)]
    if values.peer_cq_moderation:
        words += ["-Q", str(values.peer_cq_moderation)]
    return (*words, "-N") if values.peer_no_peak else tuple(words)


def _sample(request: Request, counts: Counts, text: str) -> Sample:
    """Read a rate, or the median round trip (t_typical): ib_read_lat prints all of it, the others half."""
    heading, row = _table(request, text)
    size, iterations = counts.size, int(row[2]) if request.parameters.duration_s else counts.iterations
    if (int(row[1]), int(row[2])) != (size, iterations):
        what = f"#bytes is {row[1]} and #iterations {row[2]}, not {size} and {iterations}"
        raise ParseError(what, where=request.program)
    if request.measure == "latency":
        kind, time_ns = "round_trip_median", int(Decimal(row[5]) * 1000) * (1 if request.operation == "read" else 2)
    elif heading[2] in UNITS:
        kind, time_ns = "completed", _time_ns(size, iterations, row[4], UNITS[heading[2]], row[5])
    else:
        raise ParseError(f"the unit {heading[2]!r} is not known", where=request.program)
    if time_ns <= 0:
        name = "latency" if request.measure == "latency" else "rate"
        raise ParseError(f"the {name} of {size} bytes is printed as zero", where=request.program)
    return Sample(size, kind, 0, iterations, iterations * size, time_ns)


def _time_ns(size: int, iterations: int, average: str, unit: int, rate: str) -> int:
    """Return the time; 0 for a rate of zero."""
    with localcontext() as context:
        context.prec = 40
        messages_per_s = _messages_per_s(size, average, unit, rate)
        if messages_per_s == 0:
            return 0
        return int((iterations * Decimal(10**9) / messages_per_s).to_integral_value(ROUND_HALF_EVEN))


def _messages_per_s(size: int, average: str, unit: int, rate: str) -> Decimal:
    """Return the rate by the column with more digits: MiB/s is coarse for small messages, MsgRate for large ones."""
    if _digits(average) > _digits(rate):
        return Decimal(average) * unit / size
    return Decimal(rate) * 10**6


def _digits(number: str) -> int:
    return len(number.replace(".", "").lstrip("0"))


def _table(request: Request, text: str) -> tuple[re.Match[str], re.Match[str]]:
    """Return the heading and the single row between it and the closing rule."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if heading := _HEADINGS[request.measure].fullmatch(line):
            body = lines[index + 1 : index + 3]
            row = _ROWS[request.measure].fullmatch(body[0]) if len(body) == 2 else None
            if row and _RULE.fullmatch(body[1].strip()):
                return heading, row
    raise ParseError(f"no whole table of one row in the output: {text.strip()[-120:]!r}", where=request.program)


@dataclass(frozen=True)
class Pasted:
    """A table with a row for each size, as somebody printed it: bytes per second, or latencies in ps (RTT/2; for READ
    the round trip). `header` has the `name : value` pairs above it."""

    operation: str  # "" if the text does not name the program
    measure: str
    values: dict[int, float]
    header: dict[str, str]


def read_tables(text: str) -> list[Pasted]:
    """Read all tables of a text that perftest's ib_*_bw and ib_*_lat printed, of any version and unit."""
    tables: list[Pasted] = []
    columns: list[tuple[str, str]] = []
    operation, above = "", list[str]()
    for number, quoted in enumerate(text.splitlines(), 1):
        where, line = f"line {number}", quoted.lstrip("> |\t")
        if program := _PROGRAM.search(line):
            operation, above, columns = (program[1] or program[2]).lower(), [], []
            if "bidirectional" in line.lower():
                raise ParseError("a bidirectional rate counts both directions", where, "perftest without -b")
        elif "#bytes" in line:
            columns = _COLUMN.findall(line)
            measure = "throughput" if "BW average" in dict(columns) else "latency"
            tables.append(Pasted(operation, measure, {}, _header("\n".join(above))))
            above = []
        elif columns and line[:1].isdigit():
            size, value = _pasted_row(columns, line.split(), where)
            if size in tables[-1].values:
                raise ParseError(f"a second row for {plural(size, 'byte')}", where)
            tables[-1].values[size] = value
        else:
            above.append(line)
    return [table for table in tables if table.values]


def _pasted_row(columns: list[tuple[str, str]], cells: list[str], where: str) -> tuple[int, float]:
    row = dict(zip((name for name, _ in columns), cells, strict=False))
    units = dict(columns)
    try:
        size = whole(row["#bytes"])
        if "BW average" in units:
            unit = UNITS.get(units["BW average"])
            if unit is None:
                raise ParseError(f"unit of the rate: {units['BW average']} ({', '.join(UNITS)})", where)
            value = float(_messages_per_s(size, row["BW average"], unit, row.get("MsgRate", "0")) * size)
        else:
            value = float(row.get("t_typical") or row["t_avg"]) * PS_PER_US
    except (KeyError, ValueError, ArithmeticError):
        size, value = 0, 0.0
    if size < 1 or not 0 < value < float("inf"):
        what = f"row of a table: {' '.join(cells)[:80]!r} ({', '.join(name for name, _ in columns)})"
        hint = "a point in each number (LC_ALL=C)" if "," in "".join(cells) else "remove the row, or measure again"
        raise ParseError(what, where, hint)
    return size, value


def _header(text: str) -> dict[str, str]:
    """Return the `name : value` pairs above the table, two to a line."""
    above = text.partition("local address")[0]
    return {name.strip(): value for name, value in re.findall(r"([A-Z][^:\t\n]*?)\s*: (\S+)", above)}


def _program(name: str, operation: str, measure: str, *, both_spin: bool = False) -> Program:
    parameters = {"iterations", "sizes", *SHARED} | ({"relaxed_ordering"} if name != "ib_write_lat" else set())
    parameters |= PEER if measure == "throughput" else {"wait"}
    parameters |= {"connection"} if name in UNRELIABLE else set()
    return Program(
        name,
        frozenset({(operation, measure)}),
        steps_per_size(_step, PORT),
        parse,
        both_spin=both_spin,
        rdma=True,
        parameters=frozenset(parameters),
        whole_lists=True,
        largest_bytes=LARGEST,
    )


PROGRAMS = (
    _program("ib_write_bw", "write", "throughput"),
    _program("ib_read_bw", "read", "throughput"),
    _program("ib_send_bw", "send", "throughput", both_spin=True),
    _program("ib_write_lat", "write", "latency"),
    _program("ib_send_lat", "send", "latency"),
    _program("ib_read_lat", "read", "latency"),
)
