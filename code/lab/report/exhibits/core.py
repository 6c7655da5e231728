"""Figures, tables and cells that a template asks for by queries, and the cache of drawn figures."""

import hashlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from lab.analysis.estimate import Estimate
from lab.errors import StorageError
from lab.figures import Canvas
from lab.figures.curves import Sized
from lab.figures.figure import LEAST_INTERVAL, Curve, Figure, HasKeys, LineLook, keys_of
from lab.figures.marks import MARKERS, OTHERS, RDMA, TCP
from lab.files.storage import storage
from lab.files.store import damage, seal
from lab.model.sizes import format_size, parse_size
from lab.places import ROOT
from lab.report.errors import ReportError
from lab.report.query.constants import of_published
from lab.report.query.grammar import QueryError
from lab.report.query.judge import judge
from lab.report.query.numbers import Numbers
from lab.report.query.value import PER_SECOND, PURE, RATE, TIME, Truth, Value
from lab.report.stamp import digest_code
from lab.report.tex.numbers import last_place, number_tex, show, show_exactly, significant
from lab.report.tex.render import Markup, escape


class Drawable(Protocol):
    """The data of a figure, drawn through a canvas, so that data alone needs no matplotlib."""

    @property
    def name(self) -> str: ...
    @property
    def alt(self) -> str: ...
    def draw(self, canvas: Canvas) -> None:
        """Draw the data, or raise a LabError."""


def render(data: Drawable) -> Figure:
    """Draw a figure, the same bytes for the same data; only this loads matplotlib, which takes half a second."""
    from lab.figures.plot import Canvas

    return Figure(*Canvas.render(data.draw))


ABSENT = Markup("--")
DIGITS = 3  # as many as a reader uses; the appendix and the CSV have more
MOST_WORDS = 30  # of a caption
DRAWN_BY = (ROOT / "code" / "lab" / "figures", ROOT / "code" / "lab" / "analysis")
FILES = ("figure.pdf", "figure.png", "figure.svg")  # of a cached figure
KINDS = {RATE: "rate", TIME: "time", PER_SECOND: "messages", PURE: "ratio"}
DASHES = ("solid", "dashed", "dotted")
KERNEL, TOOL, PUBLISHED = "#7b6888", "#000000", "#767676"
# One look for a thing in all reports, which differs in grey too.
LOOKS = {
    "card": LineLook(RDMA),
    "card, inline": LineLook(RDMA, dashes="dashed", is_open=True),
    "TCP": LineLook(TCP, "s"),
    "kernel RDMA": LineLook(KERNEL, "^"),
    "MPI over the card": LineLook(RDMA, "D", "dotted", is_open=True),
    "MPI over TCP": LineLook(TCP, "D", "dotted", is_open=True),
    "MPI over kernel RDMA": LineLook(KERNEL, "D", "dotted", is_open=True),
    "1 B": LineLook("#08304f", "o"),
    "256 B": LineLook(RDMA, "D"),
    "1 KiB": LineLook("#4a98cc", "v"),
    "4 KiB": LineLook("#85bbdb", "P"),
    "depth 1": LineLook(RDMA, "v", "dashed", is_open=True),
    "depth 128": LineLook(RDMA, "D"),
    "tool": LineLook(TOOL, "x", "none"),
    "program": LineLook(OTHERS[0], "P"),
    "bound": LineLook(PUBLISHED, "_", "dashed"),
    "published": LineLook(PUBLISHED, "D", "none", is_open=True),
    "published B": LineLook(PUBLISHED, "v", "none", is_open=True),
}


@dataclass(frozen=True)
class CaptionedFigure:
    caption: str
    data: Any  # a Drawable; its kind follows from the figure's name


Gallery = dict[str, CaptionedFigure]  # the figures of a report by name


