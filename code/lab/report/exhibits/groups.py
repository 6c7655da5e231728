"""The series of any experiment in groups, pairs, rounds and sweeps, as the queries that exhibits take."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise, product
from math import prod
from statistics import median
from typing import Literal, TypeVar

from lab.analysis.ratios import Verdict, judge, ratios_of_medians
from lab.experiment.experiment import Experiment, Point, Series
from lab.model.sizes import format_size, parse_size
from lab.programs.program import ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.curve import STOPS, curve_of, is_fetch
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.labels import describe_link, is_lab_program, is_user_program
from lab.report.evidence.words import SOFT
from lab.report.exhibits.core import Exhibits
from lab.report.exhibits.plots import X, enough
from lab.report.tex.render import Markup

Item = TypeVar("Item")
Row = tuple[str, str, str]  # a query, the name of its curve, and its look
MOST_CURVES, MOST_SWEEPS, FEW, FEWER = 8, 4, 5, 3
LOOKS = {"tcp": "TCP", "mpi-tcp": "MPI over TCP"}
OVER_CARD = {"verbs": "card", "mpi-verbs": "MPI over the card"}
BY_KERNEL = {"verbs": "kernel RDMA", "mpi-verbs": "MPI over kernel RDMA"}
MEASURES = {"throughput": "Throughput", "latency": "Time of a message", ONE_WAY: "Time of a call"}
TOGETHER = "Time of an operation"  # of several computers

HANDLING = ("post_list", "signal_every", "nodelay")  # how a program posts its messages


# Another transport of ours, a reference tool of the same operation, a program of the experiment; or both are of the
# experiment: the series before.
PairKind = Literal["transport", "peer", "user", "step"]
# Program over program.
COMPARED: tuple[tuple[str, str, PairKind], ...] = (
    ("verbs", "tcp", "transport"),
    ("verbs", "ib_write_bw", "peer"),
    ("verbs", "ib_read_bw", "peer"),
    ("verbs", "ib_send_bw", "peer"),
    ("tcp", "iperf3", "peer"),
)


@dataclass(frozen=True)
class CurveGroup:
    """Curves of one measure over one link, for one figure and one table; `name` is that of the figure."""

    name: str
    measure: str
    link: str
    curves: tuple[Row, ...]
    sizes: tuple[str, ...]
    few: tuple[str, ...]  # at most five sizes that many curves have
    title: str

    @property
    def target(self) -> Markup:
        return Markup(self.name)

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
    sort: PairKind
    look: str
    sizes: tuple[str, ...]  # at most three
    is_time: bool = False

    @property
    def ratio(self) -> str:
        """How many times as fast ours is."""
        return f"{self.base} / {self.ours}" if self.is_time else f"{self.ours} / {self.base}"

    @property
    def row(self) -> Row:
        return self.ratio, f"{self.ours} over {self.base}", self.look

    def leads(self, *, ours: bool) -> str:
        """The statement that one side is faster at every size."""
        return f"{self.ours} {'>' if ours is not self.is_time else '<'} {self.base} everywhere"


@dataclass(frozen=True)
class Best:
    """The effect of a parameter at one size: the smallest value that is as good as the best one, the worst value, the
    query of their ratio, and whether this is more than luck."""

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
        return [name for name, values in self.series.vary.items() if len(values) > 1]

    def pattern(self, name: str) -> str:
        """A query with {x} for one parameter, the others at their first values."""
        point = (X if varied == name else str(first) for varied, (first, *_) in self.series.vary.items())
        return f"{self.name}[{', '.join(point)}]"

    @property
    def title(self) -> str:
        return title_of(self.series)

    @property
    def quantity(self) -> str:
        return self.title.lower()

    @property
    def points(self) -> list[str]:
        return [_point(point) for point in self.series.points()]


@dataclass(frozen=True)
class Groups:
    """The series of an experiment, as a report arranges them."""

    exhibits: Exhibits

    @property
    def evidence(self) -> Evidence:
        return self.exhibits.numbers.evidence

    @property
    def site(self) -> str:
        return self.evidence.plan.site.name

    @property
    def series(self) -> tuple[Series, ...]:
        return self.evidence.plan.experiment.series

    @cached_property
    def groups(self) -> tuple[CurveGroup, ...]:
        """One for each measure and link, those of a modelled card first; long ones are divided."""
        of_link = defaultdict[tuple[str, str], list[Series]](list)
        for series in self.series:
            if not _is_sweep(series):
                of_link[series.measure, self._link(series)].append(series)
        ordered = sorted(of_link.items(), key=lambda item: (list(MEASURES).index(item[0][0]), not item[1][0].link.card))
        names = set[str]()
        return tuple(
            group for (measure, link), series in ordered for group in self._groups(measure, link, series, names)
        )

    def _groups(self, measure: str, link: str, runs: Sequence[Series], names: set[str]) -> Iterator[CurveGroup]:
        looks = Counter[str]()
        rows = [(series, self._row(series, point, looks)) for series in runs for point in series.points()]
        for start in range(0, len(rows), MOST_CURVES):
            part = rows[start : start + MOST_CURVES]
            name = measure.replace(ONE_WAY, "calls")
            name = f"{name}.{part[0][0].name}" if name in names else name
            name += f".{start}" if name in names else ""
            names.add(name)
            count = Counter(size for series, _ in part for size in series.sizes(self.site))
            few = _few((size for size in count if count[size] > max(count.values()) / 2), FEW)
            curves, title = tuple(row for _, row in part), title_of(part[0][0])
            yield CurveGroup(name, measure, link, curves, _sizes(sorted(count)), few, title)

    def _row(self, series: Series, point: Point, looks: Counter[str]) -> Row:
        """A curve; the second of one look gets a variant of it."""
        look = self._look(series)
        looks[look] += 1
        variant = look if looks[look] == 1 else f"{look} {looks[look]}"
        name = f"{series.name}{', round trip' * is_fetch_time(series)}"
        if point:
            return f"{series.name}[{_point(point)}]", f"{name} {_point(point)}", variant
        return series.name, name, variant

    def _look(self, series: Series) -> str:
        device = self.evidence.plan.site.ends.client.device
        is_card = series.has_card or not (series.link.card or device.startswith(SOFT))
        looks = LOOKS | (OVER_CARD if is_card else BY_KERNEL)
        return looks.get(series.program, "program" if is_user_program(series) else "tool")

    def _link(self, series: Series) -> str:
        return describe_link(series.link, self.evidence.plan.site)

    @property
    def sections(self) -> list[tuple[str, list[CurveGroup]]]:
        titles = dict.fromkeys(group.title for group in self.groups)
        return [(title, [group for group in self.groups if group.title == title]) for title in titles]

    @cached_property
    def links(self) -> list[tuple[str, list[str]]]:
        return _by((self._link(series), series) for series in self.series)

    @cached_property
    def stops(self) -> list[tuple[str, list[str]]]:
        """The ends of the timed intervals of throughputs, and the series of each."""
        rates = (series for series in self.series if series.measure == "throughput")
        return _by((STOPS[curve_of(self.evidence, series, series.points()[0]).column], series) for series in rates)

    @cached_property
    def measures(self) -> frozenset[str]:
        """The measures of the series: `throughput`, `latency`, `one-way`; `fetch` for the latency of a READ, and
        `together` for times of several computers."""
        fetch = {"fetch"} if any(map(is_fetch_time, self.series)) else set()
        return frozenset("together" if series.tool.together else series.measure for series in self.series) | fetch

    @cached_property
    def pairs(self) -> tuple[SeriesPair, ...]:
        """Transports over TCP, ours over reference tools and over programs of the experiment, and each of these over
        the one before; in a group that has none of these, its fastest curve over the next."""
        paired = [
            SeriesPair(ours.name, base.name, sort, self._look(ours), _few(common))
            for ours, base, sort in pairs(self.evidence)
            if (common := set(ours.sizes(self.site)) & set(base.sizes(self.site)))
        ]
        paired += [pair for group in self.groups if group.measure == "latency" for pair in self._of_latencies(group)]
        names = {name for pair in paired for name in (pair.ours, pair.base)}
        rest = [group for group in self.groups if not names & {query for query, *_ in group.curves}]
        return (*paired, *(pair for group in rest if group.measure != ONE_WAY for pair in self._fastest(group)))

    def _of_latencies(self, group: CurveGroup) -> Iterator[SeriesPair]:
        """RDMA and MPI over TCP, and ours over each reference tool of the same operation."""
        runs = [self.evidence.series(query) for query, *_ in group.curves if query in self.exhibits.numbers.series]
        ours = list(filter(is_lab_program, runs))
        tools = [run for run in runs if not (is_lab_program(run) or is_user_program(run))]
        tcp = [run for run in ours if run.program == "tcp"][:1]
        others = [run for run in ours if run.program != "tcp" and not is_fetch(run)]
        for base, run in product(tcp, others):
            yield from self._pair(run.name, base.name, "transport", self._look(run), is_time=True)
        for tool, run in product(tools, ours):
            if _does(run) == _does(tool) and not run.program.startswith("mpi"):
                yield from self._pair(run.name, tool.name, "peer", self._look(run), is_time=True)

    def _fastest(self, group: CurveGroup) -> Iterator[SeriesPair]:
        """The curve with the best product of medians at a few sizes over the next."""

        def typical(row: Row) -> float:
            queries = [f"{row[0]} at {size}" for size in group.few]
            return prod(self.exhibits.value(query) for query in queries if self.exhibits.has(query))

        rows = [row for row in group.curves if not is_fetch_time(self.evidence.series(row[0].partition("[")[0]))]
        if len(rows) > 1:
            is_time = group.measure != "throughput"
            (ours, _, look), (base, *_), *_ = sorted(rows, key=typical, reverse=not is_time)
            yield from self._pair(ours, base, "transport", look, is_time=is_time)

    def _pair(self, ours: str, base: str, sort: PairKind, look: str, *, is_time: bool) -> Iterator[SeriesPair]:
        of_base = self.exhibits.sizes_of_query(base)
        if common := [parse_size(size) for size in self.exhibits.sizes_of_query(ours) if size in of_base]:
            yield SeriesPair(ours, base, sort, look, _few(common), is_time)

    def compared(self, *sorts: PairKind) -> list[SeriesPair]:
        """The pairs of these sorts in their order."""
        return [pair for sort in sorts for pair in self.pairs if pair.sort == sort]

    @cached_property
    def rounds(self) -> list[Row]:
        """The curves whose rounds were repeated until they agreed."""
        repeated = {series.name for series in self.series if series.parameters(self.site, {}).until_stable}
        return [row for group in self.groups for row in group.curves if row[0] in repeated]

    @cached_property
    def sweeps(self) -> tuple[Sweep, ...]:
        """The series that vary numbers and nothing else; a series whose ends time their own calls is in a group."""
        return tuple(Sweep(series, _sizes(series.sizes(self.site))) for series in self.series if _is_sweep(series))

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
        point = {varied: first for varied, (first, *_) in sweep.series.vary.items()}
        values = sweep.series.vary[name]
        curves = {str(value): numbers.curve(sweep.series, point | {name: value}, "", "") for value in values}
        samples = dict[tuple[str, str, str], tuple[list[float], list[float]]]()
        for size in some(sweep.sizes, FEW):
            of_value = {value: curve.values(parse_size(size)) for value, curve in curves.items()}
            for better, worse in combinations(sorted(of_value, key=lambda value: -median(of_value[value])), 2):
                samples[size, better, worse] = of_value[better], of_value[worse]
        ratios = dict(zip(samples, ratios_of_medians(list(samples.values())), strict=True))
        size, best, worst = max(ratios, key=lambda compared: ratios[compared].value)
        is_certain = judge(ratios[size, best, worst], margin=numbers.margin) is Verdict.MORE
        smallest = enough(self.exhibits, pattern, size)
        best = best if smallest == worst else smallest
        gain = f"{pattern.replace(X, best)} / {pattern.replace(X, worst)} at {size}"
        return Best(name, size, best, worst, gain, is_certain)


def pairs(evidence: Evidence) -> list[tuple[Series, Series, PairKind]]:
    """The comparisons for which the experiment has both sides on one link, those of a modelled card first."""
    return sorted(_compared(evidence), key=lambda pair: not pair[0].link.card)


def _compared(evidence: Evidence) -> Iterator[tuple[Series, Series, PairKind]]:
    experiment = evidence.plan.experiment
    curves = [run for run in experiment.series if run.measure == "throughput" and not run.vary]
    usual = [run for run in curves if not _posts_otherwise(experiment, run)]
    for above, below, sort in COMPARED:
        for ours, base in product(usual, usual):
            if (ours.program, base.program, ours.link) == (above, below, base.link) and (
                sort == "transport" or (ours.operation, ours.has_card) == (base.operation, base.has_card)
            ):
                yield ours, base, sort
    of_user = list(filter(is_user_program, curves))
    for ours, base in product(filter(is_lab_program, curves), of_user):
        if (ours.link, ours.operation) == (base.link, base.operation):
            yield ours, base, "user"
    for base, ours in pairwise(of_user):
        if (base.program, base.link, base.operation) == (ours.program, ours.link, ours.operation):
            yield ours, base, "step"


def _posts_otherwise(experiment: Experiment, series: Series) -> bool:
    """Whether the series posts its messages otherwise than the first series of its program on its link."""
    kind = series.program, series.operation, series.measure, series.link
    curves = (run for run in experiment.series if not run.vary)
    first = next((run for run in curves if (run.program, run.operation, run.measure, run.link) == kind), series)
    return any(getattr(first.published, name) != getattr(series.published, name) for name in HANDLING)


def title_of(series: Series) -> str:
    return TOGETHER if series.tool.together and series.measure == "latency" else MEASURES[series.measure]


def is_fetch_time(series: Series) -> bool:
    """Whether a series measures the whole round trip of a READ."""
    return series.measure == "latency" and is_fetch(series)


def _does(series: Series) -> tuple[object, ...]:
    return series.operation, series.tool.rdma, series.has_card


def _point(point: Point) -> str:
    return ", ".join(map(str, point.values()))


def _by(pairs: Iterable[tuple[str, Series]]) -> list[tuple[str, list[str]]]:
    groups = defaultdict[str, list[str]](list)
    for text, series in pairs:
        groups[text].append(series.name)
    return list(groups.items())


def _is_sweep(series: Series) -> bool:
    values = [value for values in series.vary.values() for value in values]
    is_numbers = not any(isinstance(value, (str, bool)) for value in values)
    return series.measure != ONE_WAY and is_numbers and len(values) > len(series.vary)


def some(items: Sequence[Item], most: int) -> list[Item]:
    """At most so many, evenly spread from the first to the last."""
    if len(items) <= most:
        return list(items)
    return [items[round(at * (len(items) - 1) / (most - 1))] for at in range(most)]


def _few(sizes: Iterable[int], most: int = FEWER) -> tuple[str, ...]:
    return _sizes(some(sorted(sizes), most))


def _sizes(sizes: Iterable[int]) -> tuple[str, ...]:
    return tuple(map(format_size, sizes))
