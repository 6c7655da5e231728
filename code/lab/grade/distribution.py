"""Rows under another identity, or on a wall clock, beside the grader's: compared in distribution.

Who knows the tolerance of a median can add nearly all of it to the rates of one program. So every repetition counts,
and so do the spread, the shift of a whole series, and the ratios of series.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from lab.analysis.ratios import geometric_mean
from lab.grade.finding import Finding, Flaw
from lab.model.sizes import format_size
from lab.records.compare import MEASURED, TOLERANCE
from lab.records.table import Row
from lab.report.evidence.curve import margin_of
from lab.sites.site import Traits

# Measured on three renewals of results/reference that changed the machine or the programs, and not what they measure:
# docs/grading.md, Whose records are graded. A bound is above all that they showed.
SINGLE = TOLERANCE  # of a median, of a repetition beyond the grader's own, of a ratio of two medians
# Of the mean over a series' sizes and points, where errors of single ones cancel; of the ratio of two such means where
# trials repeat. Another day may move each of two series on a wall clock so far (lab.report.evidence.curve).
JOINT = TOLERANCE / 2
OUTLIERS = 0.05  # of a series' repetitions
DISTURBED = 0.1  # of them on a wall clock, where another process disturbs one or two
WIDER = 3.0  # times the spread, in the mean over a series; of one size it says nothing: one repetition may be elsewhere
LEAST_COPIED = 3  # sizes and points whose repetitions are all equal, where the grader's differ

Place = tuple[str, tuple[tuple[str, str], ...], int, str]  # series, point, size, column
Values = dict[Place, list[int]]
Means = dict[tuple[str, str], tuple[float, float]]  # by series and column: the ratio, and what is allowed
Key = TypeVar("Key")
Each = TypeVar("Each")


@dataclass(frozen=True)
class Quantity:
    """One measured column of a series at a point and a size: the values of all repetitions on both sides."""

    place: Place
    given: list[int]
    own: list[int]

    @property
    def series(self) -> str:
        return self.place[0]

    @property
    def column(self) -> str:
        return self.place[3]

    @property
    def ratio(self) -> float:
        """The hand-in's median over the grader's."""
        return max(median(self.given), 1) / max(median(self.own), 1)

    @property
    def tolerance(self) -> float:
        """Where the grader's own repetitions lie further apart than a median may, its median is as uncertain."""
        return max(SINGLE, _spread(self.own))

    @property
    def is_steady(self) -> bool:
        return self.tolerance == SINGLE

    def outside(self) -> list[int]:
        """The given values beyond all of the grader's own by more than its tolerance."""
        low, high = min(self.own) * (1 - self.tolerance), max(self.own) * (1 + self.tolerance)
        return [value for value in self.given if not low <= value <= high]

    def grown(self, floor: float) -> float:
        """How many times the grader's spread the hand-in's is; a spread below the floor is luck on either side."""
        return max(_spread(self.given), floor) / max(_spread(self.own), floor)

    @property
    def is_copied(self) -> bool:
        return len(set(self.given)) == 1 < len(set(self.own))

    def __str__(self) -> str:
        return _words(self.place)


def distribution_findings(given: Iterable[Row], own: Iterable[Row], traits: Traits) -> Iterator[Finding]:
    """All differences beyond what chance and another machine of the same kind explain."""
    theirs, ours = _values(given), _values(own)
    for place in sorted(theirs.keys() ^ ours.keys()):
        where = "measured here, but not handed in" if place in ours else "handed in, but not measured here"
        yield Finding(Flaw.ROWS, f"{_words(place)} is {where}")
    both = [Quantity(place, theirs[place], ours[place]) for place in ours if place in theirs]
    yield from _medians(both)
    for series, quantities in _by(both, lambda each: each.series).items():
        yield from _repetitions(series, quantities, traits)
        yield from _spreads(series, quantities, margin_of(traits))
    steady = [each for each in both if each.is_steady]
    # On a wall clock nothing may be steady: there, a mean is as uncertain as its values are far apart.
    means = _means(steady, lambda _: JOINT) if traits.repeats else _means(both, _mean_spread)
    yield from _shifts(means)
    yield from _ratios(steady, means, JOINT if traits.repeats else SINGLE)


