"""How far a modelled card is from the published curves: of each measured rate, in percent, size by size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.latency import round_trips
from lab.report.claims.published_times import published_times
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published_curves import published_curves
from lab.report.tex.units import NANO, in_words


@dataclass(frozen=True)
class _Theirs:
    """A published curve: the start of its claims, its label, its card's model, and its rates by size in B/s."""

    name: str
    label: str
    card: str
    rates: dict[int, float]


@dataclass(frozen=True)
class ModelErrors(ClaimGroup):
    """A curve over a card against one report: positive where the card is the faster."""

    curve: Subject
    label: str
    by_size: dict[int, Claim]
    median: Claim
    worst: Claim


def model_errors(evidence: Evidence) -> tuple[ModelErrors, ...]:
    """Of every series over a card that stands for a published one: each report in the order of its index."""
    found = ((each, theirs) for each in _over_cards(evidence) for theirs in _published(evidence, each))
    return tuple(_errors(*each) for each in found)


def _over_cards(evidence: Evidence) -> Iterator[Subject]:
    for series in evidence.all_series("throughput"):
        if series.has_card and series.program == "verbs" and series.operation == "write":
            yield subject(evidence, series)
    for series in evidence.all_series("latency"):
        if series.has_card and series.program == "mpi-verbs":
            yield round_trips(evidence, series)


def _published(evidence: Evidence, curve: Subject) -> Iterator[_Theirs]:
    """What was measured with the card that the model stands for, where it has sizes of the curve."""
    name, card = evidence.plan.experiment.name, curve.series.link.card
    found: list[_Theirs]
    if curve.series.measure == "latency":
        found = [_Theirs(e.name, e.words, e.card, {x: e.rate(x) for x in e.sizes}) for e in published_times(name)]
    else:
        found = [_Theirs(e.slug, e.label, e.card, e.by_size()) for e in published_curves(name)]
    return (each for each in found if card and each.card == card.name and set(each.rates) & set(curve.sizes))


def _errors(curve: Subject, theirs: _Theirs) -> ModelErrors:
    found = {size: _error(curve, size, theirs.rates[size]) for size in curve.sizes if size in theirs.rates}
    name, about = f"{curve.name}.{theirs.name}", f"of {curve.words} from {theirs.label}"

    def claim(suffix: str, estimate: Estimate, meaning: str, *sizes: int) -> Claim:
        return curve.claim(f"{name}.{suffix}", estimate, "percent", ClaimKind.DERIVED, meaning, *sizes)

    by_size = {
        size: claim(format_size(size), error, f"error {about} at {in_words(size)}", size)
        for size, error in found.items()
    }
    worst = max(found, key=lambda size: abs(found[size].value))
    middle = Estimate(median(abs(each.value) for each in found.values()), None, found[worst].n)
    return ModelErrors(
        curve,
        theirs.label,
        by_size,
        claim("median", middle, f"median over the sizes of the errors {about}, without signs", *found),
        claim("worst", found[worst], f"largest error {about}, at {in_words(worst)}", worst),
    )


def _error(curve: Subject, size: int, rate: float) -> Estimate:
    """In percent of their rate; that of a round trip is the size over half of it."""
    values = [float(value) for value in curve.values(size)]
    ours = [2 * size / value / NANO for value in values] if curve.series.measure == "latency" else values
    return estimate_median([100 * (each / rate - 1) for each in ours])
