"""Numbers in the output of a program, with their units."""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from itertools import accumulate

from lab.errors import ParseError, plural
from lab.model.parameters import Counts
from lab.model.sizes import LARGEST
from lab.model.trial import StepOutcome
from lab.programs.program import LINES, ROUNDED, UNREAD, Reading, Request, Sample

POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
RATE = re.compile(
    r"(?P<prefix>[kKMGT]?|[kK]ilo|[mM]ega|[gG]iga)(?P<binary>i?)"
    r"(?:(?P<bytes>B|[Bb]ytes?|o(?=/)|[Oo]ctets?)|(?P<bits>b|[Bb]its?)|(?P<messages>p|[Mm]sgs?|[Mm]essages?|[Oo]ps|(?<=[kKM])o(?=ps)|[Rr]pcs?|RPCs?|[Pp]ackets?|(?:req|Req|request|Request)s?))"
    r"(?:ps|/s|/sec|/second)"
)
SECONDS = {"n": 1, "u": 10**3, "\N{MICRO SIGN}": 10**3, "\N{GREEK SMALL LETTER MU}": 10**3, "m": 10**6, "": 10**9}
WORDS = {"nano": "n", "micro": "u", "mikro": "u", "Mikro": "u", "milli": "m", "mili": "m", "": ""}
TIME = re.compile(
    rf"(?:(?P<prefix>[{''.join(SECONDS)}]?)(?:s|secs?)"
    rf"|(?P<word>{'|'.join(WORDS)})(?:secs?|seconds?|secondes?|segundos?|[Ss]ekunden?))(?:/\w{{1,9}})?"
)
KNOWN = {  # examples for a message
    "throughput": "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, bit/s, Mbit/s, Gbit/s, Mbps, Gb/sec, msg/s, Mpps",
    "latency": "ns, us, ms, s, usec, us/iter, microseconds",
}
MOST_CHARACTERS = 1 << 20  # of an output
LONGEST_LINE = 1000
NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
# Numbers such as 1,234.56 and 1'234.56, and such as 1.234,56 and 12,34.
THOUSANDS = r"[1-9]\d{0,2}(?:[,']\d{3})+(?:\.\d{1,15})?"
DECIMAL_COMMA = r"(?:[1-9]\d{0,2}(?:\.\d{3})+|\d{1,15}),\d{1,15}"
GROUPED = rf"(?:{THOUSANDS}|{DECIMAL_COMMA})"
COLOUR = re.compile(r"\x1b\[[\d;]*m")  # of a terminal
SIZE = re.compile(r"(?P<number>\d{1,3}(?:,\d{3})+|\d{1,19}) ?(?P<unit>[KkMG](?:i?B)?|B|[Bb]ytes?)?", re.ASCII)
# Of sizes by the first letter, also where a program calls them KB; ints and doubles are never printed behind them.
SHIFTS = {"B": 0, "I": 2, "D": 3, "K": 10, "M": 20, "G": 30}
COLUMNS = re.compile(r"(?P<size>\S{1,24})\s+(?P<value>\S{1,40})\s+(?P<unit>\S{1,16})", re.ASCII)
NONE = "no line has a result"
NOTED_PERCENT = 3  # of the time; two digits leave up to 5 % open, three at most 0.5 %
# What Open MPI writes before the lines of a rank, or where it cuts its output.
RANK = re.compile(r"\[1,(\d+)\]<std(?:out|err)>:")
# The parts of a regular expression: a group's start, a class, an escaped character, a lazy quantifier, any other one.
PARTS = re.compile(r"\(\?(?:P<\w+>|.)|\[\^?\]?(?:\\.|[^]\\])*\]|\\.|[*+?}]\?|.", re.DOTALL)
APART = re.compile(r"(?:\\s|\\[^\w\s]|[^\\\d.(\[|$^])(?![*?{])")  # no digit of a number before it
CLASSES = {r"\d": "0-9", r"\s": " \t", r"\w": "A-Za-z0-9_"}

Part = tuple[str, tuple[Counts, ...]]  # the output of one pair of programs, and its sizes


@dataclass(frozen=True)
class Printed:
    """The format of a line: named groups size, value, unit and messages; in place of value, total is the time of all
    messages. The unit may be fixed; the command may name the size, or leave the sizes to the program."""

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


def by_rank(outcome: StepOutcome) -> StepOutcome:
    """Return the outcome of an MPI program with the lines of rank 1 as the server's; without ranks, as it is."""
    outputs = []
    for text in (outcome.client_out, outcome.client_err):
        first, *tagged = RANK.split(text)
        parts = ("0", first), *zip(tagged[::2], tagged[1::2], strict=True)
        outputs += ["".join(part for rank, part in parts if rank == wanted) for wanted in "01"]
    client_out, server_out, client_err, server_err = outputs
    return replace(
        outcome,
        client_out=client_out,
        client_err=client_err,
        server_out=server_out or outcome.server_out,
        server_err=server_err or outcome.server_err,
    )