def draw(gallery: Gallery, cache: Path) -> dict[str, Figure]:
    """Draw all figures; those that the cache has undamaged are read."""
    code, figures = digest_code(DRAWN_BY), dict[str, Figure]()
    for name, captioned in gallery.items():
        folder = cache / hashlib.sha256(f"{code} {captioned.data!r}".encode()).hexdigest()
        if folder.is_dir() and not damage(folder):
            figures[name] = Figure(*((folder / file).read_bytes() for file in FILES))
            continue
        figures[name] = render(captioned.data)
        with suppress(StorageError), storage(folder):  # a cache that cannot be written does without the figure
            folder.mkdir(parents=True, exist_ok=True)
            for file, content in zip(FILES, figures[name], strict=True):
                (folder / file).write_bytes(content)
            seal(folder)  # last, since the digests mark the figure as whole
    return figures


@dataclass(frozen=True)
class Exhibits:
    """The numbers of an experiment, as a template prints them, and the gallery that its figures go to."""

    numbers: Numbers
    gallery: Gallery

    def holds(self, statement: str) -> bool:
        """Whether a sentence may be printed: its statement is true, and the data have what it names."""
        try:
            return judge(self.numbers, statement).truth is Truth.TRUE
        except QueryError:
            return False

    def has(self, *queries: str) -> bool:
        """Whether the data answer all of these queries."""
        try:
            return all(self.numbers.ask(query) for query in queries)
        except QueryError:
            return False

    def value(self, query: str) -> float:
        return self.numbers.ask(query).estimate.value

    def cell(self, query: str, digits: int = DIGITS, *, interval: bool = True) -> Markup:
        """A number with its unit, and its interval where that is wide; a dash where the data have none."""
        try:
            return cell(self.numbers.ask(query), digits, interval=interval)
        except QueryError:
            return ABSENT

    def table(self, columns: Sequence[str], sizes: Sequence[str | int]) -> list[list[Markup]]:
        """A row for each size: the size, then the answer to each query at it."""
        return [[size_cell(size), *(self.cell(at(query, size)) for query in columns)] for size in sizes]

    def sizes_of(self, name: str) -> list[str]:
        """The sizes of a series or of a published curve, as queries name them."""
        plan = self.numbers.evidence.plan
        series, published = self.numbers.series.get(name), of_published(plan.experiment.name).get(name)
        sizes = series.sizes(plan.site.name) if series else published.sizes if published else ()
        return [format_size(size) for size in sizes]

    def sizes_of_query(self, query: str) -> list[str]:
        names = (*self.numbers.series, *of_published(self.numbers.evidence.plan.experiment.name))
        sizes = {size for name in names for size in self.sizes_of(name)}
        return sorted((size for size in sizes if self.has(f"{query} at {size}")), key=parse_size)

    def curve(self, query: str, *words: str) -> Curve | None:
        """The answers to a query at all sizes that have one, with a name and a look."""
        values = {size: self.numbers.ask(f"{query} at {size}") for size in self.sizes_of_query(query)}
        if not values:
            return None
        keys, estimates = keys_of(values.values()), [value.estimate for value in values.values()]
        if not keys:  # nobody measured them here
            estimates = [replace(estimate, interval=None) for estimate in estimates]
        return Curve(words[0], tuple(map(float, map(parse_size, values))), tuple(estimates), keys, look_of(words))

    def plot(
        self,
        name: str,
        caption: str,
        label: str,
        curves: Sequence[Sequence[str]],
        limits: Iterable[Sequence[str]] = (),
        height: float = 70.0,
    ) -> Markup:
        """A figure of queries against the message size, each with its name and its look; a curve that no data answer is
        left out."""
        drawn = [(row[0], curve) for row in curves if (curve := self.curve(*row))]
        require_data(drawn, "curve", name)
        queries, lines = zip(*drawn, strict=True)
        bounds = tuple((words, self.value(query)) for query, words in limits if self.has(query))
        data = Sized(name, label, self.kind_at_sizes(queries[0]), lines, bounds, height)
        return self.put(caption, data, lines)

    def kind(self, query: str) -> str:
        """What the answer to a query is, as figures name it."""
        return KINDS[self.numbers.ask(query).dimension]

    def kind_at_sizes(self, query: str) -> str:
        return self.kind(f"{query} at {self.sizes_of_query(query)[0]}")

    def put(self, caption: str, data: Drawable, shown: Iterable[HasKeys]) -> Markup:
        """Put a figure into the gallery; return its float, marked if a record of what is shown warns."""
        if len(caption.split()) > MOST_WORDS:
            words = f"{len(caption.split())} words (at most {MOST_WORDS})"
            raise ReportError(f"a caption of {words}: {caption[:40]} ...")
        self.gallery[data.name] = CaptionedFigure(caption, data)
        alt = ("\ufeff" + data.alt).encode("utf-16-be").hex().upper()  # the content in words, for the PDF's readers
        warned = r"\labwarned{}" if self.numbers.evidence.unchecked(keys_of(shown)) else ""
        return Markup(
            "\\begin{labplace}{figure}\n"
            f"  \\labpicture{{figures/{data.name}.pdf}}{{{alt}}}\n"
            f"  \\caption{{{escape(caption)}{warned}}}\\label{{figure:{data.name}}}\n"
            "\\end{labplace}\n"
        )


