"""The figures of repeated rounds: which repetitions agreed, and the rounds of one that did beside one that did not."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from lab.analysis.estimate import Estimate
from lab.figures import ByRound, Curve, Matrix, MatrixRow, drawers
from lab.model.sizes import parse_size
from lab.report.exhibits.core import Exhibits, look_of
from lab.report.exhibits.gallery import Sketch
from lab.report.query.measures import MeasuredCurve
from lab.report.tex.escape import Markup

PASSED = "Repetitions whose rounds agreed"


def agreed(exhibits: Exhibits, name: str, caption: str, rows: Sequence[Sequence[str]]) -> Markup:
    """A row for each series with its name and look, a square for each repetition at each size."""
    curves = [(_curve(exhibits, series), words) for series, *words in rows if series in exhibits.numbers.series]
    columns = sorted({size for curve, _ in curves for size in curve.sizes})
    drawn = tuple(_row(curve, words, columns) for curve, words in curves)
    data = Matrix(name, PASSED, tuple(map(float, columns)), drawn)
    return exhibits.put(Sketch(name, caption, data, drawers.matrix))


def by_round(exhibits: Exhibits, name: str, caption: str, curves: Sequence[Sequence[str]]) -> Markup:
    """The rounds of the first repetition of series at sizes: series, size, name and look of each."""
    drawn = tuple(_rounds(_curve(exhibits, series), parse_size(size), words[0]) for series, size, *words in curves)
    band = _curve(exhibits, curves[0][0]).limits.target
    data = ByRound(name, drawn, tuple(look_of(words) for words in curves), band)
    return exhibits.put(Sketch(name, caption, data, drawers.by_round))


def _rounds(curve: MeasuredCurve, size: int, label: str) -> Curve:
    """The rate of each round of the first repetition over the median of those that the stop rule looked at last."""
    rates = curve.rounds[size].rates[0]
    last = median(rates[-curve.limits.window :])
    over = tuple(Estimate(rate / last, None, 1) for rate in rates)
    return Curve(label, tuple(float(number) for number, _ in enumerate(rates, 1)), over, curve.subject.keys([size]))


def _curve(exhibits: Exhibits, name: str) -> MeasuredCurve:
    return exhibits.numbers.curve(exhibits.numbers.series[name], {}, "", "")


def _row(curve: MeasuredCurve, words: Sequence[str], columns: Sequence[int]) -> MatrixRow:
    cells = tuple((part.reached, len(part.counts)) if (part := curve.rounds.get(size)) else None for size in columns)
    return MatrixRow(words[0], look_of(words), cells, curve.subject.keys(curve.sizes))