def lines_about(printed: Printed, sizes: Iterable[int]) -> tuple[str, tuple[str, ...]]:
    """Return extended regular expressions, as awk knows them: one that finds a line with a result, and one for each
    size. Raise ValueError for a pattern that has none."""
    parts = PARTS.findall(r"^\s*(?P<size>\S+)\s+\S+\s+\S+\s*$" if printed.only else printed.pattern.pattern)
    whole = "".join(map(_extended, parts))
    if "(?P<size>" not in parts:
        return whole, (whole,)
    at = parts.index("(?P<size>")
    depths = list(accumulate(part.startswith("(") - (part == ")") for part in parts))
    if depths[at] > 1:
        raise ValueError("the group of the size is inside another group")
    start = "".join(map(_extended, parts[:at])) or "(^|[^0-9])"
    behind = parts[depths.index(0, at) + 1 :]
    # A value may look like a size, so what follows the size counts, unless it might be more digits of the size.
    end = "".join(map(_extended, behind)) if APART.match("".join(behind)) else "([^0-9]|$)"
    return whole, tuple(f"{start}({'|'.join(_spelled(printed, size))}){end}" for size in sizes)


def _extended(part: str) -> str:
    """Return a part of Python's regular expressions as POSIX spells it; whether a line matches depends on no name of a
    group, and not on whether a quantifier is lazy."""
    if part.startswith("(?P<") or part == "(?:":
        return "("
    if part.startswith("[") and len(part) > 1:
        return re.sub(r"\\[dsw]", lambda match: CLASSES[match[0]], part)
    if part.lower() in CLASSES:
        return f"[{'' if part in CLASSES else '^'}{CLASSES[part.lower()]}]"
    if part.startswith("(?") or (part.startswith("\\") and (part[1].isalnum() and part not in (r"\t", r"\b"))):
        raise ValueError(f"{part} has no counterpart in awk")
    return "" if part == r"\b" else part[0] if part[-1:] == "?" and len(part) > 1 and part[0] in "*+?}" else part


def _spelled(printed: Printed, size: int) -> Iterator[str]:
    """Return expressions for a size with each unit in which it is a whole number."""
    for unit, shift in SHIFTS.items():
        is_default = printed.size_unit[0].upper() == unit
        if size % (1 << shift) == 0 and size >> shift and (is_default or unit not in "ID"):
            name = " ?(B|[Bb]ytes?)" if unit == "B" else f" ?[{unit}{unit.lower()}](i?B)?"
            number = f"{size >> shift:,}".replace(",", ",?" if "," in printed.pattern.pattern else "")
            yield f"{number}({name}){'?' if is_default else ''}"


def read_printed(printed: Printed, request: Request, parts: Iterable[Part]) -> Reading:
    """Return a sample for each readable size, in the order of the request; raise if there is none."""
    printed_lines: dict[int, list[tuple[Sample, float]]] = {}
    lost: dict[int, str] = {}
    for text, part in parts:
        for counts, groups in _results(printed, request, text, part):
            try:
                sample, longest = _sample(printed, request, counts, groups)
            except ParseError as error:
                lost[counts.size] = error.what
            else:
                printed_lines.setdefault(counts.size, []).append((sample, longest))
    sizes = [counts.size for counts in request.counts]
    lost = {size: NONE for size in sizes if size not in printed_lines} | lost
    if len(lost) == len(sizes):
        what = "; ".join(f"{plural(size, 'byte')}: {why}" for size, why in lost.items())
        raise ParseError(what, where=request.program)
    header = {f"{UNREAD}{size}": why for size, why in sorted(lost.items())}
    header |= {f"{LINES}{size}": str(len(lines)) for size, lines in sorted(printed_lines.items()) if len(lines) > 1}
    chosen = {size: _median(printed_lines[size]) for size in sizes if size not in lost}
    rounded = {size: longest for size, (_, longest) in chosen.items()}
    open_percent = {size: math.ceil(100 * (longest - 1)) for size, longest in sorted(rounded.items())}
    header |= {f"{ROUNDED}{size}": str(open_) for size, open_ in open_percent.items() if open_ >= NOTED_PERCENT}
    return Reading(header, tuple(sample for sample, _ in chosen.values()), rounded)