def require_data(drawn: Sequence[object], what: str, name: str) -> None:
    if not drawn:
        raise ReportError(f"the data give no {what} of {name}", hint="lab query")


def at(query: str, size: str | int) -> str:
    """The query at a size; a unit stays at its end: `card at 4K in bit/s`."""
    bare, sign, unit = query.partition(" in ")
    return f"{bare} at {size}{sign}{unit}"


def grid(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """The rows of a table below their heads, all but the first column flush right."""
    lines = [" & ".join(map(str, map(escape, row))) + r" \\" for row in (heads, *rows)]
    body = "\n".join(["\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"])
    columns = f"@{{}}l*{{{len(heads) - 1}}}{{r}}@{{}}"
    table = f"\\begin{{tabular}}{{{columns}}}\n{body}\n\\end{{tabular}}"
    return Markup(f"\\begin{{labfit}}{table}\\end{{labfit}}")


def size_cell(size: str | int) -> Markup:
    return Markup(show(parse_size(size), "size", 0).tex)


def look_of(words: Sequence[str]) -> LineLook:
    """The look that the last of the words names, or that of a card; `TCP 2` is another one in the colour of `TCP`."""
    base, _, count = words[-1].rpartition(" ")
    if words[-1] in LOOKS or base not in LOOKS or not count.isdecimal():
        return LOOKS.get(words[-1], LOOKS["card"])
    look, at = LOOKS[base], int(count)
    marks = (look.marker, *(mark for mark in MARKERS if mark != look.marker))
    return replace(
        look, marker=marks[(at - 1) % len(marks)], dashes=DASHES[(at - 1) % len(DASHES)], is_open=not look.is_open
    )


def cell(value: Value, digits: int = DIGITS, *, interval: bool = True) -> Markup:
    """`4.17 MB/s`, `4.9 [4.8, 5.5]`."""
    estimate, unit = value.answer, value.shown_unit
    if value.is_exact and not value.is_rounded:
        return Markup(show_exactly(estimate.value, unit).tex)
    last = _last_place(estimate, digits)
    shown = show(estimate.value, unit, last).tex + value.mark
    spread = estimate.interval
    if not interval or spread is None or spread.width <= LEAST_INTERVAL * abs(estimate.value):
        return Markup(shown)
    ends = (show(end, unit, last, estimate.value).number for end in (spread.low, spread.high))
    signed = (number_tex(end) if end.startswith("-") else end for end in ends)  # a minus sign, and no hyphen
    return Markup(rf"{shown} \labinterval{{{', '.join(signed)}}}")


def printed(value: Value) -> str:
    """The number of a cell for a figure: without its interval."""
    return show(value.answer.value, value.shown_unit, _last_place(value.answer, DIGITS)).plain


def _last_place(estimate: Estimate, digits: int) -> int:
    return max(last_place(estimate), significant(estimate.value, digits))
