"""Every claim follows from the re-run: those in claims.csv, and the words and numbers in the PDF."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.grade.printed import differing_lines
from lab.records.tolerance import TOLERANCE
from lab.report.claim import Claim, ClaimKind, Ledger
from lab.report.claims.ledger import make_ledger
from lab.report.pdf.attachments import claims_csv
from lab.report.prose.uses import claims_used

MORE_BYTES = 100_000  # than twice the list of the data
Rows = dict[str, dict[str, str]]


def claims(case: Case) -> Iterator[Finding]:
    """The list of claims against the data, then against the re-run, then the text against both."""
    ledger = make_ledger(case.basis)
    yield from _differing(case.file("claims.csv"), claims_csv(ledger))
    if not case.repeats_exactly:
        yield from _not_reproduced(case, ledger, make_ledger(case.own))
    elif case.basis is not case.own:
        yield from _unequal(ledger, make_ledger(case.own))
    yield from (each for each in differing_lines(case) if each.kind is Flaw.TEXT)


def _differing(given: bytes, made: str) -> Iterator[Finding]:
    if len(given) > 2 * len(made.encode()) + MORE_BYTES:
        yield Finding(Flaw.CLAIM, f"claims.csv has {len(given)} bytes, the data give {len(made)}")
        return
    try:
        theirs, ours = _rows(given.decode(errors="replace")), _rows(made)
    except csv.Error as error:
        yield Finding(Flaw.CLAIM, f"claims.csv is no table: {error}")
        return
    for name in [*ours, *(name for name in theirs if name not in ours)]:
        for column in ours.get(name, {"name": ""}):
            one, other = (rows.get(name, {}).get(column, "nothing") for rows in (theirs, ours))
            if one != other:
                yield Finding(Flaw.CLAIM, f"{name}: {column} is {one!r:.80} in claims.csv, the data give {other!r:.80}")


def _unequal(ledger: Ledger, own: Ledger) -> Iterator[Finding]:
    for name, claim in ledger.items():
        here = own[name].estimate if name in own else None
        if claim.estimate != here:
            yield Finding(Flaw.NOT_REPRODUCED, f"{name} is {claim.estimate.value:g}, {_value(own, name)} here")


def _not_reproduced(case: Case, ledger: Ledger, own: Ledger) -> Iterator[Finding]:
    """Claims of the text under another identity; what is read off a curve follows from its values."""
    for name in dict(claims_used(case.file("discussion.tex").decode(errors="replace"))):
        claim = ledger.get(name)
        if claim is None or claim.kind in (ClaimKind.CONSTANT, ClaimKind.DERIVED, ClaimKind.INTERCEPT):
            continue
        if name not in own or not _is_near(claim, own[name]):
            yield Finding(Flaw.NOT_REPRODUCED, f"{name} is {claim.estimate.value:g}, {_value(own, name)} here")


def _is_near(claim: Claim, own: Claim) -> bool:
    """Within the tolerance, or within the interval that the grader's own data leave; the hand-in's may be invented."""
    value, other = claim.estimate.value, own.estimate
    return abs(value - other.value) <= TOLERANCE * abs(other.value) or bool(
        other.interval and other.interval.contains(value)
    )


def _value(own: Ledger, name: str) -> str:
    return f"{own[name].estimate.value:g}" if name in own else "not found"


def _rows(text: str) -> Rows:
    return {row.get("name") or "": row for row in csv.DictReader(io.StringIO(text))}
