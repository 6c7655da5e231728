"""All claims that the records of one experiment make."""

from __future__ import annotations

from collections.abc import Iterator

from lab.report.claim import Claim, Ledger
from lab.report.claims.ceilings import ceiling_claims
from lab.report.claims.constants import constant_claims
from lab.report.claims.intercepts import intercept_claims, intercepts
from lab.report.claims.latency import latency_claims, round_trips, trip_times
from lab.report.claims.lines import fit_claims, message_times
from lab.report.claims.published_times import count_claims, published_times
from lab.report.claims.published_values import published_values
from lab.report.claims.ratios import ratio_claims
from lab.report.claims.rounds import rounds_claims, rounds_curves
from lab.report.claims.shape import shape_claims
from lab.report.claims.sides import series_of_sides, side_claims, sides
from lab.report.claims.sweeps import points, sweep_claims
from lab.report.claims.windows import settling_claims
from lab.report.evidence.curve import rates, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.pairs import pairs


def make_ledger(evidence: Evidence) -> Ledger:
    """Every claim once."""
    ledger = Ledger()
    for kind in (constant_claims, _throughput, _latency, _sides, _published, _sweeps, _rounds, _pairs):
        ledger.add(*kind(evidence))
    return ledger


def _throughput(evidence: Evidence) -> Iterator[Claim]:
    for series in evidence.all_series("throughput"):
        curve = subject(evidence, series)
        yield from (*rates(curve), *shape_claims(curve), *settling_claims(curve), *ceiling_claims(curve))
        if is_ours(series):
            yield from fit_claims(message_times(curve))


def _latency(evidence: Evidence) -> Iterator[Claim]:
    for series in evidence.all_series("latency"):
        curve = round_trips(evidence, series)
        yield from latency_claims(curve)
        if is_ours(series):
            yield from (*fit_claims(trip_times(curve)), *fit_claims(trip_times(curve).upper()))
    for line in intercepts(evidence):
        yield from intercept_claims(line)


def _sides(evidence: Evidence) -> Iterator[Claim]:
    for series in series_of_sides(evidence):
        for side in sides(evidence, series):
            yield from side_claims(side)


def _published(evidence: Evidence) -> Iterator[Claim]:
    for values in published_values(evidence.plan.experiment.name):
        yield from values.claims()
    for found in published_times(evidence.plan.experiment.name):
        yield from (*count_claims(found), *fit_claims(found.times()), *fit_claims(found.times().upper()))


def _sweeps(evidence: Evidence) -> Iterator[Claim]:
    for series in evidence.sweeps:
        yield from sweep_claims(evidence, series)
        for curve in points(evidence, series):
            yield from settling_claims(curve)


def _rounds(evidence: Evidence) -> Iterator[Claim]:
    for curve in rounds_curves(evidence):
        yield from rounds_claims(curve)


def _pairs(evidence: Evidence) -> Iterator[Claim]:
    for pair in pairs(evidence):
        yield from ratio_claims(pair)
