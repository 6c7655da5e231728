"""What any experiment has: curves in groups, comparisons, rounds and sweeps, as the queries that exhibits take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from statistics import median
from typing import TypeVar

from lab.analysis.ratios import Verdict, judge, ratios_of_medians
from lab.experiment.experiment import Point, Series
from lab.model.sizes import format_size, parse_size
from lab.programs.program import ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.curve import STOPS, subject
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import describe_link, is_ours, is_own
from lab.report.evidence.pairs import CurvePair, Sort, pairs
from lab.report.evidence.words import SOFT
from lab.report.exhibits.core import Exhibits
from lab.report.exhibits.varied import Varied, X
from lab.report.tex.render import Markup
from lab.report.topics.times import is_fetch

Thing = TypeVar("Thing")
Row = tuple[str, str, str]  # a query, the name of its curve, and its look
MOST_CURVES, MOST_SWEEPS, FEW, FEWER = 8, 4, 5, 3
LOOKS = {"tcp": "TCP", "mpi-tcp": "MPI over TCP"}
OVER_CARD = {"verbs": "card", "mpi-verbs": "MPI over the card"}
BY_KERNEL = {"verbs": "kernel RDMA", "mpi-verbs": "MPI over kernel RDMA"}
MEASURES = {"throughput": "Throughput", "latency": "Time of a message", ONE_WAY: "Time of a call"}


@dataclass(frozen=True)
class CurveGroup:
    """Curves of one measure over one link, for one figure and one table; `name` is that of the figure."""

    name: str
    measure: str
    link: str
    curves: tuple[Row, ...]
    sizes: tuple[str, ...]
    few: tuple[str, ...]  # at most five sizes that many curves have

    @property
    def target(self) -> Markup:
        """The name for a reference."""
        return Markup(self.name)

    @property
    def title(self) -> str:
        """What is measured."""
        return MEASURES[self.measure]

    @property
    def queries(self) -> tuple[Row, ...]:
        """The curves; of a series whose ends time their own calls, one for each end."""
        if self.measure != ONE_WAY:
            return self.curves
        ends = ((row, side) for row in self.curves for side in SIDES)
        return tuple((f"{query}.{side}", f"{name}, {side}", look) for (query, name, look), side in ends)


@dataclass(frozen=True)
class SeriesPair:
    """One series over another on the same link."""

    ours: str
    base: str
    sort: Sort
    look: str
    sizes: tuple[str, ...]  # at most three
    is_time: bool = False

    @property
    def ratio(self) -> str:
        """How many times as fast ours is."""
        return f"{self.base} / {self.ours}" if self.is_time else f"{self.ours} / {self.base}"

    @property
    def row(self) -> Row:
        """For a figure of ratios."""
        return self.ratio, f"{self.ours} over {self.base}", self.look

    def leads(self, *, ours: bool) -> str:
        """The statement that one side is faster at every size."""
        return f"{self.ours} {'>' if ours is not self.is_time else '<'} {self.base} everywhere"


@dataclass(frozen=True)
class Best:
    """What a parameter does at one size: the smallest value that is as good as the one with the largest result, the one
    with the smallest result, the query of their ratio, and whether this is more than luck."""

    parameter: str
    size: str
    best: str
    worst: str
    gain: str
    is_certain: bool


@dataclass(frozen=True)
class Sweep:
    """A series that varies numbers and nothing else."""

    series: Series
    sizes: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.series.name

    @property
    def varied(self) -> list[str]:
        """The parameters with several values."""
        return [name for name, values in self.series.vary.items() if len(values) > 1]

    def pattern(self, name: str) -> str:
        """A query with {x} for one parameter, the others at their first values."""
        point = (X if each == name else str(first) for each, (first, *_) in self.series.vary.items())
        return f"{self.name}[{', '.join(point)}]"

    @property
    def quantity(self) -> str:
        """What it measures, in words."""
        return MEASURES[self.series.measure].lower()

    @property
    def points(self) -> list[str]:
        """The varied values, as a query names them."""
        return [_point(point) for point in self.series.points()]


@dataclass(frozen=True)
class Groups:
    """The series of an experiment, as a report arranges them."""

    exhibits: Exhibits

    @cached_property
    def varied(self) -> Varied:
        return Varied(self.exhibits)

    @property
    def evidence(self) -> Evidence:
        return self.exhibits.numbers.evidence

    @property
    def site(self) -> str:
        return self.evidence.plan.site.name

    @cached_property
    def groups(self) -> tuple[CurveGroup, ...]:
        """One for each measure and link, those of a modelled card first; long ones are divided."""
        found: dict[tuple[str, str], list[Series]] = {}
        for series in self.evidence.plan.experiment.series:
            if series.name not in {sweep.name for sweep in self.sweeps}:
                found.setdefault((series.measure, self._link(series)), []).append(series)
        ordered = sorted(found.items(), key=lambda item: (list(MEASURES).index(item[0][0]), not item[1][0].link.card))
        taken = set[str]()
        groups = (group for (measure, link), series in ordered for group in self._groups(measure, link, series, taken))
        return tuple(groups)

    def _groups(self, measure: str, link: str, series: Sequence[Series], taken: set[str]) -> Iterator[CurveGroup]:
        used = dict[str, int]()
        rows = [(each, self._row(each, point, used)) for each in series for point in each.points()]
        for start in range(0, len(rows), MOST_CURVES):
            part = rows[start : start + MOST_CURVES]
            name = measure.replace(ONE_WAY, "calls")
            name = f"{name}.{part[0][0].name}" if name in taken else name
            name += f".{start}" if name in taken else ""
            taken.add(name)
            sizes = [each.sizes(self.site) for each, _ in part]
            count = Counter(size for of_one in sizes for size in of_one)
            every, most = sorted(count), max(count.values())
            few = _few((size for size in every if count[size] > most / 2), FEW)
            yield CurveGroup(name, measure, link, tuple(row for _, row in part), tuple(map(format_size, every)), few)

    def _row(self, series: Series, point: Point, used: dict[str, int]) -> Row:
        """A curve; the second of one look gets a variant of it."""
        look = self._look(series)
        used[look] = used.get(look, 0) + 1
        name = f"{series.name}{', round trip' * is_fetch_time(series)}"
        if point:
            return f"{series.name}[{_point(point)}]", f"{name} {_point(point)}", _variant(look, used[look])
        return series.name, name, _variant(look, used[look])

    def _look(self, series: Series) -> str:
        device = self.evidence.plan.site.ends.client.device
        is_card = series.has_card or not (series.link.card or device.startswith(SOFT))
        looks = LOOKS | (OVER_CARD if is_card else BY_KERNEL)
        return looks.get(series.program, "program" if is_own(series) else "tool")

    def _link(self, series: Series) -> str:
        return describe_link(series.link, self.evidence.plan.site)

    @property
    def sections(self) -> list[tuple[str, list[CurveGroup]]]:
        """The groups by what is measured."""
        of_each = ((words, [group for group in self.groups if group.title == words]) for words in MEASURES.values())
        return [(words, groups) for words, groups in of_each if groups]

    @cached_property
    def links(self) -> list[tuple[str, list[str]]]:
        """Each link in words, and its series."""
        found: dict[str, list[str]] = {}
        for series in self.evidence.plan.experiment.series:
            found.setdefault(self._link(series), []).append(series.name)
        return list(found.items())

    @cached_property
    def stops(self) -> list[tuple[str, list[str]]]:
        """Where the clocks of a throughput stop, and the series of each."""
        found: dict[str, list[str]] = {}
        for series in self.evidence.plan.experiment.series:
            if series.measure == "throughput":
                column = subject(self.evidence, series, series.points()[0]).column
                found.setdefault(STOPS[column], []).append(series.name)
        return list(found.items())

    @cached_property
    def measures(self) -> frozenset[str]:
        """What the series measure: `throughput`, `latency`, `one-way`; and `fetch` for the latency of a READ."""
        series = self.evidence.plan.experiment.series
        return frozenset(each.measure for each in series) | ({"fetch"} if any(map(is_fetch_time, series)) else set())

    @cached_property
    def pairs(self) -> tuple[SeriesPair, ...]:
        """Transports over TCP, ours over reference tools and over programs of the experiment, and each of these over
        the one before; where a group has none of these, its fastest curve over the next."""
        found = [self._of(pair) for pair in pairs(self.evidence) if pair.sort is not Sort.VARIANT]
        found += [pair for group in self.groups if group.measure == "latency" for pair in self._of_latencies(group)]
        named = {name for pair in found for name in (pair.ours, pair.base)}
        rest = [group for group in self.groups if not named & {query for query, *_ in group.curves}]
        return (*found, *(pair for group in rest if group.measure != ONE_WAY for pair in self._fastest(group)))

    def _of(self, pair: CurvePair) -> SeriesPair:
        ours, base = pair.ours.series, pair.base.series
        return SeriesPair(ours.name, base.name, pair.sort, self._look(ours), _few(pair.sizes))

    def _of_latencies(self, group: CurveGroup) -> Iterator[SeriesPair]:
        """RDMA and MPI over TCP, and ours over each reference tool that does the same."""
        series = [self.evidence.series(query) for query, *_ in group.curves if query in self.exhibits.numbers.series]
        ours = [each for each in series if is_ours(each)]
        base = next((each for each in ours if each.program == "tcp"), None)
        for each in ours if base else ():
            assert base
            if each.program != "tcp" and not is_fetch(each):
                yield from self._pair(each.name, base.name, Sort.TRANSPORT, self._look(each), is_time=True)
        for tool in (each for each in series if not (is_ours(each) or is_own(each))):
            alike = (each for each in ours if _does(each) == _does(tool) and not each.program.startswith("mpi"))
            for each in alike:
                yield from self._pair(each.name, tool.name, Sort.PEER, self._look(each), is_time=True)

    def _fastest(self, group: CurveGroup) -> Iterator[SeriesPair]:
        rows = [row for row in group.curves if not self._is_fetch(row[0])]
        if len(rows) > 1:
            is_time = group.measure != "throughput"
            first, second, *_ = sorted(rows, key=lambda row: self._level(row[0], group), reverse=not is_time)
            yield from self._pair(first[0], second[0], Sort.TRANSPORT, first[2], is_time=is_time)

    def _pair(self, ours: str, base: str, sort: Sort, look: str, *, is_time: bool) -> Iterator[SeriesPair]:
        of_base = self.exhibits.sizes_of_query(base)
        if common := [parse_size(size) for size in self.exhibits.sizes_of_query(ours) if size in of_base]:
            yield SeriesPair(ours, base, sort, look, _few(common), is_time)

    def _level(self, query: str, group: CurveGroup) -> float:
        """The product of the medians at a few sizes."""
        shown = [size for size in group.few if self.exhibits.has(f"{query} at {size}")]
        return prod(self.exhibits.numbers.ask(f"{query} at {size}").estimate.value for size in shown)

    def _is_fetch(self, query: str) -> bool:
        series = self.exhibits.numbers.series.get(query.partition("[")[0])
        return series is not None and is_fetch_time(series)

    def compared(self, *sorts: str) -> list[SeriesPair]:
        """The pairs of these sorts in their order: `transport`, `peer`, `own`, `step`."""
        return [pair for sort in sorts for pair in self.pairs if pair.sort.value == sort]

    @cached_property
    def rounds(self) -> list[Row]:
        """The curves whose rounds were repeated until they agreed."""
        series = self.evidence.plan.experiment.series
        repeated = {each.name for each in series if each.parameters(self.site, {}).until_stable}
        return [row for group in self.groups for row in group.curves if row[0] in repeated]

    @cached_property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The series that vary numbers and nothing else; whose ends time their own calls, are curves of groups."""
        return tuple(
            Sweep(each, tuple(map(format_size, each.sizes(self.site))))
            for each in self.evidence.plan.experiment.series
            if _sweeps(each)
        )

    @cached_property
    def best(self) -> dict[str, list[Best]]:
        """By sweep, for each varied parameter its best value over its worst, at the size where that gains most."""
        return {sweep.name: [self._best(sweep, name) for name in sweep.varied] for sweep in self.sweeps}

    @property
    def effects(self) -> list[Sweep]:
        """The sweeps in which a value makes a difference, at most four."""
        return [sweep for sweep in self.sweeps if any(best.is_certain for best in self.best[sweep.name])][:MOST_SWEEPS]

    def _best(self, sweep: Sweep, name: str) -> Best:
        """Values and size are chosen by the data, so that the verdict rests on intervals that hold for all pairs of
        values at all of these sizes at once."""
        pattern, numbers = sweep.pattern(name), self.exhibits.numbers
        point = {each: first for each, (first, *_) in sweep.series.vary.items()}
        values = sweep.series.vary[name]
        curves = {str(each): numbers.curve(sweep.series, point | {name: each}, "", "") for each in values}
        sides = dict[tuple[str, str, str], tuple[list[float], list[float]]]()
        for size in some(sweep.sizes, FEW):
            samples = {value: curve.values(parse_size(size)) for value, curve in curves.items()}
            for better, worse in combinations(sorted(samples, key=lambda value: -median(samples[value])), 2):
                sides[size, better, worse] = samples[better], samples[worse]
        ratios = dict(zip(sides, ratios_of_medians(list(sides.values())), strict=True))
        size, best, worst = max(ratios, key=lambda place: ratios[place].value)
        enough = self.varied.enough(pattern, size)
        best = best if enough == worst else enough
        is_certain = judge(ratios[size, best, worst], margin=numbers.margin) is Verdict.MORE
        gain = f"{pattern.replace(X, best)} / {pattern.replace(X, worst)} at {size}"
        return Best(name, size, best, worst, gain, is_certain)


def is_fetch_time(series: Series) -> bool:
    """Whether a series measures the whole round trip of a READ."""
    return series.measure == "latency" and is_fetch(series)


def _does(series: Series) -> tuple[object, ...]:
    return series.operation, series.tool.rdma, series.has_card


def _variant(look: str, count: int) -> str:
    return look if count == 1 else f"{look} {count}"


def _point(point: Point) -> str:
    return ", ".join(map(str, point.values()))


def _sweeps(series: Series) -> bool:
    values = [value for values in series.vary.values() for value in values]
    is_numbers = not any(isinstance(value, (str, bool)) for value in values)
    return series.measure != ONE_WAY and is_numbers and len(values) > len(series.vary)


def some(things: Sequence[Thing], most: int) -> list[Thing]:
    """At most so many, evenly spread from the first to the last."""
    if len(things) <= most:
        return list(things)
    return [things[round(at * (len(things) - 1) / (most - 1))] for at in range(most)]


def _few(sizes: Iterable[int], most: int = FEWER) -> tuple[str, ...]:
    return tuple(map(format_size, some(sorted(sizes), most)))
