"""Claims about the instructions of a message: counted, so that a second count is the same to the last one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from lab.analysis.estimate import Estimate
from lab.causes.classes import OF_PROGRAM, WAITING
from lab.causes.table import Cause
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.causes import causes_of
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.tex.units import in_words

LEAST_PERCENT = 1  # smaller shares are in the figure only
SOURCE = "lab causes"


@dataclass(frozen=True)
class CostClaims(ClaimGroup):
    """What a message of one size costs one end of a series."""

    curve: Subject
    size: int
    end: str
    parts: tuple[tuple[str, float], ...]  # instructions by kind of work, the wait with them
    work: float  # all without the wait
    instructions: Claim
    user: Claim
    kernel: Claim
    waiting: Claim
    busy: Claim
    shares: dict[str, Claim]  # by kind of work, the largest first


def cost_claims(evidence: Evidence) -> tuple[CostClaims, ...]:
    """By series, size and end, in the order of the table."""
    rows = causes_of(evidence)
    return tuple(_cost(evidence, *place, list(found)) for place, found in groupby(rows, _place))


def _place(row: Cause) -> tuple[str, int, str]:
    return row.series, row.size_bytes, row.end


def _cost(evidence: Evidence, series: str, size: int, end: str, rows: list[Cause]) -> CostClaims:
    curve = subject(evidence, evidence.series(series))
    parts = tuple((row.work, row.per_message) for row in rows)
    work = max(sum(value for kind, value in parts if kind != WAITING), 0.0)  # a start may cost less by chance
    user = sum(value for kind, value in parts if kind in OF_PROGRAM)
    whole = sum(value for _, value in parts)
    busy = min(100 * work / max(whole, 1), 100)
    name, about = f"causes.{series}.{format_size(size)}.{end}", f"a message of {in_words(size)}, {curve.words}, {end}"

    def claim(which: str, value: float, unit: str, meaning: str) -> Claim:
        return Claim(
            f"{name}{which}",
            Estimate(max(float(round(value)), 0.0), None, 1),
            unit,
            ClaimKind.DERIVED,
            f"{meaning} {about}",
            link=curve.link,
            source=f"{SOURCE}, {rows[0].record}",
            series=(series,),
            sizes=(size,),
        )

    shares = {kind: 100 * value / work for kind, value in parts if kind != WAITING} if work else {}
    return CostClaims(
        curve,
        size,
        end,
        parts,
        work,
        claim("", work, "", "instructions executed for"),
        claim(".user", user, "", "instructions of the program and its libraries for"),
        claim(".kernel", work - user, "", "instructions of the kernel for"),
        claim(".waiting", whole - work, "", "nanoseconds in which the processor has nothing to do, for"),
        claim(".busy", busy, "percent", "part of the time in which the processor works, for"),
        {
            kind: claim(f".{slug(kind)}", share, "percent", f"part of the instructions that is {kind}, of")
            for kind, share in shares.items()
            if round(share) >= LEAST_PERCENT
        },
    )


def slug(kind: str) -> str:
    """A kind of work in a claim's name: `system_calls`, `driver`."""
    return kind.removeprefix("card's ").replace(" ", "_").replace("-", "_")


def by_curve(costs: tuple[CostClaims, ...]) -> Iterator[tuple[Subject, list[CostClaims]]]:
    """The costs of each series together."""
    for _, found in groupby(costs, lambda each: each.curve.name):
        listed = list(found)
        yield listed[0].curve, listed
