"""Sentences about the instructions of a message: why small ones are slow, what TCP joins, what software RDMA costs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from lab.causes.classes import OF_PROGRAM, WAITING
from lab.causes.share import ENDS
from lab.programs.request import ONE_WAY
from lab.report.claims.causes import CostClaims, by_curve
from lab.report.claims.ledger import AllClaims
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.report.tex.units import in_words

MOST_KINDS = 3
FLAT = 1.5  # times the instructions: more bytes cost hardly more
JOINED = 0.1  # of the sender's instructions: a receiver that executes less handles many messages at once
NEAR, TURN = 1.1, 0.05  # times: two sizes that are nearly one, and by how much one may cost more
CLIENT, CHECKSUMS = ENDS[0], "checksums"


def cause_sentences(claims: AllClaims) -> Iterator[str]:
    """Of each series by itself, then of RDMA beside TCP."""
    ends = [(curve, small, large) for curve, costs in by_curve(claims.costs) for small, large in [_extremes(costs)]]
    for curve, small, large in ends:
        more = f"; for one of {_size(large)} it executes {cite(large.instructions)}" if large is not small else ""
        yield (
            f"For a message of {_size(small)}, {escape(curve.words)} executes {cite(small.instructions)} instructions "
            f"at the client, {_kinds(small)}{more}."
        )
    if flat := [curve for curve, small, large in ends if large is not small]:
        grows = any(each.series.measure == "throughput" for each in flat)
        so = "the throughput grows with the size" if grows else "the time of a small message hardly depends on its size"
        yield f"What a small message costs is the message, not its bytes: so {so}."
    yield from _joined(claims.costs)
    yield from _at_turns(claims.costs)
    yield from _software(claims.costs)
    yield from _counted_too(ends[0][0].series.measure if ends else "")


def _counted_too(measure: str) -> Iterator[str]:
    """What else a measure executes for each message."""
    if measure == ONE_WAY:
        yield "The barrier that both ranks pass before each message is counted here, too."
    elif measure == "latency":
        yield "A program that polls executes instructions while it waits for the answer: they are counted, too."


def _at_turns(costs: tuple[CostClaims, ...]) -> Iterator[str]:
    """Two sizes that are nearly one, and cost far more or less: what kind of work makes the difference."""
    for curve, found in by_curve(costs):
        client = sorted((each for each in found if each.end == CLIENT), key=lambda each: each.size)
        for less, more in pairwise(client):
            ratio = more.work / less.work if less.work else 1.0
            if more.size > NEAR * less.size or 1 - TURN < ratio < 1 + TURN:
                continue
            before, after = dict(less.parts), dict(more.parts)
            kinds = (each for each in before.keys() | after.keys() if each != WAITING)
            kind = max(sorted(kinds), key=lambda each: (after.get(each, 0) - before.get(each, 0)) * (ratio - 1))
            yield (
                f"From {_size(less)} to {_size(more)}, what {escape(curve.words)} executes at the client "
                f"{'grows' if ratio > 1 else 'falls'} from {cite(less.instructions)} to {cite(more.instructions)} "
                f"instructions, most of all those for {_work(kind)}."
            )


def _extremes(costs: list[CostClaims]) -> tuple[CostClaims, CostClaims]:
    """The client's smallest message, and the largest one that costs hardly more."""
    clients = [each for each in costs if each.end == CLIENT]
    small = min(clients, key=lambda each: each.size)
    return small, max((each for each in clients if each.work <= FLAT * small.work), key=lambda each: each.size)


def _joined(costs: tuple[CostClaims, ...]) -> Iterator[str]:
    """Of the smallest messages: a receiver that a card spares, or one that has many of them in one call."""
    for curve, found in by_curve(costs):
        client, server = (min((each for each in found if each.end == end), key=lambda each: each.size) for end in ENDS)
        if server.work >= JOINED * client.work:
            continue
        if curve.series.has_card:
            yield (
                f"With {escape(curve.words)} the client's kernel executes {cite(client.kernel)} of the instructions: "
                "the program hands each request to the card by itself, and looks for what has completed; the server "
                f"executes {cite(server.instructions)}: the card writes into its memory and asks no processor."
            )
        elif server.instructions.estimate.value:
            yield (
                f"With {escape(curve.words)} the server executes only {cite(server.instructions)} for each message of "
                f"{_size(server)}: those that wait travel together, and one call receives many of them."
            )


def _kinds(cost: CostClaims) -> str:
    first, *others = list(cost.shares.items())[:MOST_KINDS]
    rest = [f"{cite(claim)} for {_work(kind)}" for kind, claim in others]
    return f"{cite(first[1])} of them for {_work(first[0])}" + (f", {' and '.join(rest)}" if rest else "")


def _work(kind: str) -> str:
    return escape(f"the {kind}" if kind.startswith(("card", *OF_PROGRAM)) else kind)


def _software(costs: tuple[CostClaims, ...]) -> Iterator[str]:
    """The largest message, at the end that works most."""
    rdma, tcp = (_largest(costs, programs) for programs in (("verbs", "mpi-verbs"), ("tcp", "mpi-tcp")))
    if rdma is None or tcp is None or rdma.size != tcp.size or rdma.work <= tcp.work:
        return
    yield (
        f"For a message of {_size(rdma)} the {rdma.end} executes {cite(rdma.instructions)} instructions with "
        f"{escape(rdma.curve.words)}, and the {tcp.end} {cite(tcp.instructions)} with {escape(tcp.curve.words)}."
    )
    if CHECKSUMS in rdma.shares and CHECKSUMS not in tcp.shares and tcp.curve.series.link.offload:
        yield (
            f"Here no card does the work of RDMA, but a part of the kernel: it takes each packet of a message through "
            f"all layers, and computes a checksum over every byte, which is {cite(rdma.shares[CHECKSUMS])} of its "
            "instructions; TCP hands the card whole segments, and leaves cutting and checksums to it."
        )


def _largest(costs: tuple[CostClaims, ...], programs: tuple[str, ...]) -> CostClaims | None:
    found = [each for each in costs if each.curve.series.program in programs]
    most = max((each.size for each in found), default=0)
    return max((each for each in found if each.size == most), key=lambda each: each.work, default=None)


def _size(cost: CostClaims) -> str:
    return escape(in_words(cost.size))
