"""All claims of the records of one experiment: as objects for tables and figures, by name for texts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lab.report.claim import ClaimGroup, Ledger
from lab.report.claims.calls import CallsClaims, calls_claims
from lab.report.claims.causes import CostClaims, cost_claims
from lab.report.claims.ceilings import CeilingClaims, ceiling_claims
from lab.report.claims.constants import ConstantClaims, constant_claims
from lab.report.claims.intercepts import InterceptClaims, intercept_claims, intercepts
from lab.report.claims.latency import LatencyClaims, latency_claims, round_trips
from lab.report.claims.lines import FitClaims, fit_claims, message_times
from lab.report.claims.model_errors import ModelErrors, model_errors
from lab.report.claims.processor import ProcessorClaims, ProcessorSweep, processor_claims, processor_sweeps
from lab.report.claims.published_times import PublishedTimesClaims, published_times, published_times_claims
from lab.report.claims.published_values import PublishedValues, published_values
from lab.report.claims.ratios import RatioClaims, ratio_claims
from lab.report.claims.rounds import RoundsClaims, rounds_claims, rounds_curves
from lab.report.claims.setting import setting_of
from lab.report.claims.shape import Shape, shape_claims
from lab.report.claims.sides import SideClaims, series_of_sides, side_claims, sides
from lab.report.claims.speeds import SpeedClaims, speed_claims
from lab.report.claims.sweeps import SweepClaims, sweep_claims
from lab.report.claims.throughput import RateClaims, rate_claims
from lab.report.claims.twins import TwinClaims, twin_claims
from lab.report.claims.windows import WindowClaims, window_claims
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import is_ours
from lab.report.evidence.pairs import Sort, pairs
from lab.spec.experiment import Series


@dataclass(frozen=True)
class CurveClaims(ClaimGroup):
    """A curve over sizes: each of them, and the curve as a whole."""

    rates: RateClaims
    shape: Shape | None
    windows: tuple[WindowClaims, ...]
    ceiling: CeilingClaims | None
    fit: FitClaims | None  # only of our programs

    @property
    def curve(self) -> Subject:
        return self.rates.curve


@dataclass(frozen=True)
class AllClaims(ClaimGroup):
    """Topic by topic, with the evidence that they were made of; those of series by name, in the order of the file."""

    evidence: Evidence
    constants: ConstantClaims
    curves: dict[str, CurveClaims]
    latencies: dict[str, LatencyClaims]
    intercepts: tuple[InterceptClaims, ...]
    speeds: tuple[SpeedClaims, ...]
    sides: dict[str, tuple[SideClaims, ...]]
    calls: dict[str, tuple[CallsClaims, ...]]
    published_values: tuple[PublishedValues, ...]
    published_times: tuple[PublishedTimesClaims, ...]
    sweeps: dict[str, SweepClaims]
    rounds: tuple[RoundsClaims, ...]
    twins: tuple[TwinClaims, ...]
    ratios: tuple[RatioClaims, ...]
    processors: tuple[ProcessorClaims, ...]
    processor_sweeps: tuple[ProcessorSweep, ...]
    costs: tuple[CostClaims, ...]
    model_errors: tuple[ModelErrors, ...]

    @cached_property
    def ledger(self) -> Ledger:
        """Every claim once."""
        ledger = Ledger()
        ledger.setting = setting_of(self.evidence)
        ledger.add(self)
        return ledger

    @cached_property
    def fits(self) -> dict[str, FitClaims]:
        """All lines, by the name that their claims begin with."""
        latencies = [each.fits for each in self.latencies.values() if each.fits]
        found = [
            *(each.fit for each in self.curves.values()),
            *(fit for each in latencies for fit in (each.whole, each.upper)),
            *(fit for each in self.published_times for fit in (each.fit, each.upper)),
        ]
        return {each.name: each for each in found if each}

    def ratios_of(self, *sorts: Sort) -> tuple[RatioClaims, ...]:
        """The pairs of these sorts."""
        return tuple(each for each in self.ratios if each.pair.sort in sorts)

    def sweeps_of(self, varied: int) -> tuple[SweepClaims, ...]:
        """Those that vary so many parameters."""
        return tuple(each for each in self.sweeps.values() if len(each.series.vary) == varied)


def make_claims(evidence: Evidence) -> AllClaims:
    """All claims, made when they are asked for first."""
    return evidence.once(_make_claims)


def make_ledger(evidence: Evidence) -> Ledger:
    """The same by name."""
    return make_claims(evidence).ledger


def _make_claims(evidence: Evidence) -> AllClaims:
    name = evidence.plan.experiment.name
    rounds = tuple(map(rounds_claims, rounds_curves(evidence)))
    timed = {each.name: tuple(map(side_claims, sides(evidence, each))) for each in series_of_sides(evidence)}
    return AllClaims(
        evidence,
        constant_claims(evidence),
        {each.name: _curve(evidence, each) for each in evidence.all_series("throughput")},
        {each.name: latency_claims(round_trips(evidence, each)) for each in evidence.all_series("latency")},
        tuple(map(intercept_claims, intercepts(evidence))),
        speed_claims(evidence),
        timed,
        {series: tuple(calls_claims(found)) for series, found in timed.items()},
        published_values(name),
        tuple(map(published_times_claims, published_times(name))),
        {each.name: sweep_claims(evidence, each) for each in evidence.sweeps},
        rounds,
        twin_claims(rounds),
        tuple(map(ratio_claims, pairs(evidence))),
        processor_claims(evidence),
        processor_sweeps(evidence),
        cost_claims(evidence),
        model_errors(evidence),
    )


def _curve(evidence: Evidence, series: Series) -> CurveClaims:
    curve = subject(evidence, series)
    fit = fit_claims(message_times(curve)) if is_ours(series) else None
    return CurveClaims(rate_claims(curve), shape_claims(curve), window_claims(curve), ceiling_claims(curve), fit)
