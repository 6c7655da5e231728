"""Verbyte's CSV: read from a program's output, and written into a record."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from math import ceil

from lab.errors import ParseError, plural
from lab.model.parameters import Counts
from lab.programs.program import (
    BACK,
    ONE_WAY,
    PROCESSOR,
    SENT,
    SETTLED,
    SHARE,
    SUMMARIES,
    WINDOW,
    Reading,
    Request,
    Sample,
)

FIRST_LINE = "# lab-bench 1"
COLUMNS = "size_bytes,sample,index,messages,bytes,time_ns"
OF_PROCESSORS = tuple(name for names in PROCESSOR.values() for name in names)
CONFIRMED = SUMMARIES[1]
ROWS_MOST = 1_000_000  # of single messages
SINGLE = ("round_trip", "send", "receive")
Kinds = dict[str, list[Sample]]  # of one size
KINDS = {"latency": ("round_trip",), ONE_WAY: ("send", "receive")}

_ROW = re.compile(r"(\d{1,19}),([a-z_]+),(\d{1,19}),(\d{1,19}),(\d{1,19}),(\d{1,19})", re.ASCII)
_END = re.compile(r"# end rows=(\d{1,19})", re.ASCII)


def read_samples(text: str, request: Request, *, by_lab: bool = False) -> Reading:
    """Read a CSV; raise unless it has exactly the samples of the request. Only Verbyte's programs may report CPU times,
    since no link confirms them."""
    lines = _lines(text)
    samples = _body(lines)
    costs = [sample for sample in samples if by_lab and sample.sample in OF_PROCESSORS]
    timed = [sample for sample in samples if not (by_lab and sample.sample in OF_PROCESSORS)]
    for sample in timed:
        if sample.bytes != sample.size_bytes * sample.messages or sample.time_ns <= 0:
            raise ParseError(f"an impossible sample: {sample}", where=request.program)
    values = request.parameters
    is_complete = _are_rounds if values.until_stable else _are_timed if values.duration_s else _are_counts
    for size, kinds, counts in _by_size(timed, request):
        if counts is None or not is_complete(kinds, counts, request):
            numbers = ", ".join(f"{sum(row.messages for row in rows)} of {kind}" for kind, rows in kinds.items())
            what = f"the messages of {plural(size, 'byte')} are not those of the request: {numbers or 'none'}"
            raise ParseError(what, where=request.program)
    for size, kinds, counts in _by_size(costs, request) if costs else ():  # older programs print none
        if counts is None or not _are_costs(kinds, 1 if values.duration_s else counts.iterations):
            raise ParseError(f"the CPU times of {plural(size, 'byte')} are impossible", where=request.program)
    return Reading(_header(lines), samples)


def write_samples(samples: Iterable[Sample]) -> str:
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
        raise ParseError(f"the samples are not whole: {plural(len(samples), 'row')} of {end[1]}")
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
    """Return the options that the program printed; the name of a size's options is `size BYTES`."""
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


def _by_size(samples: Iterable[Sample], request: Request) -> Iterator[tuple[int, Kinds, Counts | None]]:
    """Group the samples by size and kind, with the size's request; None for a size that is not in the request."""
    kinds: dict[int, Kinds] = {counts.size: {} for counts in request.counts}
    for sample in samples:
        kinds.setdefault(sample.size_bytes, {}).setdefault(sample.sample, []).append(sample)
    asked = {counts.size: counts for counts in request.counts}
    return ((size, of_size, asked.get(size)) for size, of_size in kinds.items())


def _are_counts(kinds: Kinds, asked: Counts, request: Request) -> bool:
    """A summary must have all messages of its size. Each round trip, send or receive has a row; above ROWS_MOST, one in
    every n has. A least time may raise the messages to a multiple of the request, the same in all summaries."""
    sent = sum(row.messages for row in kinds.get(SUMMARIES[0], ()))
    is_raised = request.least_time_s and sent and sent % asked.iterations == 0
    number = sent if is_raised else asked.iterations
    recorded = ceil(asked.iterations / ceil(asked.iterations / ROWS_MOST))  # code/bench/sweep.c
    summaries = _summaries(request) if request.measure == "throughput" else KINDS[request.measure]
    expected = {kind: recorded if kind in SINGLE else number for kind in summaries}
    has_windows = request.measure == "throughput"
    apart = (WINDOW, SHARE) if has_windows else ()
    found = {kind: sum(row.messages for row in rows) for kind, rows in kinds.items() if kind not in apart}
    if SENT in found and CONFIRMED in expected:  # what has not arrived is lost
        expected[CONFIRMED] = min(found.get(CONFIRMED, number + 1), number)
    if found != expected or not _are_shares(kinds.get(SHARE, []), number, request):
        return False
    return not has_windows or _are_windows(kinds.get(WINDOW, []), number)


