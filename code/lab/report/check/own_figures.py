"""The student's own figures: each stands by itself, and has a file that can be drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.report.check.latex import line_and_column, without_comments
from lab.report.errors import RefusedSentence, ReportError
from lab.report.prose.own_figures import (
    COMMAND,
    FORM,
    LONGEST_CAPTION,
    MOST_FIGURES,
    OwnFigure,
    own_figures,
    read_points,
)

DRAWN = "own figure has its data"
_OPEN = re.compile(r"\\begin\s*\{")
_CLOSED = re.compile(r"\\end\s*\{")
_BRACE = re.compile(r"(?<!\\)[{}]")


def own_figures_refused(text: str, file: str, folder: Path, taken: Iterable[str]) -> Iterator[RefusedSentence]:
    """What is wrong with each; `taken` are names of files that the report attaches itself."""
    bare, figures = without_comments(text), own_figures(text)
    known = {each.start: each for each in figures}
    for found in COMMAND.finditer(bare):
        figure = known.get(found.start())
        what, way = (
            _wrong(figure, bare, figures, frozenset(taken)) if figure else ("it is not written as it must be", FORM)
        )
        if not what and figure:
            what, way = _unreadable(folder, figure)
        if what:
            line, column = line_and_column(bare, found.start())
            yield RefusedSentence(file, line, DRAWN, what, column, bare[found.start() :].splitlines()[0], way)


def _wrong(figure: OwnFigure, bare: str, figures: list[OwnFigure], taken: frozenset[str]) -> tuple[str, str]:
    before = bare[: figure.start]
    braces = [each[0] for each in _BRACE.finditer(before)]
    if len(_OPEN.findall(before)) != len(_CLOSED.findall(before)) or braces.count("{") != braces.count("}"):
        return "it stands within a list, a table or braces", FORM
    if not 0 < len(figure.caption) <= LONGEST_CAPTION or re.search(r"\n\s*\n", figure.caption):
        return f"its caption is empty, has more than {LONGEST_CAPTION} characters or a blank line", FORM
    if figure.file in taken:
        return f"the report attaches a {figure.file} of its own", "another name"
    if [each.file for each in figures].index(figure.file) != figures.index(figure):
        return f"{figure.file} has a figure already", "another file for the other columns"
    if figures.index(figure) >= MOST_FIGURES:
        return f"at most {MOST_FIGURES} figures of your own are printed", "the ones that the text needs"
    return "", ""


def _unreadable(folder: Path, figure: OwnFigure) -> tuple[str, str]:
    try:
        read_points(folder, figure)
    except ReportError as error:
        place = f"{error.file}:{error.line}: " if error.line else f"{error.file}: " if error.file else ""
        return f"{place}{error.what}", error.hint
    return "", ""
