"""qperf: one client and one server for each size. qperf counts time, not messages; its server quits on a command."""

import re
from decimal import Decimal

from lab.errors import ParseError, plural
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import Program, Reading, Request, Sample, outputs_per_size, steps_per_size

PORT = 19765
DIGITS = "9"  # the default of three is too coarse
NANOSECONDS = {"ns": 1, "us": 1000, "ms": 10**6, "sec": 10**9}  # qperf's decimal units
FIELD = re.compile(r"\s+([a-z_]+)\s+=\s+([0-9.]{1,40})(?: ([A-Za-z/]+))?\s*", re.ASCII)


def _step(request: Request, ends: Ends, counts: Counts, port: int) -> Step:
    seconds = str(request.parameters.peer_seconds)
    client = ("qperf", ends.server.host, "-lp", str(port), "-t", seconds, "-m", str(counts.size))
    return Step(("qperf", "-lp", str(port)), (*client, "-e", DIGITS, "-vvu", "-vvs", "-uu", "tcp_lat", "quit"), port)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """Read the mean round trip: qperf prints half of it."""
    return Reading({}, tuple(_sample(counts, text) for counts, text in outputs_per_size(request, outcomes)))


def _sample(counts: Counts, text: str) -> Sample:
    name, fields = _fields(text)
    if name != "tcp_lat" or fields.get("msg_size", ("", ""))[0] not in ("", str(counts.size)):
        raise ParseError(f"this is not tcp_lat of {plural(counts.size, 'byte')}: {text.strip()[:120]!r}", where="qperf")
    try:
        (latency, unit), (messages, _) = fields["latency"], fields["loc_recv_msgs"]
        time_ns = int((Decimal(latency) * NANOSECONDS[unit] * 2).to_integral_value())
        count = int(messages)
    except (KeyError, ArithmeticError, ValueError) as error:
        raise ParseError(f"no latency in the output: {text.strip()[:120]!r}", where="qperf") from error
    if time_ns <= 0 or count <= 0:
        raise ParseError(f"a latency of {latency} {unit} over {plural(count, 'message')}", where="qperf")
    return Sample(counts.size, "round_trip_mean", 0, count, count * counts.size, time_ns)


def _fields(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the first test's name and its `field = value unit` lines; raise for a field that is printed twice."""
    title, *lines = text.splitlines() or [""]
    fields: dict[str, tuple[str, str]] = {}
    for line in lines:
        match = FIELD.fullmatch(line)
        if match is None:
            break
        if match[1] in fields:
            raise ParseError(f"{match[1]} is printed twice", where="qperf")
        fields[match[1]] = (match[2], match[3] or "")
    return title.rstrip(":"), fields


PARAMETERS = frozenset({"sizes", "peer_seconds"})
STEPS = steps_per_size(_step, PORT)
PROGRAMS = (Program("qperf", frozenset({("send", "latency")}), STEPS, parse, parameters=PARAMETERS),)
