"""The ledger as the report prints it: a row for each claim that its texts use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.report.claim import Claim, ClaimKind, Ledger
from lab.report.evidence.record_sets import RecordSet, sets_of
from lab.report.tex.escape import Markup, escape
from lab.report.tex.typeset import interval_tex, shown


@dataclass(frozen=True)
class LedgerRow:
    """One claim; a long name may break after its points."""

    target: Markup
    name: Markup
    value: Markup
    interval: Markup
    n: str
    meaning: str
    source: Markup


def ledger_rows(ledger: Ledger, names: Iterable[str], sets: tuple[RecordSet, ...]) -> list[LedgerRow]:
    """Rows by name, each claim once."""
    return [_row(ledger.find(name), sets) for name in sorted(set(names))]


def _row(claim: Claim, sets: tuple[RecordSet, ...]) -> LedgerRow:
    name = Markup(escape(claim.name).replace(".", r".\allowbreak{}").replace(r"\_", r"\_\allowbreak{}"))
    n = "" if claim.kind is ClaimKind.CONSTANT else str(claim.estimate.n)
    source = (
        Markup(escape(claim.source).replace("/", r"/\allowbreak{}"))
        if claim.source
        else escape(sets_of(claim.keys, sets))
    )
    return LedgerRow(Markup(claim.name), name, Markup(shown(claim).tex), interval_tex(claim), n, claim.meaning, source)