def _median(lines: list[tuple[Sample, float]]) -> tuple[Sample, float]:
    """Return the line with the lower median of the times of one message: of several lines, each is a sample."""
    return sorted(lines, key=lambda line: line[0].time_ns / line[0].messages)[(len(lines) - 1) // 2]


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
            continue
        _refuse_parts(line, match, request.program)
        if size in counts:
            yield counts[size], match.groupdict()
        elif not printed.sizes_of_its_own:
            what = f"line {number} is about {size} bytes, a size that is not in the request"
            raise ParseError(what, where=request.program)


def _refuse_parts(line: str, match: re.Match[str], program: str) -> None:
    """Raise for a group that is a part of a longer number, as 234.56 is of 1,234.56 and 1.2 of 1.2e+03, unless commas
    separate columns."""
    for name in match.groupdict():
        start, end = match.span(name)
        before = re.findall(r"[\d.,']*$", line[: max(start, 0)])[0]
        behind = re.findall(r"^[\d.,']*(?:[eE][+-]?\d+)?", line[end:])[0]
        columns = f"{line[match.start() : start]}0{line[end : match.end()]}"
        number = f"{before}{match[name]}{behind}"
        if (
            before + behind
            and re.fullmatch(f"{GROUPED}|{NUMBER.pattern}", number)
            and not re.search(r"\d,|,\d", columns)
        ):
            hint = r"a pattern for the whole number, such as [\d.,]+ or [\d.e+-]+"
            raise ParseError(f"{match[name]!r} is a part of {number!r}", where=program, hint=hint)


def _lines(text: str, program: str) -> Iterator[tuple[int, str]]:
    if len(text) > MOST_CHARACTERS:
        raise ParseError(f"{len(text)} characters were printed, more than {MOST_CHARACTERS}", where=program)
    for number, line in enumerate(COLOUR.sub("", text).splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise ParseError(f"line {number} has {len(line)} characters, more than {LONGEST_LINE}", where=program)
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _sample(printed: Printed, request: Request, counts: Counts, groups: dict[str, str | None]) -> tuple[Sample, float]:
    """Make a sample of a rate, of the mean of round trips, or of the time of all messages; and the longest true time
    over the printed one."""
    of_all, latency = groups.get("total"), request.measure == "latency"
    value, unit = _plain(of_all or groups.get("value") or ""), groups.get("unit") or printed.unit
    kind = "latency" if latency or of_all else "throughput"
    amount = nanoseconds(unit) if kind == "latency" else bytes_per_s(unit, counts.size)
    if amount is None:
        raise ParseError(f"{unit[:40]!r} is not a unit of {kind}: one of {KNOWN[kind]}")
    if NUMBER.fullmatch(value) is None:
        raise ParseError(f"{value[:40]!r} is not a number")
    count = _messages(groups.get("messages"), counts)
    total = count * counts.size
    with localcontext() as context:
        context.prec = 40
        number = Decimal(value) * amount * printed.factor
        time = number / count if of_all and latency else number
        if kind == "throughput":
            time = total * 10**9 / number if number else Decimal(0)
    if not 1 <= time < 2**63:
        raise ParseError(f"{value} {unit} is impossible")
    stop = "round_trip_mean" if latency else printed.stop
    sample = Sample(counts.size, stop, 0, count, total, int(time.to_integral_value()))
    return sample, _rounded(value, time=kind == "latency")


def _plain(text: str) -> str:
    """Return a number without signs between thousands and with a decimal point; another text as it is."""
    has_thousands, has_comma = re.fullmatch(THOUSANDS, text), re.fullmatch(DECIMAL_COMMA, text)
    if has_thousands and has_comma:
        raise ParseError(f"{text!r} has either thousands or a decimal comma: print more digits, or no comma")
    if has_comma:
        return text.replace(".", "").replace(",", ".")
    return re.sub("[,']", "", text) if has_thousands else text


def _rounded(value: str, *, time: bool) -> float:
    """Return the longest true time over the printed one: the last digit of a number is rounded, by half of its unit;
    that of a whole number for a time may be truncated, as C divides."""
    number = Decimal(value)
    unit = Decimal((0, (1,), int(number.as_tuple().exponent)))
    share = float(unit / number) / (1 if time and "." not in value else 2)
    return 1 + share if time else 1 / (1 - share)


def _messages(printed: str | None, counts: Counts) -> int:
    """Return the printed number of messages, else that of the request."""
    if printed is None:
        return counts.iterations
    if not re.fullmatch(r"\d{1,12}", printed, re.ASCII) or not 0 < int(printed) * counts.size <= LARGEST:
        raise ParseError(f"{printed[:40]!r} is not a number of messages")
    return int(printed)


def _size(printed: Printed, groups: dict[str, str | None], size: int) -> int | None:
    """Return the size that a line names, else that of the command."""
    text = groups.get("size")
    return size if text is None else bytes_of(text, printed.size_unit)


def bytes_of(text: str, unit: str) -> int | None:
    """Return the bytes of a printed size, with its own unit or this one; None for another text."""
    match = SIZE.fullmatch(text)
    return int(match["number"].replace(",", "")) << SHIFTS[(match["unit"] or unit)[0].upper()] if match else None


def bytes_per_s(unit: str, size: int) -> Decimal | None:
    """Return the bytes per second of one unit of a rate, for messages of a size; None for another text."""
    match = RATE.fullmatch(unit)
    if match is None or (match["binary"] and not match["prefix"]):
        return None
    factor = Decimal(1024 if match["binary"] else 1000) ** POWERS[match["prefix"][:1].upper()]
    return factor * size if match["messages"] else factor if match["bytes"] else factor / 8


def nanoseconds(unit: str) -> Decimal | None:
    """Return the nanoseconds of one unit of time; None for another text."""
    match = TIME.fullmatch(unit)
    if match is None:
        return None
    return Decimal(SECONDS[match["prefix"] if match["word"] is None else WORDS[match["word"]]])


def is_unit(text: str) -> bool:
    return bytes_per_s(text, 1) is not None or nanoseconds(text) is not None
