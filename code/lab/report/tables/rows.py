"""Tables as rows of LaTeX cells, whatever they are about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lab.report.answer import Answer
from lab.report.evidence.curve import STOPS, Subject
from lab.report.tex.escape import Markup
from lab.report.tex.typeset import answer_cell
from lab.report.tex.units import show


@dataclass(frozen=True)
class SizeTable:
    """A table with a row for each size; the suffix tells a link's table and figures from the main link's."""

    suffix: Markup
    link: str
    stops: str  # where each series' clock stops
    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # the size first
    series: tuple[str, ...]
    about: str = ""  # of ratios: the way of messages, and the meaning of a verdict


@dataclass(frozen=True)
class RowTable:
    """A row for each series or pair and a column for each size, where there are many of them over few sizes; or the
    other way round."""

    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # its label or size, then the values
    series: tuple[str, ...]
    about: str = ""


def stops_of(curves: Iterable[Subject]) -> str:
    """`RDMA WRITE, TCP to the receiver's confirmation; ib_write_bw to the sender's last completion`."""
    by_stop: dict[str, list[str]] = {}
    for curve in curves:
        by_stop.setdefault(STOPS[curve.column], []).append(curve.words)
    return "; ".join(f"{', '.join(names)} to {stop}" for stop, names in by_stop.items())


def cell_if(answer: Answer | None, scale: float = 1.0) -> Markup:
    """An answer as a cell; empty where the series does not have this size."""
    return answer_cell(answer, scale) if answer else Markup("")


def size_cell(size: int) -> Markup:
    return Markup(show(size, "size", 0).tex)