def _medians(both: list[Quantity]) -> Iterator[Finding]:
    for each in both:
        if abs(each.ratio - 1) > each.tolerance:
            what = f"{each} is {each.ratio:.3f} of what is measured here, allowed is {each.tolerance:.0%}"
            yield Finding(Flaw.TOLERANCE, what)


def _repetitions(series: str, quantities: list[Quantity], traits: Traits) -> Iterator[Finding]:
    found = [(each, value) for each in quantities for value in each.outside()]
    count = sum(len(each.given) for each in quantities)
    if len(found) > (OUTLIERS if traits.repeats else DISTURBED) * count:
        each, value = found[0]
        beyond = f"{len(found)} of {count} repetitions lie more than {SINGLE:.0%} beyond what is measured here"
        first = f"{value} of {each}, here {min(each.own)} to {max(each.own)}"
        yield Finding(Flaw.REPETITION, f"{series}: {beyond}, first {first}")


def _spreads(series: str, quantities: list[Quantity], floor: float) -> Iterator[Finding]:
    mean = geometric_mean([each.grown(floor) for each in quantities])
    copied = [each for each in quantities if each.is_copied]
    if not 1 / WIDER <= mean <= WIDER:
        yield Finding(Flaw.SPREAD, f"{series}: the repetitions spread {mean:.2f} times as far as here")
    elif len(copied) >= max(LEAST_COPIED, sum(len(set(each.own)) > 1 for each in quantities)):
        yield Finding(Flaw.SPREAD, f"{series}: all repetitions are equal, and here they differ")


def _shifts(means: Means) -> Iterator[Finding]:
    for (series, column), (mean, allowed) in means.items():
        if abs(mean - 1) > allowed:
            what = f"is {mean:.3f} of what is measured here in the mean over its sizes, allowed is {allowed:.0%}"
            yield Finding(Flaw.SHIFT, f"{series}: {column} {what}")


def _ratios(steady: list[Quantity], means: Means, joint: float) -> Iterator[Finding]:
    """Ratios of series at one size, then in the mean: the same factor on all of them changes none."""
    for quantities in _by(steady, lambda each: (each.place[2], each.column)).values():
        ordered = sorted(quantities, key=lambda each: each.ratio)
        low, high = ordered[0], ordered[-1]
        if high.ratio > (1 + SINGLE) * low.ratio:
            yield _moved(f"{high} to {low}", high.ratio / low.ratio, SINGLE)
    for column, found in _by(means.items(), lambda each: each[0][1]).items():
        ranked = sorted((mean, series) for (series, _), (mean, _) in found)
        (least, below), (most, above) = ranked[0], ranked[-1]
        allowed = max(joint, *(each for _, (_, each) in found))
        if most > (1 + allowed) * least:
            yield _moved(f"{above} to {below} in the mean over their sizes, by {column},", most / least, allowed)


def _moved(names: str, change: float, allowed: float) -> Finding:
    what = f"the ratio of {names} is {change:.3f} times what it is here, allowed is {allowed:.0%}"
    return Finding(Flaw.RATIO, what)


def _means(both: list[Quantity], allowed: Callable[[list[Quantity]], float]) -> Means:
    """The ratio in the mean, for each column of a series with several sizes or points, and how far it may be from 1."""
    groups = _by(both, lambda each: (each.series, each.column))
    return {
        key: (geometric_mean([one.ratio for one in each]), allowed(each))
        for key, each in groups.items()
        if len(each) > 1
    }


def _mean_spread(quantities: list[Quantity]) -> float:
    return max(JOINT, fmean(_spread(each.own) for each in quantities))


def _by(items: Iterable[Each], key: Callable[[Each], Key]) -> dict[Key, list[Each]]:
    groups: dict[Key, list[Each]] = defaultdict(list)
    for each in items:
        groups[key(each)].append(each)
    return groups


def _values(rows: Iterable[Row]) -> Values:
    values: Values = defaultdict(list)
    for row in rows:
        for column in MEASURED:
            if column in row.counts:
                place = (row.series, tuple(row.point.items()), row.size_bytes, column)
                values[place].append(row.counts[column])
    return dict(values)


def _spread(values: list[int]) -> float:
    """The range over the median: of a few repetitions no other measure says more."""
    return (max(values) - min(values)) / max(median(values), 1)


def _words(place: Place) -> str:
    series, point, size, column = place
    varied = "".join(f" {name}={value}" for name, value in point)
    return f"{series}{varied} at {format_size(size)} B, {column}"
