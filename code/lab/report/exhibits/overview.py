"""The figures and tables of any experiment, for short.tex and the blocks that a template leaves to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.model.sizes import parse_size
from lab.programs.program import ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.labels import PARAMETERS
from lab.report.evidence.parameters import parameter_rows
from lab.report.exhibits.core import ABSENT, grid, size_cell
from lab.report.exhibits.groups import FEW, FEWER, MEASURES, CurveGroup, Groups, Item, Row, SeriesPair, Sweep, some
from lab.report.exhibits.plots import X, against, dots, multiples, tornado
from lab.report.tex.numbers import in_words
from lab.report.tex.render import Markup

FIRST_MM, LATER_MM = 72.0, 50.0  # the height of a figure on the first page, and of the others
MOST_COLUMNS = 6
ROUNDS = {"rounds": "rounds", "taken_off": "taken off", "corrected": "corrected"}  # measures and heads
SHADES = ("1 B", "256 B", "1 KiB", "4 KiB")  # the looks of sizes or values, from the first to the last
# By measure, the heads and queries of a table of features: {0} is a curve, {1} its smallest size, {2} its largest.
FEATURES = {
    "throughput": {
        "highest": "{0}.peak",
        "with": "{0}.peak.size",
        "within a tenth from": "{0}.saturated",
        "largest jump": "{0}.jump",
        "at": "{0}.jump.size",
        "share of the link": "{0}.peak / {0}.link in %",
    },
    "latency": {
        "smallest message": "{0} at {1}",
        "its 99 % quantile": "{0}.p99 at {1}",
        "largest message": "{0} at {2}",
        "1/slope": "{0}.slope",
        "largest jump": "{0}.jump",
        "at": "{0}.jump.size",
    },
    ONE_WAY: {
        "median, smallest message": "{0}.median at {1}",
        "deviation": "{0}.deviation at {1}",
        "median, largest message": "{0}.median at {2}",
        "largest jump": "{0}.jump",
        "at": "{0}.jump.size",
    },
}


@dataclass(frozen=True)
class Overview(Groups):
    """The figures and tables by the names that short.tex uses."""

    def figures(self, groups: Iterable[CurveGroup]) -> list[CurveGroup]:
        """Those that are drawn, or are more than a single number."""
        gallery = self.exhibits.gallery
        return [group for group in groups if group.name in gallery or len(group.sizes) * len(group.curves) > 1]

    def draw(self, group: CurveGroup) -> Markup:
        """The figure of a group, once: where it is drawn already, nothing. A single size is a plot of dots."""
        if group.name in self.exhibits.gallery:
            return Markup("")
        caption = f"{group.title} against the message size" + f", {group.link}" * (len(self.links) > 1) + "."
        if len(group.sizes) == 1:
            return self._dots(group)
        if group.measure == ONE_WAY:
            columns = [[(f"{query}.{side}", name, look) for query, name, look in group.curves] for side in SIDES]
            return multiples(self.exhibits, group.name, caption, SIDES, [("time of a call", "log", columns)], LATER_MM)
        link = f"{group.curves[0][0]}.link"  # `plot` leaves it out where the link has no rate
        limits = [(link, "link")] if group.measure == "throughput" else []
        height = LATER_MM if self.exhibits.gallery else FIRST_MM
        return self.exhibits.plot(group.name, caption, group.title.lower(), group.curves, limits, height)

    def _dots(self, group: CurveGroup) -> Markup:
        (size,) = group.sizes
        ending = ".time" if group.measure == "throughput" else ""
        rows = [(f"{query}{ending}", name, look) for query, name, look in group.queries]
        words = in_words(parse_size(size))
        title = MEASURES["latency"] if group.measure == "throughput" else group.title
        caption = f"{title} at {words}, median; a line ends at the slowest hundredth."
        return dots(self.exhibits, group.name, caption, title.lower(), size, [(words, rows)])

    def draw_sweep(self, sweep: Sweep) -> Markup:
        """A series against the parameter of which it has most values: a curve for each size, or for each value of the
        next parameter at one size."""
        vary = {name: tuple(map(str, values)) for name, values in sweep.series.vary.items()}
        if sweep.name in self.exhibits.gallery or max(map(len, vary.values())) < 2:
            return Markup("")
        along = max(vary, key=lambda name: len(vary[name]))
        others = [name for name in vary if name != along and len(vary[name]) > 1]
        point = {name: X if name == along else values[0] for name, values in vary.items()}
        named, of_size = [(point, size, in_words(parse_size(size))) for size in some(sweep.sizes, len(SHADES))], ""
        if others:
            size, across = sweep.sizes[len(sweep.sizes) // 2], others[0]
            values = some(vary[across], len(SHADES))
            named = [(point | {across: value}, size, f"{across} {value}") for value in values]
            of_size = f", messages of {in_words(parse_size(size))}"
        curves = [
            (f"{sweep.name}[{', '.join(values.values())}] at {size}", words, shade)
            for (values, size, words), shade in zip(named, SHADES, strict=False)
        ]
        words = PARAMETERS.get(along, along)
        caption, axes = f"{sweep.title} of {sweep.name} against {words}{of_size}.", (X, words, sweep.quantity)
        is_linear = min(map(float, vary[along])) <= 0
        return against(self.exhibits, sweep.name, caption, axes, curves, height=LATER_MM, linear=is_linear)

    def tornado(self) -> Markup:
        """The effects of all parameters on a throughput, if several were varied."""
        rows = [
            (f"{name} ({sweep.name})", sweep.pattern(name))
            for sweep in self.sweeps
            if sweep.series.measure == "throughput"
            for name in sweep.varied
        ]
        if "parameters" in self.exhibits.gallery or len(rows) < 2:
            return Markup("")
        sizes = sorted({size for sweep in self.sweeps for size in some(sweep.sizes, FEWER)}, key=parse_size)
        caption = "Left of a bar: the value with the worst result; right: the best one, and its gain."
        return tornado(self.exhibits, "parameters", caption, rows, sizes)

    def ratios(self, name: str, caption: str, compared: Sequence[SeriesPair]) -> Markup:
        """A figure of pairs, each over all sizes that both sides have; nothing where none has two."""
        drawn = [pair.row for pair in compared if len(pair.sizes) > 1][:FEW]
        return self.exhibits.plot(name, caption, "times as fast", drawn, height=LATER_MM) if drawn else Markup("")

    def first(self) -> Markup:
        """The first page's figure: the first group of several sizes, else the effects of parameters, else any."""
        group = next((group for group in self.groups if len(group.sizes) > 1), None)
        if group is None and self.sweeps:
            return self.tornado() or self.draw_sweep(self.sweeps[0])
        return self.draw(group or self.groups[0])

    def five(self) -> Markup:
        """The first page's table: the first group at a few sizes with its first comparisons, else the first sweep."""
        if not self.groups:
            return self.tables_of(self.sweeps[0], FEW)[0]
        rows, few = self.groups[0].queries[:MOST_COLUMNS], self.groups[0].few
        names = {query for query, *_ in rows}
        over = [pair.row for pair in self.compared("transport") if {pair.ours, pair.base} <= names]
        return self._table([*rows, *over[: max(0, MOST_COLUMNS - len(rows))]], few)

    @property
    def about_five(self) -> str:
        if not self.groups:
            return f"{self.sweeps[0].title} of {self.sweeps[0].name} by value and message size."
        return f"{self.groups[0].title} at {'one size' if len(self.groups[0].few) == 1 else 'a few sizes'}."

    def features(self, groups: Iterable[CurveGroup]) -> Markup:
        """The features of each curve of groups of one measure; a feature that no curve has is left out."""
        rows = [(row, group) for group in groups for row in group.queries]
        is_single = all(len(group.sizes) == 1 for _, group in rows)
        columns = {
            head: [
                self.exhibits.cell(part.format(query, group.sizes[0], group.sizes[-1])) for (query, *_), group in rows
            ]
            for head, part in FEATURES[rows[0][1].measure].items()
            if not (is_single and "{2}" in part)
        }
        shown = {head: cells for head, cells in columns.items() if set(cells) != {ABSENT}}
        return grid(["series", *shown], zip((name for (_, name, _), _ in rows), *shown.values(), strict=True))

    @cached_property
    def fastest(self) -> str:
        """The series of the highest throughput, if any measures one."""
        queries = [row[0] for group in self.groups if group.measure == "throughput" for row in group.curves]
        return max(queries, key=lambda query: self.exhibits.value(f"{query}.peak"), default="")

    @property
    def parameters(self) -> list[list[str | Markup]]:
        return [[row.name, row.asked, row.used] for row in parameter_rows(self.evidence)]

    @property
    def examples_of_rounds(self) -> list[tuple[str, str, str, str]]:
        """Three curves at one size each: series, size, name and look."""
        sizes_of = self.exhibits.sizes_of
        rows = ((row, sizes[len(sizes) // 2]) for row in self.rounds[:FEWER] if (sizes := sizes_of(row[0])))
        return [(query, size, f"{name}, {in_words(parse_size(size))}", look) for (query, name, look), size in rows]

    words = staticmethod(size_cell)

    def tables(self, group: CurveGroup) -> list[Markup]:
        """All sizes of a group, at most six curves to a table."""
        return [self._table(rows, group.sizes) for rows in _divided(group.queries, MOST_COLUMNS)]

    def _table(self, rows: Iterable[Row], sizes: Sequence[str]) -> Markup:
        queries, names, _ = zip(*rows, strict=True)
        return grid(["size", *names], self.exhibits.table(queries, sizes))

    def tables_of(self, sweep: Sweep, most: int = 0) -> list[Markup]:
        """All values of a sweep, at most six sizes to a table, or at a few sizes."""
        head = ", ".join(sweep.series.vary)
        tables = []
        for sizes in _divided(some(sweep.sizes, most or len(sweep.sizes)), MOST_COLUMNS):
            queries = {point: [f"{sweep.name}[{point}] at {size}" for size in sizes] for point in sweep.points}
            rows = ([point, *map(self.exhibits.cell, of_point)] for point, of_point in queries.items())
            tables.append(grid([head, *(in_words(parse_size(size)) for size in sizes)], rows))
        return tables

    @property
    def impossible(self) -> list[tuple[str, str]]:
        """The curves and sizes whose corrected throughput is, or may be by its interval, above the rate of the link."""
        return [
            (name, size)
            for query, name, _ in self.rounds
            for size in self.exhibits.sizes_of(query)
            if self.exhibits.has(f"{query}.corrected at {size}") and self._exceeds_link(query, size)
        ]

    def _exceeds_link(self, query: str, size: str) -> bool:
        rate = self.exhibits.numbers.ask(f"{query}.corrected at {size}").estimate
        most = max(rate.value, rate.interval.high) if rate.interval else rate.value
        bit_s = self.evidence.series(query).link.rate_bit_s
        return bit_s is not None and most > bit_s / 8

    def tables_of_rounds(self) -> list[Markup]:
        """The rounds at all sizes, two curves to a table."""
        tables = []
        for rows in _divided(self.rounds, 2):
            parts = [
                (f"{query}.{part}", f"{name}, {words}", look)
                for query, name, look in rows
                for part, words in ROUNDS.items()
            ]
            sizes = dict.fromkeys(size for query, *_ in rows for size in self.exhibits.sizes_of(query))
            tables.append(self._table(parts, sorted(sizes, key=parse_size)))
        return tables


def _divided(items: Sequence[Item], most: int) -> list[Sequence[Item]]:
    return [items[start : start + most] for start in range(0, len(items), most)]
