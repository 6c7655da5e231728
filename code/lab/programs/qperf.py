"""qperf: one client and one server for each size. qperf counts time, not messages; its server quits on a command."""

from __future__ import annotations

import re
from decimal import Decimal

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import Program, Reading, Request, Sample

PORT = 19765
DIGITS = "9"  # its default of three is too coarse to compare with

_FIELD = re.compile(r"\s+([a-z_]+)\s+=\s+([0-9.]+)(?: ([A-Za-z/]+))?\s*", re.ASCII)
_NANOSECONDS = {"ns": 1, "us": 1000, "ms": 10**6, "sec": 10**9}  # qperf's decimal units


def steps(request: Request, ends: Ends) -> tuple[Step, ...]:
    """A step for each size, on a port of its own."""
    return tuple(_step(request, ends, each, PORT + index) for index, each in enumerate(request.counts))


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """The mean round trip: qperf prints half of it."""
    if len(outcomes) != len(request.counts):
        raise ParseError(f"{len(outcomes)} outputs for {len(request.counts)} sizes", where="qperf")
    pairs = zip(request.counts, outcomes, strict=True)
    return Reading({}, tuple(_sample(each, outcome.client_out) for each, outcome in pairs))


def _step(request: Request, ends: Ends, each: Counts, port: int) -> Step:
    seconds = str(request.parameters.peer_seconds)
    client = ("qperf", ends.server.host, "-lp", str(port), "-t", seconds, "-m", str(each.size))
    return Step(("qperf", "-lp", str(port)), (*client, "-e", DIGITS, "-vvu", "-vvs", "-uu", "tcp_lat", "quit"), port)


def _sample(each: Counts, text: str) -> Sample:
    name, fields = _fields(text)
    if name != "tcp_lat" or fields.get("msg_size", ("", ""))[0] not in ("", str(each.size)):
        raise ParseError(f"this is not tcp_lat of {each.size} bytes: {text.strip()[:120]!r}", where="qperf")
    try:
        (latency, unit), (messages, _) = fields["latency"], fields["loc_recv_msgs"]
        time_ns = int((Decimal(latency) * _NANOSECONDS[unit] * 2).to_integral_value())
        count = int(messages)
    except (KeyError, ArithmeticError, ValueError) as error:
        raise ParseError(f"no latency in the output: {text.strip()[:120]!r}", where="qperf") from error
    if time_ns <= 0 or count <= 0:
        raise ParseError(f"a latency of {latency} {unit} over {messages} messages", where="qperf")
    return Sample(each.size, "round_trip_mean", 0, count, count * each.size, time_ns)


def _fields(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The first test's name and its `field = value unit` lines; a field named twice is refused."""
    lines = text.splitlines()
    fields: dict[str, tuple[str, str]] = {}
    for line in lines[1:]:
        match = _FIELD.fullmatch(line)
        if match is None:
            break
        if match[1] in fields:
            raise ParseError(f"{match[1]} is there twice", where="qperf")
        fields[match[1]] = (match[2], match[3] or "")
    return (lines[0].rstrip(":") if lines else "", fields)


USES = frozenset({"sizes", "peer_seconds"})
PROGRAMS = (Program("qperf", frozenset({("send", "latency")}), steps, parse, uses=USES),)
