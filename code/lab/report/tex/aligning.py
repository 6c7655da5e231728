"""Columns of numbers below each other at their decimal points, with their intervals beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.report.tex.escape import Markup

# As lab.report.tex.typeset writes a cell: a number or a dash, its interval, its marks.
_CELL = re.compile(
    r"(?P<number>\\(?:lab)?num\{-?\d+(?:\.(?P<decimals>\d+))?\}|--)"
    r"(?: (?P<interval>\\labinterval\{(?:[^{}]|\{[^{}]*\})*\}))?(?P<mark>(?:\\lab(?:warned|impossible)\{\})*)"
)
_COMMAND = re.compile(r"\\[a-z]+")
_LONG = re.compile(r"(?<![\d.])\d{5,}")


@dataclass(frozen=True)
class NumberCell:
    """A cell that was taken apart."""

    number: str
    decimals: int
    interval: str
    mark: str

    def padded(self, decimals: int, longest: str) -> Markup:
        """With room for the digits and the interval that another cell of its column has."""
        missing = decimals - self.decimals
        point = "." if missing and not self.decimals else ""
        room = rf"\hphantom{{{point}{'0' * missing}}}" if missing else ""
        interval = rf" \labpadded{{{self.interval}}}{{{longest}}}" if longest else ""
        mark = rf"\rlap{{{self.mark}}}" if self.mark else ""
        return Markup(f"{self.number}{room}{interval}{mark}")


def aligned(rows: Iterable[Sequence[Markup]]) -> list[tuple[Markup, ...]]:
    """The same rows; a column of other things than numbers stays as it is."""
    found = list(map(tuple, rows))
    return list(zip(*map(_column, zip(*found, strict=True)), strict=True)) if found else []


def _column(cells: tuple[Markup, ...]) -> tuple[Markup, ...]:
    measured = [_measured(cell) for cell in cells]
    numbers = [each for each in measured if each]
    if not numbers:
        return cells
    decimals = max(each.decimals for each in numbers)
    longest = max((each.interval for each in numbers), key=_width)
    return tuple(each.padded(decimals, longest) if each else cell for cell, each in zip(cells, measured, strict=True))


def _width(interval: str) -> float:
    """In digits: points and commas are half as wide, and a thin space stands between thousands of long numbers."""
    printed = _COMMAND.sub("", interval)
    spaces = sum((len(whole) - 1) // 3 for whole in _LONG.findall(printed))
    return len(printed) - 0.5 * sum(map(printed.count, ".,")) + spaces / 3


def _measured(cell: Markup) -> NumberCell | None:
    found = _CELL.fullmatch(cell)
    if found is None:
        return None
    return NumberCell(found["number"], len(found["decimals"] or ""), found["interval"] or "", found["mark"])
