"""The figures and tables of any experiment, for short.tex and the blocks that a template leaves to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.model.sizes import parse_size
from lab.programs.program import ONE_WAY
from lab.records.table import SIDES
from lab.report.evidence.labels import parameter_words
from lab.report.evidence.parameters import parameter_rows
from lab.report.exhibits.core import ABSENT, grid, size_cell
from lab.report.exhibits.groups import FEW, FEWER, MEASURES, CurveGroup, Groups, Row, SeriesPair, Sweep, some
from lab.report.exhibits.plots import dots, multiples
from lab.report.exhibits.varied import X
from lab.report.tex.numbers import in_words
from lab.report.tex.render import Markup
from lab.report.topics.throughput import exceeds_link

FIRST_MM, LATER_MM = 72.0, 50.0  # the height of a figure on the first page, and of the others
MOST_COLUMNS = 6
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
        height = LATER_MM if self.exhibits.gallery.shown else FIRST_MM
        return self.exhibits.plot(group.name, caption, group.title.lower(), group.curves, limits, height)

    def _dots(self, group: CurveGroup) -> Markup:
        (size,) = group.sizes
        ending = ".time" if group.measure == "throughput" else ""
        rows = [(f"{query}{ending}", name, look) for query, name, look in group.queries]
        words = in_words(parse_size(size))
        caption = f"Time of a message of {words}, median; a line ends at the slowest hundredth."
        return dots(self.exhibits, group.name, caption, "time of a message", size, [(words, rows)])

    def draw_sweep(self, sweep: Sweep) -> Markup:
        """A series against the parameter of which it has most values: a curve for each size, or for each value of the
        next parameter at one size."""
        vary = {name: tuple(map(str, values)) for name, values in sweep.series.vary.items()}
        if sweep.name in self.exhibits.gallery or max(map(len, vary.values())) < 2:
            return Markup("")
        along = max(vary, key=lambda name: len(vary[name]))
        others = [name for name in vary if name != along and len(vary[name]) > 1]
        point = {name: X if name == along else values[0] for name, values in vary.items()}
        if others:
            size, across = sweep.sizes[len(sweep.sizes) // 2], others[0]
            values = some(vary[across], len(SHADES))
            named = [(point | {across: value}, size, f"{across} {value}") for value in values]
            of_size = f", messages of {in_words(parse_size(size))}"
        else:
            named = [(point, size, in_words(parse_size(size))) for size in some(sweep.sizes, len(SHADES))]
            of_size = ""
        curves = [
            (f"{sweep.name}[{', '.join(values.values())}] at {size}", words, shade)
            for (values, size, words), shade in zip(named, SHADES, strict=False)
        ]
        title = MEASURES[sweep.series.measure]
        words = parameter_words(along)
        caption = f"{title} of {sweep.name} against {words}{of_size}."
        is_linear = min(map(float, vary[along])) <= 0
        return self.varied.against(
            sweep.name, caption, (X, words, title.lower()), curves, height=LATER_MM, linear=is_linear
        )

    def tornado(self) -> Markup:
        """The effects of all parameters on a throughput, where several were varied."""
        rows = [
            (f"{name} ({sweep.name})", sweep.pattern(name))
            for sweep in self.sweeps
            if sweep.series.measure == "throughput"
            for name in sweep.varied
        ]
        sizes = sorted({size for sweep in self.sweeps for size in some(sweep.sizes, FEWER)}, key=parse_size)
        if "parameters" in self.exhibits.gallery or len(rows) == 1 or not rows:
            return Markup("")
        caption = "Left of a bar: the value with the worst result; right: the best one, and its gain."
        return self.varied.tornado("parameters", caption, rows, sizes)

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
        """The caption of that table."""
        if not self.groups:
            return f"{MEASURES[self.sweeps[0].series.measure]} of {self.sweeps[0].name} by value and message size."
        return f"{self.groups[0].title} at {'one size' if len(self.groups[0].few) == 1 else 'a few sizes'}."

    def features(self, groups: Iterable[CurveGroup]) -> Markup:
        """The features of each curve of groups of one measure, as far as any curve has them."""
        rows = [(row, group) for group in groups for row in group.queries]
        parts = FEATURES[rows[0][1].measure]
        is_single = all(len(group.sizes) == 1 for _, group in rows)
        columns = {
            head: [
                self.exhibits.cell(part.format(query, group.sizes[0], group.sizes[-1])) for (query, *_), group in rows
            ]
            for head, part in parts.items()
            if not (is_single and "{2}" in part)
        }
        shown = {head: cells for head, cells in columns.items() if any(cell != ABSENT for cell in cells)}
        names = [name for (_, name, _), _ in rows]
        return grid(["series", *shown], zip(names, *shown.values(), strict=True))

    @cached_property
    def fastest(self) -> str:
        """The series of the highest throughput, if any measures one."""
        queries = [row[0] for group in self.groups if group.measure == "throughput" for row in group.curves]
        return max(queries, key=lambda query: self.exhibits.value(f"{query}.peak"), default="")

    @property
    def parameters(self) -> list[list[str | Markup]]:
        """The rows of the table of parameters of an experiment that repeats no report."""
        return [[row.name, row.asked, row.used] for row in parameter_rows(self.evidence)]

    @property
    def examples_of_rounds(self) -> list[tuple[str, str, str, str]]:
        """Three curves at one size each: series, size, name and look."""
        middle = (
            (row, sizes[len(sizes) // 2]) for row in self.rounds[:FEWER] if (sizes := self.exhibits.sizes(row[0]))
        )
        return [(query, size, f"{name}, {in_words(parse_size(size))}", look) for (query, name, look), size in middle]

    def words(self, size: str) -> Markup:
        """A size as a text prints it."""
        return size_cell(size)

    def tables(self, group: CurveGroup) -> list[Markup]:
        """All sizes of a group, at most six curves to a table."""
        parts = (group.queries[at : at + MOST_COLUMNS] for at in range(0, len(group.queries), MOST_COLUMNS))
        return [self._table(part, group.sizes) for part in parts]

    def _table(self, rows: Iterable[Row], sizes: Sequence[str]) -> Markup:
        queries, names, _ = zip(*rows, strict=True)
        return grid(["size", *names], self.exhibits.table(queries, sizes))

    def tables_of(self, sweep: Sweep, most: int = 0) -> list[Markup]:
        """All values of a sweep, at most six sizes to a table, or at a few sizes."""
        sizes, head = some(sweep.sizes, most or len(sweep.sizes)), ", ".join(sweep.series.vary)
        parts = [sizes[at : at + MOST_COLUMNS] for at in range(0, len(sizes), MOST_COLUMNS)]
        return [
            grid([head, *(in_words(parse_size(size)) for size in part)], self._cells(sweep, part)) for part in parts
        ]

    def _cells(self, sweep: Sweep, sizes: Sequence[str]) -> list[list[object]]:
        cell = self.exhibits.cell
        return [[point, *(cell(f"{sweep.name}[{point}] at {size}") for size in sizes)] for point in sweep.points]

    @property
    def impossible(self) -> list[tuple[str, str]]:
        """The curves and sizes whose corrected throughput is, or may be by its interval, above the rate of the link."""
        return [
            (name, size)
            for query, name, _ in self.rounds
            for size in self.exhibits.sizes(query)
            if self._exceeds_link(query, size)
        ]

    def _exceeds_link(self, query: str, size: str) -> bool:
        rate = f"{query}.corrected at {size}"
        if not self.exhibits.has(rate):
            return False
        return exceeds_link(self.exhibits.numbers.ask(rate).estimate, self.evidence.series(query).link.rate_bit_s)

    def tables_of_rounds(self) -> list[Markup]:
        """The rounds at all sizes, two curves to a table."""
        return [self._table_of_rounds(self.rounds[at : at + 2]) for at in range(0, len(self.rounds), 2)]

    def _table_of_rounds(self, rows: Sequence[Row]) -> Markup:
        parts = {"rounds": "rounds", "taken off": "taken_off", "corrected": "corrected"}
        columns = [f"{query}.{part}" for query, *_ in rows for part in parts.values()]
        heads = [f"{name}, {words}" for _, name, _ in rows for words in parts]
        sizes = dict.fromkeys(size for query, *_ in rows for size in self.exhibits.sizes(query))
        return grid(["size", *heads], self.exhibits.table(columns, sorted(sizes, key=parse_size)))
