"""Rows of another identity, or on a wall clock, compared with the grader's in distribution.

Within the tolerance of a median a forger can add nearly all of it to the rates of one program. So every repetition
counts, and so do the spread, the shift of a whole series, and the ratios of series.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import TypeVar

from lab.analysis.ratios import geometric_mean
from lab.grade.finding import Finding, Flaw
from lab.model.sizes import format_size
from lab.records.compare import TOLERANCE, RowPlace, measured, paired
from lab.records.table import Row
from lab.report.evidence.curve import margin_of
from lab.sites.site import Traits

# Measured on three renewals of results/reference that changed the machine or the programs, and not what they measure:
# docs/grading.md, Whose records are graded. Each bound is above all that they showed.
SINGLE = TOLERANCE  # of a median, of a repetition beyond the grader's, of a ratio of two medians
# Of the mean over a series' sizes and points, where single errors cancel; of the ratio of two such means where trials
# repeat. On a wall clock another day may move each of two series as much (lab.report.evidence.curve).
JOINT = TOLERANCE / 2
OUTLIERS = 0.05  # of a series' repetitions
DISTURBED = 0.1  # of them on a wall clock, where another process disturbs one or two
WIDER = 3.0  # times the spread, on average over a series; at one size a single repetition may be elsewhere
LEAST_COPIED = 3  # sizes and points whose repetitions are all equal, where the grader's differ

Means = dict[tuple[str, str], tuple[float, float]]  # by series and column: the ratio, and the allowed deviation from 1
Key = TypeVar("Key")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Quantity:
    """The values of all repetitions at one place, on both sides."""

    place: RowPlace
    claimed: list[int]
    grader: list[int]

    @property
    def ratio(self) -> float:
        return max(median(self.claimed), 1) / max(median(self.grader), 1)

    @property
    def tolerance(self) -> float:
        """The tolerance of the median; if the grader's spread exceeds it, that spread."""
        return max(SINGLE, _spread(self.grader))

    def outside(self) -> list[int]:
        """The claimed values beyond all of the grader's by more than the tolerance."""
        low, high = min(self.grader) * (1 - self.tolerance), max(self.grader) * (1 + self.tolerance)
        return [value for value in self.claimed if not low <= value <= high]

    def __str__(self) -> str:
        return _name(self.place)


def distribution_findings(claimed: Sequence[Row], grader: Sequence[Row], traits: Traits) -> Iterator[Finding]:
    """All differences beyond what chance and another machine of the same kind explain."""
    ours = measured(grader)
    for place in sorted(measured(claimed).keys() ^ ours.keys(), key=lambda place: (place.label, place.column)):
        where = "measured here, but not handed in" if place in ours else "handed in, but not measured here"
        yield Finding(Flaw.ROWS, f"{_name(place)} is {where}")
    quantities = [Quantity(*pair) for pair in paired(claimed, grader)]
    for quantity in quantities:
        if abs(quantity.ratio - 1) > quantity.tolerance:
            what = f"{quantity} is {quantity.ratio:.3f} of what is measured here, allowed is {quantity.tolerance:.0%}"
            yield Finding(Flaw.TOLERANCE, what)
    for series, group in _by(quantities, lambda quantity: quantity.place.series).items():
        yield from _repetitions(series, group, OUTLIERS if traits.repeats else DISTURBED)
        yield from _spreads(series, group, margin_of(traits))
    steady = [quantity for quantity in quantities if quantity.tolerance == SINGLE]
    # On a wall clock nothing may be steady: there, a mean is as uncertain as its values are far apart.
    means = _means(steady, lambda _: JOINT) if traits.repeats else _means(quantities, _mean_spread)
    for (series, column), (mean, allowed) in means.items():
        if abs(mean - 1) > allowed:
            what = f"is {mean:.3f} of what is measured here on average over its sizes, allowed is {allowed:.0%}"
            yield Finding(Flaw.SHIFT, f"{series}: {column} {what}")
    yield from _ratios(steady, means, JOINT if traits.repeats else SINGLE)


def _repetitions(series: str, quantities: list[Quantity], allowed: float) -> Iterator[Finding]:
    outliers = [(quantity, value) for quantity in quantities for value in quantity.outside()]
    count = sum(len(quantity.claimed) for quantity in quantities)
    if len(outliers) > allowed * count:
        quantity, value = outliers[0]
        beyond = f"{len(outliers)} of {count} repetitions are more than {SINGLE:.0%} beyond what is measured here"
        first = f"{value} of {quantity}, here {min(quantity.grader)} to {max(quantity.grader)}"
        yield Finding(Flaw.REPETITION, f"{series}: {beyond}, first {first}")


def _spreads(series: str, quantities: list[Quantity], floor: float) -> Iterator[Finding]:
    """The fault of a spread unlike the grader's; a spread below the floor is luck on either side."""
    mean = geometric_mean([max(_spread(item.claimed), floor) / max(_spread(item.grader), floor) for item in quantities])
    differing = [quantity for quantity in quantities if len(set(quantity.grader)) > 1]
    copied = [quantity for quantity in differing if len(set(quantity.claimed)) == 1]
    if not 1 / WIDER <= mean <= WIDER:
        yield Finding(Flaw.SPREAD, f"{series}: the repetitions spread {mean:.2f} times as far as here")
    elif len(copied) >= max(LEAST_COPIED, len(differing)):
        yield Finding(Flaw.SPREAD, f"{series}: all repetitions are equal, and here they differ")


def _ratios(steady: list[Quantity], means: Means, joint: float) -> Iterator[Finding]:
    """Compare the ratios of series at one size, then on average: a factor on all series changes none of them."""
    for quantities in _by(steady, lambda quantity: (quantity.place.size_bytes, quantity.place.column)).values():
        ordered = sorted(quantities, key=lambda quantity: quantity.ratio)
        low, high = ordered[0], ordered[-1]
        yield from _moved(f"{high} to {low}", high.ratio / low.ratio, SINGLE)
    for column, items in _by(means.items(), lambda item: item[0][1]).items():
        ranked = sorted((mean, series) for (series, _), (mean, _) in items)
        (least, below), (most, above) = ranked[0], ranked[-1]
        allowed = max(joint, *(deviation for _, (_, deviation) in items))
        yield from _moved(f"{above} to {below} on average over their sizes, by {column},", most / least, allowed)


def _moved(names: str, change: float, allowed: float) -> Iterator[Finding]:
    if change > 1 + allowed:
        what = f"the ratio of {names} is {change:.3f} times what it is here, allowed is {allowed:.0%}"
        yield Finding(Flaw.RATIO, what)


def _means(quantities: list[Quantity], allowed: Callable[[list[Quantity]], float]) -> Means:
    """The mean ratio and its tolerance, for each column of a series with several sizes or points."""
    groups = _by(quantities, lambda quantity: (quantity.place.series, quantity.place.column))
    return {
        key: (geometric_mean([quantity.ratio for quantity in group]), allowed(group))
        for key, group in groups.items()
        if len(group) > 1
    }


def _mean_spread(quantities: list[Quantity]) -> float:
    return max(JOINT, fmean(_spread(quantity.grader) for quantity in quantities))


def _by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _spread(values: list[int]) -> float:
    """The range over the median, which needs no more than a few repetitions."""
    return (max(values) - min(values)) / max(median(values), 1)


def _name(place: RowPlace) -> str:
    varied = "".join(f" {name}={value}" for name, value in place.point)
    return f"{place.series}{varied} at {format_size(place.size_bytes)} B, {place.column}"
