"""Claims about what each series reached: its rate at every size, its peak, its steepest step, where it flattens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.analysis.estimate import Estimate
from lab.analysis.ratios import ratio_of_medians
from lab.analysis.summary import estimate_median
from lab.report.claim import Claim, Kind
from lab.report.evidence import COMPLETED, CONFIRMED, Cell, Evidence
from lab.report.labels import describe_link, label, label_within
from lab.report.units import in_words
from lab.sizes import format_size
from lab.spec import Point, Series

# A curve is called flat from the first size on that reaches this part of its peak.
FLAT = 0.95
STOPS = {CONFIRMED: "the receiver's confirmation", COMPLETED: "the sender's last completion"}


@dataclass(frozen=True)
class Subject:
    """One curve: a series at one point, and the stop time that its program knows."""

    evidence: Evidence
    series: Series
    column: str
    point: Point

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted(self.series.published.sizes))

    @property
    def name(self) -> str:
        return ".".join([self.series.name, *(str(value) for value in self.point.values())])

    @property
    def words(self) -> str:
        if not self.point:
            return label_within(self.evidence.plan.experiment, self.series)
        return label(self.series) + "".join(f", {name} {value}" for name, value in self.point.items())

    @property
    def link(self) -> str:
        return describe_link(self.series.link, self.evidence.plan.site.name)

    @property
    def wanted_n(self) -> int:
        return self.series.parameters(self.evidence.plan.site.name, self.point).repetitions

    def cell(self, size: int) -> Cell:
        return self.evidence.cell(self.series.name, size, self.column, self.point)

    def claim(self, name: str, estimate: Estimate, unit: str, kind: Kind, meaning: str, *sizes: int) -> Claim:
        """A claim that rests on the repetitions of these sizes."""
        keys = tuple(dict.fromkeys(key for size in sizes for key in self.cell(size).keys))
        return Claim(
            name,
            estimate,
            unit,
            kind,
            meaning,
            keys,
            self.wanted_n,
            link=self.link,
            unchecked=self.evidence.unchecked(keys),
        )


def subject(evidence: Evidence, series: Series, column: str = CONFIRMED, point: Point | None = None) -> Subject:
    """A curve by the stricter stop time where the program knows it."""
    found = Subject(evidence, series, column, point or {})
    if column == CONFIRMED and not found.cell(found.sizes[0]).values:
        return Subject(evidence, series, COMPLETED, point or {})
    return found


def curve_claims(curve: Subject) -> Iterator[Claim]:
    """All claims about one curve over sizes."""
    yield from rates(curve)
    if len(curve.sizes) > 1:
        yield from peak(curve)
        yield from jump(curve)


def rates(curve: Subject) -> Iterator[Claim]:
    """Throughput and message rate at each size: medians over the repetitions."""
    for size in curve.sizes:
        values = curve.cell(size).values
        what = f"{curve.words}, messages of {in_words(size)}, to {STOPS[curve.column]}"
        name = f"{curve.name}.{format_size(size)}"
        yield curve.claim(name, estimate_median(values), "B/s", Kind.RATE, f"throughput of {what}", size)
        messages = estimate_median([value / size for value in values])
        yield curve.claim(f"{name}.messages", messages, "messages/s", Kind.RATE, f"message rate of {what}", size)


def peak(curve: Subject) -> Iterator[Claim]:
    """The highest median, its size, and the first size from which the curve stays near it."""
    medians = {size: estimate_median(curve.cell(size).values) for size in curve.sizes}
    best = max(medians, key=lambda size: medians[size].value)
    flat = _flat_from({size: median.value for size, median in medians.items()})
    about = f"of {curve.words} over all sizes"
    yield curve.claim(f"{curve.name}.peak", medians[best], "B/s", Kind.RATE, f"highest median throughput {about}", best)
    where = Estimate(best, None, medians[best].n)
    yield curve.claim(f"{curve.name}.peak.size", where, "size", Kind.DERIVED, f"size of the peak {about}", *curve.sizes)
    meaning = f"smallest size from which on every median {about} is at least {FLAT:.0%} of the peak"
    start = Estimate(flat, None, medians[best].n)
    yield curve.claim(f"{curve.name}.flat.size", start, "size", Kind.DERIVED, meaning, *curve.sizes)


def jump(curve: Subject) -> Iterator[Claim]:
    """The step between neighbouring sizes that raises the throughput most."""
    steps = {
        (small, large): ratio_of_medians(curve.cell(large).values, curve.cell(small).values)
        for small, large in pairwise(curve.sizes)
    }
    small, large = max(steps, key=lambda pair: steps[pair].value)
    words = f"{curve.words}, throughput at {in_words(large)} over that at {in_words(small)}, the steepest step"
    found = curve.claim(f"{curve.name}.jump", steps[small, large], "", Kind.RATIO, words, small, large)
    yield _over(found, base=f"{curve.words} at {in_words(small)}")
    for name, size in (("from", small), ("to", large)):
        end = Estimate(size, None, found.estimate.n)
        meaning = f"size that the steepest step of {curve.words} goes {name}"
        yield curve.claim(f"{curve.name}.jump.{name}", end, "size", Kind.DERIVED, meaning, *curve.sizes)


def _over(claim: Claim, base: str) -> Claim:
    """A ratio within one curve: both sides ran over the same link."""
    return Claim(**{**vars(claim), "base": base, "base_link": claim.link})


def _flat_from(medians: dict[int, float]) -> int:
    least = FLAT * max(medians.values())
    sizes = sorted(medians)
    below = [index for index, size in enumerate(sizes) if medians[size] < least]
    return sizes[below[-1] + 1 if below and below[-1] + 1 < len(sizes) else 0 if not below else below[-1]]
