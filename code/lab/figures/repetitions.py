"""Single repetitions, rounds and messages: squares, rounds in order, and tails of times."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import ceil

import numpy as np

from lab.errors import plural
from lab.figures import Axes, Canvas
from lab.figures.figure import Curve, LineLook, Name, check_curves
from lab.figures.marks import INK, MINUS, PALE, SMALL_PT, THIN_SPACE, number, size

ROW_MM = 7.0
LINES = 2  # of squares in a cell
CELL = 0.8  # of a column: the rest keeps neighbours apart
SQUARE = 0.66  # of the distance between two squares
LARGEST_MM = 2.4  # from one square to the next
POINTS_PER_MM = 72 / 25.4
MOST_LABELS = 10
ROUNDS_HEIGHT_MM, TAILS_HEIGHT_MM = 42.0, 52.0
PERCENT = 100.0
LAST = 0.99  # of the messages: a trial has too few samples for more
TICKS, SHARES_IN_WORDS = (0.5, 0.75, 0.9, 0.95, 0.98, LAST), (0.9, 0.95, LAST)
SHARES = [1 - thousandth / 1000 for thousandth in range(500, 9, -1)]


@dataclass(frozen=True)
class MatrixRow:
    """A series: at each column the passed and all repetitions, or None if it was not measured."""

    label: str
    look: LineLook
    cells: tuple[tuple[int, int] | None, ...]
    keys: tuple[str, ...] = ()

    def draw(self, panel: Axes, place: int, column_mm: float) -> None:
        most = max(ceil(total / LINES) for _, total in filter(None, self.cells))
        gap = min(CELL * column_mm / most, LARGEST_MM)
        for is_filled, face in ((True, self.look.colour), (False, "white")):
            spots = [spot for spot, passed in self._spots(gap) if passed is is_filled]
            x, y = [at + right / column_mm for at, right, _ in spots], [place + down / ROW_MM for *_, down in spots]
            (squares,) = panel.plot(x, y, "s", markersize=SQUARE * gap * POINTS_PER_MM, clip_on=False)
            squares.set(markerfacecolor=face, markeredgecolor=self.look.colour, markeredgewidth=0.4)

    def _spots(self, gap: float) -> Iterator[tuple[tuple[int, float, float], bool]]:
        """The column of each square, its distance in mm from the middle of the cell, and whether it is filled."""
        for column, cell in enumerate(self.cells):
            passed, total = cell or (0, 0)
            per_line = ceil(total / LINES)
            for at in range(total):
                right, down = at % per_line - (per_line - 1) / 2, at // per_line - (LINES - 1) / 2
                yield (column, gap * right, gap * down), at < passed

    def ranges(self, columns: Sequence[float]) -> Iterator[str]:
        """Ranges of sizes with equal counts, such as `6 of 6 at 1 B to 32 B`."""
        measured = [(cell, column) for cell, column in zip(self.cells, columns, strict=True) if cell]
        for (passed, total), group in groupby(measured, key=lambda pair: pair[0]):
            sizes = [column for _, column in group]
            last = f" to {size(sizes[-1])}" if len(sizes) > 1 else ""
            yield f"{passed} of {total} at {size(sizes[0])}{last}"


@dataclass(frozen=True)
class Matrix:
    """A square for each repetition of a series (row) at a message size (column), filled if it passed."""

    name: str
    columns: tuple[float, ...]
    rows: tuple[MatrixRow, ...]

    @property
    def alt(self) -> str:
        rows = (f"{row.label} {', '.join(row.ranges(self.columns))}" for row in self.rows)
        return f"Repetitions whose rounds agreed by message size: {'; '.join(rows)}."

    def draw(self, canvas: Canvas) -> None:
        height = ROW_MM * len(self.rows)
        panel = canvas.panel(height)
        self._draw_axes(canvas, panel)
        canvas.settle(height)
        column_mm = canvas.to_mm(panel.bbox.width) / len(self.columns)
        for place, row in enumerate(self.rows):
            row.draw(panel, place, column_mm)

    def _draw_axes(self, canvas: Canvas, panel: Axes) -> None:
        stride = ceil(len(self.columns) / MOST_LABELS)
        panel.set(xlim=(-0.5, len(self.columns) - 0.5), ylim=(len(self.rows) - 0.5, -0.5), xlabel="message size")
        panel.set_xticks(range(0, len(self.columns), stride), [size(column) for column in self.columns[::stride]])
        canvas.named_rows(panel, range(len(self.rows)), [row.label for row in self.rows])
        panel.tick_params(length=0)
        panel.spines[:].set_visible(False)
        for place, row in enumerate(self.rows):
            cells = [cell for cell in row.cells if cell]
            passed = sum(count == total for count, total in cells)
            words = f"{passed} of {plural(len(cells), 'size')}"
            panel.text(len(self.columns) - 0.3, place, words, fontsize=SMALL_PT, va="center")


@dataclass(frozen=True)
class ByRound:
    """Rates in the order of measurement, each over the median of the last rates."""

    name: str
    curves: tuple[Curve, ...]
    band: float  # the permitted difference between the largest and the smallest of the last rates

    @property
    def alt(self) -> str:
        curves = "; ".join(
            f"{curve.label} {len(curve.x)} rounds, from {number(min(_off(curve)))} to {number(max(_off(curve)))} %"
            for curve in self.curves
        )
        return f"Throughput of each round off the median of the last ones: {curves}. The rule asks for {self.band:.0%}."

    def draw(self, canvas: Canvas) -> None:
        check_curves(self.name, self.curves)
        panel = canvas.panel(ROUNDS_HEIGHT_MM)
        most = max(x for curve in self.curves for x in curve.x)
        panel.set(xlim=(0.5, most + 0.5), xlabel="round", ylabel="off the last median")
        canvas.round_ticks(panel.xaxis, 9, lambda value: f"{value:g}", integer=True)
        canvas.label(panel.yaxis, _percent)
        panel.axhspan(-self.band / 2 * PERCENT, self.band / 2 * PERCENT, color=PALE, linewidth=0)
        panel.axhline(0.0, color=INK, linewidth=0.5, zorder=1.5)
        lines = [(panel.plot(curve.x, _off(curve), **curve.look.style)[0], curve.label) for curve in self.curves]
        canvas.legend(lines, ROUNDS_HEIGHT_MM)  # names beside the last points would prolong short curves


def _off(curve: Curve) -> list[float]:
    return [PERCENT * (value - 1) for value in curve.values]


def _percent(value: float) -> str:
    return f"{value:+g}{THIN_SPACE}%".replace("-", MINUS).replace("+0", "0")


@dataclass(frozen=True)
class Distribution:
    label: str
    samples: tuple[float, ...]  # in ns
    look: LineLook
    keys: tuple[str, ...] = ()

    def over_median(self, shares: Sequence[float]) -> list[float]:
        samples = np.asarray(self.samples, dtype=np.float64)
        quantiles = np.quantile(samples, shares, method="inverted_cdf") / np.median(samples)
        return [float(quantile) for quantile in quantiles]

    @property
    def words(self) -> str:
        quantiles = zip(SHARES_IN_WORDS, self.over_median(SHARES_IN_WORDS), strict=True)
        return f"{self.label} {', '.join(f'{value:.3g} at {100 * share:.0f} %' for share, value in quantiles)}"


@dataclass(frozen=True)
class Tails:
    """Distributions of times, each over its median, against the share of samples that are at most as long."""

    name: str
    distributions: tuple[Distribution, ...]

    @property
    def alt(self) -> str:
        words = "; ".join(distribution.words for distribution in self.distributions)
        return f"Time over the median against the share of the messages that take at most so long: {words}."

    def draw(self, canvas: Canvas) -> None:
        panel = canvas.panel(TAILS_HEIGHT_MM, grid=True)
        places, lines = [1 / (1 - share) for share in SHARES], []
        for distribution in self.distributions:
            times = distribution.over_median(SHARES)
            (line,) = panel.step(places, times, where="post", markevery=[-1], **distribution.look.style)
            lines.append(Name(distribution.label, line, places[-1], times[-1]))
        panel.set(xscale="log", xlim=(2, 1 / (1 - LAST)), ylim=(0.97, None))
        ticks = [1 / (1 - tick) for tick in TICKS]
        canvas.ticks(panel.xaxis, ticks, lambda value: f"{100 * (1 - 1 / value):.0f} %")
        panel.set(xlabel="share of the messages that take at most so long", ylabel="time over the median")
        canvas.name_series(lines, TAILS_HEIGHT_MM)
