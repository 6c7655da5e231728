"""Sentences about the instructions of a message: why small ones are slow, what TCP joins, what software RDMA costs."""

from __future__ import annotations

from collections.abc import Iterator

from lab.causes.share import ENDS
from lab.report.claims.causes import CostClaims, by_curve
from lab.report.claims.ledger import AllClaims
from lab.report.prose.uses import cite
from lab.report.tex.escape import escape
from lab.report.tex.units import in_words

MOST_KINDS = 3
FLAT = 1.5  # times the instructions: more bytes cost hardly more
JOINED = 0.1  # of the sender's instructions: a receiver that executes less handles many messages at once
CLIENT, CHECKSUMS = ENDS[0], "checksums"


def cause_sentences(claims: AllClaims) -> Iterator[str]:
    """Of each series by itself, then of RDMA beside TCP."""
    ends = [(curve, small, large) for curve, costs in by_curve(claims.costs) for small, large in [_extremes(costs)]]
    for curve, small, large in ends:
        yield (
            f"For a message of {_size(small)}, {escape(curve.words)} executes {cite(small.instructions)} instructions "
            f"at the client, {_kinds(small)}; for one of {_size(large)} it executes {cite(large.instructions)}."
        )
    if ends:
        yield "What a small message costs is the message, not its bytes: so the throughput grows with the size."
    yield from _joined(claims.costs)
    yield from _software(claims.costs)


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
    return escape(f"the {kind}" if kind.startswith("card") else kind)


def _software(costs: tuple[CostClaims, ...]) -> Iterator[str]:
    """The largest message, at the end that works most."""
    rdma, tcp = (_largest(costs, program) for program in ("verbs", "tcp"))
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


def _largest(costs: tuple[CostClaims, ...], program: str) -> CostClaims | None:
    found = [each for each in costs if each.curve.series.program == program]
    most = max((each.size for each in found), default=0)
    return max((each for each in found if each.size == most), key=lambda each: each.work, default=None)


def _size(cost: CostClaims) -> str:
    return escape(in_words(cost.size))
