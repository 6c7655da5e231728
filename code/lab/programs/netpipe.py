"""NetPIPE, over TCP and over MPI: one run goes through a range of sizes; the parser reads the requested ones.

Its Mbps are 2^20 bits a second, and its time is half of the best of three mean round trips (NetPIPE 3.7.2, netpipe.c).
"""

import re
import shlex
from collections.abc import Callable
from decimal import Decimal

from lab.errors import ParseError, plural
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs import mpi
from lab.programs.program import Program, Reading, Request, Sample

PORT = 5002
MEBIBIT = 1 << 20

_ROW = re.compile(r"\s*(\d{1,19})\s+(\d{1,19}\.\d{1,9})\s+(\d{1,9}\.\d{1,9})\s*", re.ASCII)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """Read the table, whose columns are bytes, Mbps and seconds."""
    (outcome,) = outcomes
    rows = {int(row[1]): row for line in outcome.client_out.splitlines() if (row := _ROW.fullmatch(line))}
    return Reading({}, tuple(_sample(request.program, counts, rows) for counts in request.counts))


def _sample(program: str, counts: Counts, rows: dict[int, re.Match[str]]) -> Sample:
    if counts.size not in rows:
        raise ParseError(f"no row of {plural(counts.size, 'byte')} is in the output", where=program)
    rate, seconds = (Decimal(word) for word in rows[counts.size].groups()[1:])
    by_rate = counts.size * 8 / (rate * MEBIBIT) if rate else Decimal(0)
    if abs(by_rate - seconds) > max(seconds / 100, Decimal("1e-8")):
        raise ParseError(f"{plural(counts.size, 'byte')} at {rate} Mbps cannot take {seconds} s", where=program)
    best = by_rate if _digits(rate) > _digits(seconds) else seconds
    if (time_ns := int((2 * best).scaleb(9).to_integral_value())) <= 0:
        raise ParseError(f"the time of {counts.size} bytes is printed as zero", where=program)
    return Sample(counts.size, "round_trip_mean", 0, counts.iterations, counts.iterations * counts.size, time_ns)


def _digits(number: Decimal) -> int:
    return len(number.normalize().as_tuple().digits)


def _range(request: Request) -> tuple[str, ...]:
    """One run covers the smallest to the largest size, with the same number of messages at every size."""
    sizes = [counts.size for counts in request.counts]
    repeats = max(counts.iterations for counts in request.counts)
    return ("-p", "0", "-l", str(min(sizes)), "-u", str(max(sizes)), "-n", str(repeats))


def _tcp(request: Request, ends: Ends) -> tuple[Step, ...]:
    """The table goes to a file. `cat` fails without the file; NPtcp's own exit status is random."""
    shared = shlex.join(("NPtcp", "-P", str(PORT), *_range(request)))
    client = f"{shared} -h {shlex.quote(ends.server.host)} -o /tmp/netpipe.$$ >&2; cat /tmp/netpipe.$$"
    return (Step(("sh", "-c", f"{shared}; true"), ("sh", "-c", client), PORT),)


def _mpi(request: Request, ends: Ends) -> tuple[Step, ...]:
    """A rank opens its standard output, a pipe to the launcher, once more for the table."""
    return (mpi.launch("tcp", ends, ("NPopenmpi", *_range(request), "-o", "/proc/self/fd/1")),)


def _program(name: str, steps: Callable[[Request, Ends], tuple[Step, ...]]) -> Program:
    parameters = frozenset({"iterations", "sizes"})
    return Program(name, frozenset({("send", "latency")}), steps, parse, same_counts=True, parameters=parameters)


PROGRAMS = (_program("netpipe-tcp", _tcp), _program("netpipe-mpi", _mpi))
