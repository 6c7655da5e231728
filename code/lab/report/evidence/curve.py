"""One series by size, and the least difference that counts."""

from collections.abc import Iterable
from dataclasses import dataclass

from lab.experiment.experiment import Point, Series
from lab.report.evidence.evidence import COMPLETED, CONFIRMED, STEADY, Cell, Evidence
from lab.report.evidence.labels import label, label_within
from lab.sites.site import FIXED_TRAITS, Clock, Traits

# Of a median. Repetitions start from perturbed instants, which move the stack and the timer: of 1,872 in
# results/reference whose throughput Verbyte's programs measured on exact, 90 % are within 1 % of the median of their
# series and size (without TCP_NODELAY, whose small messages have two rates). The position of a function in a program,
# which no repetition moves, has as large an effect.
INSTRUCTIONS = 0.01
# Chosen, not measured: repetitions that run one after the other do not show the change from day to day. Two runs of one
# experiment may differ by 10 % (lab.records.compare.TOLERANCE): by half of it for either side of a ratio.
WALL = 0.05


def margin_of(traits: Traits) -> float:
    return INSTRUCTIONS if traits.clock is Clock.INSTRUCTIONS else WALL


def margin_of_sites(sites: Iterable[str]) -> float:
    """The larger margin of sites that are given by their names."""
    traits = map(FIXED_TRAITS.get, sites)
    return max((margin_of(known) if known else WALL for known in traits), default=WALL)


STOPS = {
    CONFIRMED: "the receiver's confirmation",
    COMPLETED: "the client's last completion",
    STEADY: "the client's last completion, from the end of the first window on",
}


@dataclass(frozen=True)
class Subject:
    """One curve: a series at one point, and the column of its values."""

    evidence: Evidence
    series: Series
    column: str
    point: Point

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.series.sizes(self.site)

    @property
    def words(self) -> str:
        if not self.point:
            return label_within(self.evidence.plan.experiment, self.series)
        return label(self.series) + "".join(f", {name} {value}" for name, value in self.point.items())

    @property
    def site(self) -> str:
        return self.evidence.plan.site.name

    def cell(self, size: int) -> Cell:
        return self.evidence.cell(self.series.name, size, self.column, self.point)

    def counts(self, size: int) -> tuple[int, ...]:
        return self.cell(size).values

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for size in sizes for key in self.cell(size).keys))


def subject(evidence: Evidence, series: Series, point: Point | None = None) -> Subject:
    """A throughput by its receiver's time if the program measures it. A READ's receiver is the client: all data have
    arrived at its last completion. A card's rate is the steady one, which does not depend on the length of a run."""
    stops = (COMPLETED, CONFIRMED) if series.operation == "read" else (CONFIRMED, COMPLETED)
    first, second, steady = (Subject(evidence, series, column, point or {}) for column in (*stops, STEADY))
    whole = first if first.cell(first.sizes[0]).values else second
    if series.has_card and all(len(steady.counts(size)) == len(whole.counts(size)) > 0 for size in whole.sizes):
        return steady
    return whole
