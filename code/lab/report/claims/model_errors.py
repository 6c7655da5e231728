"""How far a modelled card is from the published curves: of each measured rate, in percent, size by size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from lab.analysis.estimate import Estimate
from lab.analysis.summary import estimate_median
from lab.model.sizes import format_size
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.evidence.curve import Subject, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.published_curves import PublishedCurve, published_curves
from lab.report.tex.units import in_words


@dataclass(frozen=True)
class ModelErrors(ClaimGroup):
    """A curve over a card against one report: positive where the card is the faster."""

    curve: Subject
    label: str
    by_size: dict[int, Claim]
    median: Claim
    worst: Claim


def model_errors(evidence: Evidence) -> tuple[ModelErrors, ...]:
    """Of every WRITE over a card whose sizes were published: each report in the order of its index."""
    found = published_curves(evidence.plan.experiment.name)
    return tuple(_errors(each, theirs) for each in _over_cards(evidence) for theirs in found)


def _over_cards(evidence: Evidence) -> Iterator[Subject]:
    for series in evidence.all_series("throughput"):
        if series.has_card and series.program == "verbs" and series.operation == "write":
            yield subject(evidence, series)


def _errors(curve: Subject, theirs: PublishedCurve) -> ModelErrors:
    rates = {size: each.value for size, each in zip(theirs.sizes, theirs.rates, strict=True)}
    found = {size: _error(curve, size, rates[size]) for size in curve.sizes if size in rates}
    name, about = f"{curve.name}.{theirs.slug}", f"of {curve.words} from {theirs.label}"

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
    return estimate_median([100 * (value / rate - 1) for value in curve.values(size)])
