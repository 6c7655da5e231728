"""The lab's CSV: read from a program's output, and written into a record."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil

from lab.errors import ParseError
from lab.model.parameters import Counts, RoundLimits
from lab.programs.program import ONE_WAY, PROCESSOR, SETTLED, SUMMARIES, WINDOW, Reading, Request, Sample

FIRST_LINE = "# lab-bench 1"
COLUMNS = "size_bytes,sample,index,messages,bytes,time_ns"
OF_PROCESSORS = tuple(name for names in PROCESSOR.values() for name in names)
ROWS_MOST = 1_000_000  # of single messages
SINGLE = ("round_trip", "send", "receive")
KINDS = {"throughput": SUMMARIES, "latency": ("round_trip",), ONE_WAY: ("send", "receive")}

_ROW = re.compile(r"(\d{1,19}),([a-z_]+),(\d{1,19}),(\d{1,19}),(\d{1,19}),(\d{1,19})", re.ASCII)
_END = re.compile(r"# end rows=(\d+)", re.ASCII)


def read_samples(text: str, request: Request, *, ours: bool = False) -> Reading:
    """The samples of a lab's CSV that holds exactly what was asked for, or a ParseError. Only our programs may name
    processor times, which no link shows."""
    lines = _lines(text)
    samples = _body(lines)
    costs = [sample for sample in samples if ours and sample.sample in OF_PROCESSORS]
    timed = tuple(sample for sample in samples if not (ours and sample.sample in OF_PROCESSORS))
    _check_values(timed, request)
    check = _check_rounds if request.parameters.until_stable else _check_counts
    check(timed, request)
    _check_costs(costs, request)
    return Reading(_header(lines), samples)


def write_samples(samples: Iterable[Sample]) -> str:
    """Samples as text with an end mark."""
    rows = [f"{s.size_bytes},{s.sample},{s.index},{s.messages},{s.bytes},{s.time_ns}" for s in samples]
    return "\n".join([FIRST_LINE, COLUMNS, *rows, f"# end rows={len(rows)}", ""])


def load_samples(text: str) -> tuple[Sample, ...]:
    return _body(_lines(text))


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    if not lines or lines[0] != FIRST_LINE:
        raise ParseError(f"the samples do not begin with {FIRST_LINE!r}")
    return lines


def _body(lines: list[str]) -> tuple[Sample, ...]:
    end = _END.fullmatch(lines[-1])
    if end is None or COLUMNS not in lines:
        raise ParseError("the samples are not whole: the last line is not '# end rows=N'")
    start = lines.index(COLUMNS) + 1
    samples = tuple(_samples(lines[start:-1], start))
    if len(samples) != int(end[1]):
        raise ParseError(f"the samples are not whole: {len(samples)} rows of {end[1]}")
    return samples


def _samples(lines: list[str], start: int) -> Iterator[Sample]:
    for number, line in enumerate(lines, start + 1):
        if line.startswith("# "):
            continue
        row = _ROW.fullmatch(line)
        if row is None:
            raise ParseError(f"line {number} is not a sample: {line[:80]!r}")
        yield Sample(int(row[1]), row[2], *(int(number) for number in row.groups()[2:]))


def _header(lines: list[str]) -> dict[str, str]:
    """The options and choices that the program printed; values of one size are named after that size."""
    header: dict[str, str] = {}
    for line in lines[1:-1]:
        key, equals, value = line.removeprefix("# ").partition("=")
        if not line.startswith("# ") or not equals:
            continue
        if key == "size_bytes":
            size, _, rest = value.partition(" ")
            header[f"size {size}"] = rest
        else:
            header[key] = value
    return header


def _check_values(samples: tuple[Sample, ...], request: Request) -> None:
    for sample in samples:
        if sample.bytes != sample.size_bytes * sample.messages or sample.time_ns <= 0:
            raise ParseError(f"an impossible sample: {sample}", where=request.program)


def _check_counts(samples: tuple[Sample, ...], request: Request) -> None:
    """A summary must hold all messages of its size. Each round trip, send or receive has a row; of too many, one in
    every n has. Each window starts at the first message and holds more than the one before; the last holds all."""
    found: Counter[tuple[int, str]] = Counter()
    windows: dict[int, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.sample == WINDOW and request.measure == "throughput":
            windows[sample.size_bytes].append(sample)
        else:
            found[sample.size_bytes, sample.sample] += sample.messages
    wanted = {
        (each.size, kind): _kept(each.iterations) if kind in SINGLE else _sent(each, found, request)
        for each in request.counts
        for kind in KINDS[request.measure]
    }
    if dict(found) != wanted:
        odd = sorted(set(found.items()) ^ set(wanted.items()))[0]
        raise ParseError(f"messages of size and kind differ from what was asked, first at {odd}", where=request.program)
    if request.measure == "throughput":
        for each in request.counts:
            if not _are_windows(windows.pop(each.size, []), _sent(each, found, request)):
                raise ParseError(f"the windows of {each.size} bytes are not what was asked for", where=request.program)
        if windows:
            raise ParseError(f"windows of {min(windows)} bytes were not asked for", where=request.program)


def _are_windows(windows: list[Sample], iterations: int) -> bool:
    rising = all(one.messages < other.messages and one.time_ns <= other.time_ns for one, other in pairwise(windows))
    whole = [each.index for each in windows] == list(range(len(windows)))
    return bool(windows) and whole and rising and windows[-1].messages == iterations


def _sent(asked: Counts, found: Counter[tuple[int, str]], request: Request) -> int:
    """The messages of a size. A least time may raise them to a multiple of the request, the same in all summaries."""
    sent = found[asked.size, SUMMARIES[0]]
    raised = request.least_time_s and sent and sent % asked.iterations == 0
    return sent if raised else asked.iterations


def _kept(asked: int) -> int:
    """The number of messages of a size with a row of their own (code/bench/sweep.c)."""
    return ceil(asked / ceil(asked / ROWS_MOST))


def _check_rounds(samples: tuple[Sample, ...], request: Request) -> None:
    """Each size has round trips, as many rounds as the rule allows, and the last window of them in one row."""
    by_size: dict[int, list[Sample]] = {each.size: [] for each in request.counts}
    for sample in samples:
        by_size.setdefault(sample.size_bytes, []).append(sample)
    iterations = {each.size: each.iterations for each in request.counts}
    for size, rows in by_size.items():
        if size not in iterations or not _are_rounds(rows, iterations[size], request.parameters.round_limits):
            raise ParseError(f"the rounds of {size} bytes are not what was asked for", where=request.program)


def _are_rounds(rows: list[Sample], iterations: int, asked: RoundLimits) -> bool:
    rounds = [row for row in rows if row.sample == "round"]
    completed = [row for row in rows if row.sample == "round_completed"]
    trips = [row for row in rows if row.sample == "control_trip"]
    last, window = [row for row in rows if row.sample in SETTLED], rounds[-asked.window :]
    return (
        len(rows) == len(rounds) + len(completed) + len(trips) + 1
        and bool(trips)
        and all(trip.messages == 0 for trip in trips)
        and all(each.messages == iterations for each in (*rounds, *completed))
        and len(completed) == len(rounds)
        and all(one.time_ns <= other.time_ns for one, other in zip(completed, rounds, strict=True))
        and asked.window <= len(rounds) <= asked.cap
        and [(each.messages, each.time_ns) for each in last]
        == [(sum(each.messages for each in window), sum(each.time_ns for each in window))]
    )


def _check_costs(costs: list[Sample], request: Request) -> None:
    """Both ends' processor times of every size, or none at all: older programs print none."""
    rows = {(each.size_bytes, each.sample): each for each in costs}
    if not costs:
        return
    wanted = {(each.size, sample) for each in request.counts for sample in OF_PROCESSORS}
    if len(rows) != len(costs) or rows.keys() != wanted:
        raise ParseError("the processor times are not those of both ends at every size", where=request.program)
    for each in request.counts:
        if not _are_costs([rows[each.size, sample] for sample in OF_PROCESSORS], each):
            raise ParseError(f"the processor times of {each.size} bytes are impossible", where=request.program)


def _are_costs(rows: list[Sample], asked: Counts) -> bool:
    """Of the same messages, which are those that were asked for or a multiple, and no part above its whole, which is 0
    for a short time on a kernel that counts in ticks."""
    wholes, kernels = rows[::2], rows[1::2]
    (messages, *others) = {each.messages for each in rows}
    return (
        not others
        and messages > 0
        and messages % asked.iterations == 0
        and all(each.bytes == each.size_bytes * messages for each in rows)
        and all(kernel.time_ns <= whole.time_ns for whole, kernel in zip(wholes, kernels, strict=True))
    )
