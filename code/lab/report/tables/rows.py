"""Tables as rows of LaTeX cells, whatever they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lab.report.answer import Answer
from lab.report.evidence.curve import STOPS, Subject
from lab.report.tex.escape import Markup
from lab.report.tex.typeset import answer_cell
from lab.report.tex.units import show

INTERVAL, NUMBER = r"\labinterval{", "num{"  # as lab.report.tex.typeset writes them
TOO_FEW = "a bare number: too few repetitions for an interval"


class Captioned:
    """A table whose caption says which of its numbers have intervals."""

    rows: tuple[tuple[Markup, ...], ...]
    bare: str = ""

    @property
    def has_intervals(self) -> bool:
        """Whether any number has its interval beside it."""
        return any(INTERVAL in cell for cell in self._numbers())

    @property
    def why_bare(self) -> str:
        """Why numbers have no interval; nothing where all have one."""
        return self.bare or (TOO_FEW if any(INTERVAL not in cell for cell in self._numbers()) else "")

    def _numbers(self) -> Iterator[Markup]:
        return (cell for row in self.rows for cell in row[1:] if NUMBER in cell)


@dataclass(frozen=True)
class SizeTable(Captioned):
    """A table with a row for each size; the suffix tells a link's table and figures from the main link's."""

    suffix: Markup
    link: str
    stops: str  # where each series' clock stops
    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # the size first
    series: tuple[str, ...]
    about: str = ""  # of ratios: the way of messages, and the meaning of a verdict


@dataclass(frozen=True)
class RowTable(Captioned):
    """A row for each series or pair and a column for each size, where there are many of them over few sizes; or the
    other way round."""

    heads: tuple[Markup, ...]
    rows: tuple[tuple[Markup, ...], ...]  # its label or size, then the values
    series: tuple[str, ...]
    about: str = ""
    bare: str = ""  # which numbers have no interval by design


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
