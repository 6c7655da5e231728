"""Output of programs that don't know the lab: a number with its unit for each size. None of it is trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.model.trial import StepOutcome
from lab.programs.request import Reading, Request, Sample

MOST_CHARACTERS = 1 << 20
LONGEST_LINE = 1000
RATES = {  # in bytes per second; a bit rate's prefixes are decimal
    "B/s": Decimal(1),
    "kB/s": Decimal(10**3),
    "MB/s": Decimal(10**6),
    "GB/s": Decimal(10**9),
    "KiB/s": Decimal(2**10),
    "MiB/s": Decimal(2**20),
    "GiB/s": Decimal(2**30),
} | {
    f"{prefix}{unit}": Decimal(factor) / 8
    for prefix, factor in (("", 1), ("k", 10**3), ("K", 10**3), ("M", 10**6), ("G", 10**9))
    for unit in ("bit/s", "bps")
}
TIMES = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}  # of a whole round trip, in ns
NUMBER = r"\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?"
COLUMNS = re.compile(rf"(?P<size>\d{{1,19}})\s+(?P<value>{NUMBER})\s+(?P<unit>\S{{1,16}})", re.ASCII)

Part = tuple[StepOutcome, tuple[Counts, ...]]  # the output of one pair of programs, and its sizes


@dataclass(frozen=True)
class Printed:
    """The format of a line: named groups size, value and unit. The unit may be fixed; the command may give the size."""

    pattern: re.Pattern[str]
    unit: str = ""
    only: bool = False  # each line but a comment must match
    stop: str = "completed"  # the end of a rate's time


def read_printed(printed: Printed, request: Request, parts: Iterable[Part]) -> Reading:
    """One sample for each size, in the order asked for."""
    samples: dict[int, Sample] = {}
    for outcome, counts in parts:
        for sample in _samples(printed, request, outcome.client_out, counts):
            if sample.size_bytes in samples:
                raise ParseError(f"{sample.size_bytes} bytes are there twice", where=request.program)
            samples[sample.size_bytes] = sample
    for each in request.counts:
        if each.size not in samples:
            raise ParseError(f"no line has a result for {each.size} bytes", where=request.program)
    return Reading({}, tuple(samples[each.size] for each in request.counts))


def _samples(printed: Printed, request: Request, text: str, counts: tuple[Counts, ...]) -> Iterator[Sample]:
    asked = {each.size: each for each in counts}
    for number, line in _lines(text, request.program):
        found = printed.pattern.fullmatch(line) if printed.only else printed.pattern.search(line)
        if found is None:
            if printed.only:
                raise ParseError(f"line {number} is not 'size value unit': {line[:80]!r}", where=request.program)
            continue
        groups = found.groupdict()
        size = _integer(groups.get("size") or str(counts[0].size))
        if size not in asked:
            raise ParseError(
                f"line {number} is about {size} bytes, a size that was not asked for", where=request.program
            )
        yield _sample(printed.stop, request, asked[size], groups["value"], groups.get("unit") or printed.unit)


def _lines(text: str, program: str) -> Iterator[tuple[int, str]]:
    if len(text) > MOST_CHARACTERS:
        raise ParseError(f"{len(text)} characters were printed, more than {MOST_CHARACTERS}", where=program)
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise ParseError(f"line {number} has {len(line)} characters, more than {LONGEST_LINE}", where=program)
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _sample(stop: str, request: Request, asked: Counts, value: str, unit: str) -> Sample:
    """One sample: a rate up to the stop time that such programs know, or the mean of round trips."""
    units: dict[str, Decimal] = RATES if request.measure == "throughput" else {k: Decimal(v) for k, v in TIMES.items()}
    if unit not in units:
        known = ", ".join(units)
        raise ParseError(f"{unit!r} is no unit of {request.measure}: one of {known}", where=request.program)
    if re.fullmatch(NUMBER, value, re.ASCII) is None:
        raise ParseError(f"{value[:40]!r} is no number", where=request.program)
    count, total = asked.iterations, asked.iterations * asked.size
    with localcontext() as context:
        context.prec = 40
        printed = Decimal(value) * units[unit]
        time = printed if request.measure == "latency" else total * 10**9 / printed if printed else Decimal(0)
    if not 1 <= time < 2**63:
        raise ParseError(f"{value} {unit} for {asked.size} bytes is impossible", where=request.program)
    kind = "round_trip_mean" if request.measure == "latency" else stop
    return Sample(asked.size, kind, 0, count, total, int(time.to_integral_value()))


def _integer(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,19}", text, re.ASCII) else -1
