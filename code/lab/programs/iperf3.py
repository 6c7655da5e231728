"""iperf3: one client and one single-shot server for each size, read from its JSON."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from lab.errors import ParseError, plural
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import BACK, Program, Reading, Request, Sample, outputs_per_size, steps_per_size

PORT = 5201
LARGEST = 1 << 20  # its error above: block size too large (maximum = 1048576 bytes)
BIDIR = "sum_received_bidir_reverse"  # it ends once a direction has had as many calls as there are blocks
Document = dict[str, object]
Value = TypeVar("Value")


def _step(request: Request, ends: Ends, counts: Counts, port: int) -> Step:
    """Send a fixed number of blocks, bound to the address on the link."""
    values = request.parameters
    server = ("iperf3", "-s", "-1", "-B", ends.server.host, "-p", str(port))
    client = ("iperf3", "-c", ends.server.host, "-B", ends.client.host, "-p", str(port), "-J")
    blocks = ("-l", str(counts.size), "-k", str(counts.iterations))
    nodelay = ("-N",) if values.nodelay else ()
    buffer = ("-w", str(values.send_buffer)) if values.send_buffer else ()
    streams = ("-P", str(values.streams)) if values.streams > 1 else ()
    both = ("--bidir",) if values.both else ()
    return Step(server, (*client, *blocks, *nodelay, *buffer, *streams, *both), port)


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """Read the bytes and the time that the receiver reports, of each direction."""
    documents = [(counts, _document(text)) for counts, text in outputs_per_size(request, outcomes)]
    both = request.parameters.both
    samples = tuple(_received(counts, document, both=both) for counts, document in documents)
    if both:
        there = (replace(row, sample="completed") for row in samples)
        samples = (*there, *(_sample(counts, document, BIDIR, BACK) for counts, document in documents))
    return Reading({"version": _get(documents[0][1], "start", "version", kind=str)}, samples)


def _document(text: str) -> Document:
    """Read numbers with a point as decimals: a duration must not pass through binary fractions."""
    try:
        document = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise ParseError(f"the output is not JSON: {error}", where="iperf3") from error
    if not isinstance(document, dict) or "error" in document:
        raise ParseError(f"the output is an error: {text.strip()[:200]!r}", where="iperf3")
    return document


def _received(counts: Counts, document: Document, *, both: bool) -> Sample:
    block = _get(document, "start", "test_start", "blksize", kind=int)
    if block != counts.size:
        raise ParseError(f"the block size is {plural(block, 'byte')}, not {counts.size}", where="iperf3")
    sent = _sample(counts, document, "sum_sent")  # includes bytes in its socket, so it does not measure the link
    if sent.bytes < counts.size * counts.iterations and not both:
        raise ParseError(f"{plural(sent.bytes, 'byte')} sent, not {counts.size * counts.iterations}", where="iperf3")
    received = _sample(counts, document, "sum_received")
    if received.bytes > sent.bytes:
        raise ParseError(f"{plural(received.bytes, 'byte')} arrived of {sent.bytes}", where="iperf3")
    return received


def _sample(counts: Counts, document: Document, end: str, kind: str = "confirmed") -> Sample:
    total = _get(document, "end", end, "bytes", kind=int)
    seconds = _get(document, "end", end, "seconds", kind=Decimal)
    time_ns = int(seconds.scaleb(9).to_integral_value()) if seconds.is_finite() else 0
    if total <= 0 or time_ns <= 0:
        hint = "more iterations: its server stops reading when the client is done" if end == "sum_received" else ""
        raise ParseError(f"{end} holds {plural(total, 'byte')} in {seconds} s", where="iperf3", hint=hint)
    return Sample(counts.size, kind, 0, total // counts.size, total, time_ns)


def _get(document: object, *path: str, kind: type[Value]) -> Value:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            raise ParseError(f"the JSON has no {'.'.join(path)}", where="iperf3")
        document = document[name]
    if kind is Decimal and type(document) is int:
        document = Decimal(document)
    if type(document) is not kind or not isinstance(document, kind):
        raise ParseError(f"{'.'.join(path)} is {document!r}", where="iperf3")
    return document


PROGRAMS = (
    Program(
        "iperf3",
        frozenset({("send", "throughput")}),
        steps_per_size(_step, PORT),
        parse,
        parameters=frozenset({"iterations", "sizes", "nodelay", "send_buffer", "streams", "both"}),
        largest_bytes=LARGEST,
    ),
)
