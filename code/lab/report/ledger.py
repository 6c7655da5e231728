"""All claims that the records of one experiment make."""

from __future__ import annotations

from lab.report.ceilings import ceiling_claims
from lab.report.claim import Ledger
from lab.report.compared import ratio_claims
from lab.report.constants import constant_claims
from lab.report.evidence import Evidence
from lab.report.fits import fit_claims, message_times
from lab.report.labels import is_ours
from lab.report.latencies import latency_claims, round_trips, trip_times
from lab.report.measured import rates, subject
from lab.report.pairs import pairs
from lab.report.rounds import rounds_claims, rounds_curves
from lab.report.settling import settling_claims
from lab.report.shape import shape_claims
from lab.report.sweeps import points, sweep_claims


def make_ledger(evidence: Evidence) -> Ledger:
    """Every claim once."""
    ledger = Ledger()
    ledger.add(*constant_claims(evidence))
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        ledger.add(*rates(curve), *shape_claims(curve), *settling_claims(curve), *ceiling_claims(curve))
        if is_ours(series):
            ledger.add(*fit_claims(message_times(curve)))
    for series in evidence.all_series("latency"):
        curve = round_trips(evidence, series)
        ledger.add(*latency_claims(curve))
        if is_ours(series):
            ledger.add(*fit_claims(trip_times(curve)))
    for series in evidence.sweeps:
        ledger.add(*sweep_claims(evidence, series))
        for curve in points(evidence, series):
            ledger.add(*settling_claims(curve))
    for curve in rounds_curves(evidence):
        ledger.add(*rounds_claims(curve))
    for pair in pairs(evidence):
        ledger.add(*ratio_claims(pair))
    return ledger
