"""Numbers in the output of a program, with their units."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.model.sizes import LARGEST
from lab.model.trial import StepOutcome
from lab.programs.program import UNREAD, Reading, Request, Sample

POWERS = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4}
RATE = re.compile(
    r"(?P<prefix>[kKMGT]?)(?P<binary>i?)"
    r"(?:(?P<bytes>B|[Bb]ytes?)|(?P<bits>b|[Bb]its?)|(?P<messages>p|[Mm]sgs?|[Mm]essages?|[Oo]ps|[Pp]ackets?))"
    r"(?:ps|/s|/sec|/second)"
)
SECONDS = {"n": 1, "u": 10**3, "\N{MICRO SIGN}": 10**3, "\N{GREEK SMALL LETTER MU}": 10**3, "m": 10**6, "": 10**9}
WORDS = {"nano": "n", "micro": "u", "milli": "m", "": ""}
TIME = re.compile(
    rf"(?:(?P<prefix>[{''.join(SECONDS)}]?)(?:s|secs?)|(?P<word>nano|micro|milli|)seconds?)(?:/\w{{1,9}})?"
)
KNOWN = {  # examples for a message
    "throughput": "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, bit/s, Mbit/s, Gbit/s, Mbps, Gb/sec, msg/s, Mpps",
    "latency": "ns, us, ms, s, usec, us/iter, microseconds",
}
MOST_CHARACTERS = 1 << 20  # of an output
LONGEST_LINE = 1000
NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
SIZE = re.compile(r"(?P<number>\d{1,19}) ?(?P<unit>[KkMG](?:i?B)?|B|[Bb]ytes?)?", re.ASCII)
SHIFTS = {"B": 0, "K": 10, "M": 20, "G": 30}  # of sizes by the first letter, also where a program calls them KB
COLUMNS = re.compile(r"(?P<size>\S{1,24})\s+(?P<value>\S{1,40})\s+(?P<unit>\S{1,16})", re.ASCII)
TWICE, NONE = "two lines have a result", "no line has a result"

Part = tuple[str, tuple[Counts, ...]]  # the output of one pair of programs, and its sizes


@dataclass(frozen=True)
class Printed:
    """The format of a line: named groups size, value, unit and messages. The unit may be fixed; the command may name
    the size, or leave the sizes to the program."""

    pattern: re.Pattern[str]
    unit: str = ""
    only: bool = False  # each line but a comment must match
    stop: str = "completed"  # the end of a rate's time
    factor: Decimal = Decimal(1)  # of each value: 2 for RTT/2
    size_unit: str = "B"  # default unit of a size
    sizes_of_its_own: bool = False  # skip lines about sizes that are not in the request


def output(outcome: StepOutcome, end: str, *, with_errors: bool) -> str:
    """Return the standard output of an end, with its standard error if that may contain results."""
    out, err = (outcome.server_out, outcome.server_err) if end == "server" else (outcome.client_out, outcome.client_err)
    return f"{out}\n{err}" if with_errors else out


def read_printed(printed: Printed, request: Request, parts: Iterable[Part]) -> Reading:
    """Return a sample for each readable size, in the order of the request; raise if there is none."""
    samples: dict[int, Sample] = {}
    rounded: dict[int, float] = {}
    lost: dict[int, str] = {}
    for text, part in parts:
        for counts, groups in _results(printed, request, text, part):
            try:
                sample = _sample(printed, request, counts, groups)
            except ParseError as error:
                lost[counts.size] = error.what
            else:
                if counts.size in samples:
                    lost[counts.size] = TWICE
                samples[counts.size] = sample
                rounded[counts.size] = _rounded(groups["value"] or "", latency=request.measure == "latency")
    sizes = [counts.size for counts in request.counts]
    lost = {size: NONE for size in sizes if size not in samples} | lost
    if len(lost) == len(sizes):
        raise ParseError("; ".join(f"{size} bytes: {why}" for size, why in lost.items()), where=request.program)
    header = {f"{UNREAD}{size}": why for size, why in sorted(lost.items())}
    return Reading(header, tuple(samples[size] for size in sizes if size not in lost), rounded)


def _results(
    printed: Printed, request: Request, text: str, part: tuple[Counts, ...]
) -> Iterator[tuple[Counts, dict[str, str | None]]]:
    counts = {size.size: size for size in part}
    for number, line in _lines(text, request.program):
        match = printed.pattern.fullmatch(line) if printed.only else printed.pattern.search(line)
        size = _size(printed, match.groupdict(), part[0].size) if match else None
        if match is None or size is None:
            if printed.only:
                raise ParseError(f"line {number} is not 'size value unit': {line[:80]!r}", where=request.program)
        elif size in counts:
            yield counts[size], match.groupdict()
        elif not printed.sizes_of_its_own:
            what = f"line {number} is about {size} bytes, a size that is not in the request"
            raise ParseError(what, where=request.program)


def _lines(text: str, program: str) -> Iterator[tuple[int, str]]:
    if len(text) > MOST_CHARACTERS:
        raise ParseError(f"{len(text)} characters were printed, more than {MOST_CHARACTERS}", where=program)
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise ParseError(f"line {number} has {len(line)} characters, more than {LONGEST_LINE}", where=program)
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _sample(printed: Printed, request: Request, counts: Counts, groups: dict[str, str | None]) -> Sample:
    """Make a sample of a rate, or of the mean of round trips."""
    value, unit = groups["value"] or "", groups.get("unit") or printed.unit
    latency = request.measure == "latency"
    amount = nanoseconds(unit) if latency else bytes_per_s(unit, counts.size)
    if amount is None:
        raise ParseError(f"{unit[:40]!r} is not a unit of {request.measure}: one of {KNOWN[request.measure]}")
    if NUMBER.fullmatch(value) is None:
        raise ParseError(f"{value[:40]!r} is not a number")
    count = _messages(groups.get("messages"), counts)
    total = count * counts.size
    with localcontext() as context:
        context.prec = 40
        number = Decimal(value) * amount * printed.factor
        time = number if latency else total * 10**9 / number if number else Decimal(0)
    if not 1 <= time < 2**63:
        raise ParseError(f"{value} {unit} is impossible")
    kind = "round_trip_mean" if latency else printed.stop
    return Sample(counts.size, kind, 0, count, total, int(time.to_integral_value()))


def _rounded(value: str, *, latency: bool) -> float:
    """Return the longest true time over the printed one: the last digit of a number is rounded, by half of its unit;
    that of a whole number for a time may be truncated, as C divides."""
    number = Decimal(value)
    unit = Decimal((0, (1,), int(number.as_tuple().exponent)))
    share = float(unit / number) / (1 if latency and "." not in value else 2)
    return 1 + share if latency else 1 / (1 - share)


def _messages(printed: str | None, counts: Counts) -> int:
    """Return the printed number of messages, else that of the request."""
    if printed is None:
        return counts.iterations
    if not re.fullmatch(r"\d{1,12}", printed, re.ASCII) or not 0 < int(printed) * counts.size <= LARGEST:
        raise ParseError(f"{printed[:40]!r} is not a number of messages")
    return int(printed)


def _size(printed: Printed, groups: dict[str, str | None], size: int) -> int | None:
    """Return the size that a line names, else that of the command."""
    if (text := groups.get("size")) is None:
        return size
    match = SIZE.fullmatch(text)
    return int(match["number"]) << SHIFTS[(match["unit"] or printed.size_unit)[0].upper()] if match else None


def bytes_per_s(unit: str, size: int) -> Decimal | None:
    """Return the bytes per second of one unit of a rate, for messages of a size; None for another text."""
    match = RATE.fullmatch(unit)
    if match is None or (match["binary"] and not match["prefix"]):
        return None
    factor = Decimal(1024 if match["binary"] else 1000) ** POWERS[match["prefix"]]
    return factor * size if match["messages"] else factor if match["bytes"] else factor / 8


def nanoseconds(unit: str) -> Decimal | None:
    """Return the nanoseconds of one unit of time; None for another text."""
    match = TIME.fullmatch(unit)
    if match is None:
        return None
    return Decimal(SECONDS[match["prefix"] if match["word"] is None else WORDS[match["word"]]])


def is_unit(text: str) -> bool:
    return bytes_per_s(text, 1) is not None or nanoseconds(text) is not None
