"""All claims that the records of one experiment make."""

from __future__ import annotations

from lab.report.claim import Ledger
from lab.report.compared import ratio_claims
from lab.report.constants import constant_claims
from lab.report.evidence import Evidence
from lab.report.measured import curve_claims, subject
from lab.report.pairs import pairs
from lab.report.sweeps import sweep_claims


def make_ledger(evidence: Evidence) -> Ledger:
    """Every claim once."""
    ledger = Ledger()
    ledger.add(*constant_claims(evidence))
    for series in evidence.all_series("throughput"):
        ledger.add(*curve_claims(subject(evidence, series)))
    for series in evidence.all_series("throughput", varied=1):
        ledger.add(*sweep_claims(evidence, series))
    for pair in pairs(evidence):
        ledger.add(*ratio_claims(pair))
    return ledger
