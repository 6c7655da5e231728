"""iperf3: one client and one single-shot server for each size, read from its JSON."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TypeVar

from lab.errors import ParseError
from lab.model.parameters import Counts
from lab.model.trial import Ends, Step, StepOutcome
from lab.programs.program import Program, Reading, Request, Sample

PORT = 5201
Document = dict[str, object]
Made = TypeVar("Made")


def steps(request: Request, ends: Ends) -> tuple[Step, ...]:
    """A step for each size: a fixed number of blocks, bound to the cable's address."""
    return tuple(_step(request, ends, each, PORT + index) for index, each in enumerate(request.counts))


def parse(request: Request, outcomes: tuple[StepOutcome, ...]) -> Reading:
    """The bytes and the time that the receiver reports."""
    if len(outcomes) != len(request.counts):
        raise ParseError(f"{len(outcomes)} outputs for {len(request.counts)} sizes", where="iperf3")
    documents = [_document(outcome.client_out) for outcome in outcomes]
    samples: list[Sample] = []
    for each, document in zip(request.counts, documents, strict=True):
        samples += _samples(each, document)
    version = _get(documents[0], "start", "version", kind=str)
    return Reading({"version": version}, tuple(samples))


def _step(request: Request, ends: Ends, each: Counts, port: int) -> Step:
    server = ("iperf3", "-s", "-1", "-B", ends.server.host, "-p", str(port))
    client = ("iperf3", "-c", ends.server.host, "-B", ends.client.host, "-p", str(port), "-J")
    count = ("-l", str(each.size), "-k", str(each.iterations))
    return Step(server, (*client, *count, *_socket(request)), port)


def _socket(request: Request) -> tuple[str, ...]:
    values = request.parameters
    nodelay = ("-N",) if values.nodelay else ()
    return (*nodelay, "-w", str(values.send_buffer)) if values.send_buffer else nodelay


def _document(text: str) -> Document:
    """Numbers with a point are kept as decimals: a duration must not pass through binary fractions."""
    try:
        document = json.loads(text, parse_float=Decimal)
    except ValueError as error:
        raise ParseError(f"the output is not JSON: {error}", where="iperf3") from error
    if not isinstance(document, dict) or "error" in document:
        raise ParseError(f"iperf3 says {text.strip()[:200]!r}", where="iperf3")
    return document


def _samples(each: Counts, document: Document) -> list[Sample]:
    asked = _get(document, "start", "test_start", "blksize", kind=int)
    if asked != each.size:
        raise ParseError(f"blocks of {asked} bytes were sent, not of {each.size}", where="iperf3")
    sent = _sample(each, "sent", document, "sum_sent")  # this also counts bytes in its socket: no measure of the link
    if sent.bytes < each.size * each.iterations:
        raise ParseError(f"{sent.bytes} bytes were sent, not {each.size * each.iterations}", where="iperf3")
    received = _sample(each, "confirmed", document, "sum_received")
    if received.bytes > sent.bytes:
        raise ParseError(f"{received.bytes} bytes arrived of {sent.bytes}", where="iperf3")
    return [received]


def _sample(each: Counts, name: str, document: Document, end: str) -> Sample:
    total = _get(document, "end", end, "bytes", kind=int)
    seconds = _get(document, "end", end, "seconds", kind=Decimal)
    time_ns = int(seconds.scaleb(9).to_integral_value()) if seconds.is_finite() else 0
    if total <= 0 or time_ns <= 0:
        hint = "more iterations: its server stops reading when the client is done" if end == "sum_received" else ""
        raise ParseError(f"{end} holds {total} bytes in {seconds} s", where="iperf3", hint=hint)
    return Sample(each.size, name, 0, total // each.size, total, time_ns)


def _get(document: object, *path: str, kind: type[Made]) -> Made:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            raise ParseError(f"the JSON has no {'.'.join(path)}", where="iperf3")
        document = document[name]
    if kind is Decimal and type(document) is int:
        document = Decimal(document)
    if type(document) is not kind or not isinstance(document, kind):
        raise ParseError(f"{'.'.join(path)} is {document!r}", where="iperf3")
    return document


USES = frozenset({"iterations", "sizes", "nodelay", "send_buffer"})
PROGRAMS = (Program("iperf3", frozenset({("send", "throughput")}), steps, parse, uses=USES),)