def _are_timed(kinds: Kinds, _: Counts, request: Request) -> bool:
    """The windows are of the middle half of the time, and the last of them is the measured part. Single messages of
    that half have a row each, or one in every n."""
    if request.measure != "throughput":
        are_single = all(row.messages == 1 for rows in kinds.values() for row in rows)
        return are_single and kinds.keys() == {*KINDS[request.measure]} and len({*map(len, kinds.values())}) == 1
    summaries = _summaries(request)
    if [len(kinds.get(kind, ())) for kind in summaries] != [1] * len(summaries):
        return False
    completed, sent = kinds["completed"][0], kinds[SENT if SENT in summaries else CONFIRMED][0]
    return (
        kinds.keys() <= {WINDOW, SHARE, *summaries}
        and _are_windows(kinds.get(WINDOW, []), completed.messages)
        and _are_shares(kinds.get(SHARE, []), sent.messages, request)
        and all(row.messages <= sent.messages for row in kinds.get(CONFIRMED, ()))
        and completed.messages < sent.messages
        and completed.time_ns < sent.time_ns
    )


def _summaries(request: Request) -> tuple[str, ...]:
    """The rows about all messages: also what was sent where some may be lost, and then no confirmation of WRITEs, which
    no receiver sees."""
    if request.program != "verbs" or request.parameters.connection == "rc":
        return (*SUMMARIES, BACK) if request.parameters.both else SUMMARIES
    return (SENT, "completed") if request.operation == "write" else (SENT, *SUMMARIES)


def _are_windows(windows: list[Sample], messages: int) -> bool:
    """Each window starts at the first message and has more messages than the window before; the last has all."""
    rising = all(a.messages < b.messages and a.time_ns <= b.time_ns for a, b in pairwise(windows))
    whole = [window.index for window in windows] == list(range(len(windows)))
    return bool(windows) and whole and rising and windows[-1].messages == messages


def _are_shares(shares: list[Sample], messages: int, request: Request) -> bool:
    """Each of several queue pairs or connections has sent its part of the messages."""
    number = {"verbs": request.parameters.pairs, "tcp": request.parameters.streams}.get(request.program, 1)
    return not shares if number == 1 else len(shares) == number and sum(row.messages for row in shares) == messages


def _are_rounds(kinds: Kinds, asked: Counts, request: Request) -> bool:
    """There must be round trips, as many rounds as the rule allows, and a row for the last window of rounds."""
    limits = request.parameters.round_limits
    rounds, completed, trips = (kinds.get(kind, []) for kind in ("round", "round_completed", "control_trip"))
    last, window = [row for kind in SETTLED for row in kinds.get(kind, ())], rounds[-limits.window :]
    return (
        kinds.keys() <= {"round", "round_completed", "control_trip", *SETTLED}
        and bool(trips)
        and all(trip.messages == 0 for trip in trips)
        and all(row.messages == asked.iterations for row in (*rounds, *completed))
        and len(completed) == len(rounds)
        and all(end.time_ns <= whole.time_ns for end, whole in zip(completed, rounds, strict=True))
        and limits.window <= len(rounds) <= limits.cap
        and [(row.messages, row.time_ns) for row in last]
        == [(sum(row.messages for row in window), sum(row.time_ns for row in window))]
    )


def _are_costs(kinds: Kinds, divisor: int) -> bool:
    """There must be a row for each end and part, all of the same messages, a multiple of those of the request. No part
    exceeds its whole, which is 0 for a short time on a kernel that counts in ticks."""
    rows = [row for name in OF_PROCESSORS for row in kinds.get(name, ())]
    if [row.sample for row in rows] != list(OF_PROCESSORS):
        return False
    (messages, *others) = {row.messages for row in rows}
    return (
        not others
        and messages > 0
        and messages % divisor == 0
        and all(row.bytes == row.size_bytes * messages for row in rows)
        and all(kernel.time_ns <= whole.time_ns for whole, kernel in zip(rows[::2], rows[1::2], strict=True))
    )
