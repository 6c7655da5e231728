"""perftest's ib_* programs: one pair of processes for each size, read from the table that they print.

Its JSON is not usable (4.5 writes unquoted keys) and neither are t_stdev and t_max, which it computes wrongly.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import Program, Reading, Request, Sample, outputs_per_size, steps_per_size

PORT = 18515
LARGEST = 2**31 - 1
PEER = {"peer_tx_depth", "peer_post_list", "peer_cq_moderation", "peer_no_peak"}
# Mebibytes also where the heading says MB/sec, in all versions; gigabits with --report_gbits.
UNITS = {"MB/sec": 2**20, "MiB/sec": 2**20, "Gb/sec": 10**9 // 8}

_NUMBER = r"(\d+(?:\.\d+)?)"
_RULE = re.compile(r"-{20,}")
_BANDWIDTH_HEADING = re.compile(r"\s*#bytes\s+#iterations\s+BW peak\[(\S+)\]\s+BW average\[(\S+)\]\s+MsgRate\[Mpps\].*")
_LATENCY_HEADING = re.compile(
    r"\s*#bytes\s+#iterations\s+t_min\[usec\]\s+t_max\[usec\]\s+t_typical\[usec\]\s+t_avg\[usec\].*"
)
_BANDWIDTH_ROW = re.compile(rf"\s*(\d+)\s+(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}(?:\s+\S+)*\s*", re.ASCII)
_LATENCY_ROW = re.compile(rf"\s*(\d+)\s+(\d+)\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}\s+{_NUMBER}(?:\s+\S+)*\s*", re.ASCII)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """One sample for each size, from the client's table."""
    read = _latency if request.measure == "latency" else _bandwidth
    samples = tuple(read(request, counts, text) for counts, text in outputs_per_size(request, outcomes))
    return Reading(_header(outcomes[0].client_out), samples)


def _step(request: Request, ends: Ends, counts: Counts, port: int) -> Step:
    """The side channel is TCP on an address of its own; the data go where the devices are."""
    shared = ("-p", str(port), "-s", str(counts.size), "-n", str(counts.iterations), "-F", *_tuning(request))
    server = (request.program, "-d", ends.server.device, *shared)
    client = (request.program, "-d", ends.client.device, *shared, ends.side_channel)
    return Step(server, client, port)


def _tuning(request: Request) -> tuple[str, ...]:
    values, words = request.parameters, []
    if values.path_mtu != "auto":
        words += ["-m", str(values.path_mtu)]
    if values.relaxed_ordering == "no" and request.program != "ib_write_lat":  # it never has it
        words.append("--disable_pcie_relaxed")
    if request.measure == "latency":
        return (*words, "-e") if values.wait == "event" and request.operation == "send" else tuple(words)
    words += ["-t", str(values.peer_tx_depth)]
    if values.peer_post_list > 1:
        words += ["-l", str(values.peer_post_list)]
    if values.peer_cq_moderation:
        words += ["-Q", str(values.peer_cq_moderation)]
    return (*words, "-N") if values.peer_no_peak else tuple(words)


def _bandwidth(request: Request, counts: Counts, text: str) -> Sample:
    heading, row = _table(request, text, _BANDWIDTH_HEADING, _BANDWIDTH_ROW)
    iterations = _check_row(request, counts, row)
    if heading[2] not in UNITS:
        raise ParseError(f"the unit {heading[2]!r} is not known", where=request.program)
    time_ns = _time_ns(counts.size, iterations, row[4], UNITS[heading[2]], row[5])
    if time_ns is None:
        raise ParseError(f"the rate of {counts.size} bytes is printed as zero", where=request.program)
    return Sample(counts.size, "completed", 0, iterations, iterations * counts.size, time_ns)


def _latency(request: Request, counts: Counts, text: str) -> Sample:
    """The round trip: ib_read_lat prints all of it, the others half; t_typical is the median."""
    _, row = _table(request, text, _LATENCY_HEADING, _LATENCY_ROW)
    iterations = _check_row(request, counts, row)
    halves = 1 if request.operation == "read" else 2
    time_ns = int(Decimal(row[5]) * 1000) * halves
    if time_ns <= 0:
        raise ParseError(f"the latency of {counts.size} bytes is printed as zero", where=request.program)
    return Sample(counts.size, "round_trip_median", 0, iterations, iterations * counts.size, time_ns)


def _time_ns(size: int, iterations: int, average: str, unit: int, rate: str) -> int | None:
    """The rate from the column with more digits: MiB/s is coarse for small messages, MsgRate for large ones."""
    with localcontext() as context:
        context.prec = 40
        messages_per_s = Decimal(rate) * 10**6
        if _digits(average) > _digits(rate):
            messages_per_s = Decimal(average) * unit / size
        if messages_per_s == 0:
            return None
        return int((iterations * Decimal(10**9) / messages_per_s).to_integral_value(ROUND_HALF_EVEN))


def _digits(number: str) -> int:
    return len(number.replace(".", "").lstrip("0"))


def _table(
    request: Request, text: str, heading: re.Pattern[str], row: re.Pattern[str]
) -> tuple[re.Match[str], re.Match[str]]:
    """The heading and the single row between it and the closing rule."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if found := heading.fullmatch(line):
            body = lines[index + 1 : index + 3]
            if len(body) == 2 and (only := row.fullmatch(body[0])) and _RULE.fullmatch(body[1].strip()):
                return found, only
    raise ParseError(f"no whole table of one row in the output: {text.strip()[-120:]!r}", where=request.program)


def _check_row(request: Request, counts: Counts, row: re.Match[str]) -> int:
    if (int(row[1]), int(row[2])) != (counts.size, counts.iterations):
        asked = f"{counts.size} bytes {counts.iterations} times"
        raise ParseError(f"{row[1]} bytes {row[2]} times were measured, not {asked}", where=request.program)
    return counts.iterations


def _header(text: str) -> dict[str, str]:
    """The `name : value` pairs above the table, two to a line."""
    above = text.partition("local address")[0]
    return {name.strip(): value for name, value in re.findall(r"([A-Z][^:\t\n]*?)\s*: (\S+)", above)}


def _program(name: str, operation: str, measure: str, *, both_spin: bool = False) -> Program:
    uses = {"iterations", "sizes", "path_mtu"} | ({"relaxed_ordering"} if name != "ib_write_lat" else set())
    uses |= PEER if measure == "throughput" else {"wait"}
    return Program(
        name,
        frozenset({(operation, measure)}),
        steps_per_size(_step, PORT),
        parse,
        both_spin=both_spin,
        rdma=True,
        uses=frozenset(uses),
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
