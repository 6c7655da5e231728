r"""A student's own figure, `\ownfigure{FILE.csv}{X}{Y}{CAPTION}`, and the two columns of the file that it shows."""

import csv
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from lab.errors import SpecError
from lab.files.bounded import read_bounded
from lab.report.errors import FaultKind, ReportError, TextFault
from lab.report.text.latex import fault, without_comments

MOST_FIGURES, MOST_ROWS, MOST_BYTES, LONGEST_CAPTION = 4, 2_000, 100_000, 600
FORM = r"\ownfigure{FILE.csv}{COLUMN OF X}{COLUMN OF Y}{CAPTION}, on a separate line"
_PLAIN = r"\\.|[^{}\\]"
_CAPTION = rf"(?:{_PLAIN}|\{{(?:{_PLAIN}|\{{(?:{_PLAIN})*\}})*\}})*"  # with braces two deep
_ARGUMENT = r"\s*\{([^{}]*)\}"
_FIGURE = re.compile(rf"\\ownfigure(?![A-Za-z])(?:{_ARGUMENT * 3}\s*\{{({_CAPTION})\}})?", re.DOTALL)
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}\.csv", re.ASCII)
_COLUMN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _/().-]{0,39}", re.ASCII)
_OPENED = re.compile(r"\\(begin|end)\b|\\.|([{}])", re.DOTALL)


@dataclass(frozen=True)
class OwnFigure:
    """A figure of the text, and the range of its command."""

    file: str
    x: str
    y: str
    caption: str
    start: int
    end: int

    @property
    def name(self) -> str:
        return f"own-{self.file.removesuffix('.csv')}"


def own_figures(text: str) -> list[OwnFigure]:
    """All figures with a file, two columns and a caption, in the order of the text."""
    return [figure for _, figure in _commands(without_comments(text)) if figure]


def _commands(bare: str) -> Iterator[tuple[int, OwnFigure | None]]:
    for command in _FIGURE.finditer(bare):
        file, x, y, caption = (part.strip() for part in command.groups(""))
        yield command.start(), None if command[1] is None else OwnFigure(file, x, y, caption, *command.span())


def files_named(text: str) -> list[str]:
    """The data files of a text, without repetitions and without forbidden names."""
    return list(dict.fromkeys(figure.file for figure in own_figures(text) if _FILE.fullmatch(figure.file)))


def own_figures_refused(text: str, file: str, folder: Path, taken: Collection[str]) -> Iterator[TextFault]:
    """Every figure that cannot be drawn; `taken` are the names of other attached files."""
    bare, earlier = without_comments(text), list[str]()
    for start, figure in _commands(bare):
        what, hint = "not a complete figure", FORM
        if figure:
            what, hint = _misplaced(bare, figure, earlier) or _unreadable(folder, figure, taken)
            earlier.append(figure.file)
        if what:
            yield fault(text, file, start, FaultKind.FIGURE, what, hint)


def _misplaced(bare: str, figure: OwnFigure, earlier: list[str]) -> tuple[str, str] | None:
    if len(earlier) >= MOST_FIGURES:
        return f"figure {len(earlier) + 1} from a file (at most {MOST_FIGURES} are printed)", "remove the command"
    if figure.file in earlier:
        return f"{figure.file} has a figure already", "another file for the other columns"
    if not 0 < len(figure.caption) <= LONGEST_CAPTION or re.search(r"\n\s*\n", figure.caption):
        return f"a caption that is empty, longer than {LONGEST_CAPTION} characters or has a blank line", FORM
    opened = [match[1] or match[2] for match in _OPENED.finditer(bare[: figure.start])]
    if opened.count("begin") != opened.count("end") or opened.count("{") != opened.count("}"):
        return "a figure within a list, a table or braces", FORM
    return None


def _unreadable(folder: Path, figure: OwnFigure, taken: Collection[str]) -> tuple[str, str]:
    if figure.file in taken:
        return f"the report attaches a {figure.file} itself", "rename the file"
    try:
        read_points(folder, figure)
    except ReportError as error:
        return str(ReportError(error.what, file=error.file, line=error.line)), error.hint
    return "", ""


def read_points(folder: Path, figure: OwnFigure) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The two columns of a figure; raise if they cannot be drawn."""
    if not _FILE.fullmatch(figure.file):
        raise ReportError(f"{figure.file!r} is not a name of a data file", hint="letters, digits, - and _, then .csv")
    for column in (figure.x, figure.y):
        if not _COLUMN.fullmatch(column):
            raise ReportError(f"{column!r} is not a name of a column", hint="letters, digits, blanks and _ / ( ) . -")
    try:
        text = read_bounded(folder / figure.file, MOST_BYTES).decode()
        rows = list(csv.reader(text.lstrip("\ufeff").splitlines(), strict=True))
    except SpecError as error:
        raise ReportError(error.what, hint="put the file into the folder of the text", file=figure.file) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReportError(f"not CSV in UTF-8: {error}", hint="save it as CSV in UTF-8", file=figure.file) from error
    if not 2 <= len(rows) <= MOST_ROWS + 1:
        what = f"{max(len(rows) - 1, 0)} rows of data (1 to {MOST_ROWS} are drawn)"
        raise ReportError(what, hint="a row of names, then the data", file=figure.file)
    return tuple(_column(rows, figure.x, figure.file)), tuple(_column(rows, figure.y, figure.file))


def _column(rows: list[list[str]], name: str, file: str) -> Iterator[float]:
    head = [title.strip() for title in rows[0]]
    if head.count(name) != 1:
        what = f"no column {name!r}" if name not in head else f"two columns {name!r}"
        raise ReportError(what, hint="one of " + ", ".join(head[:10]), file=file, line=1)
    for line, row in enumerate(rows[1:], 2):
        typed = "".join(row[head.index(name) :][:1]).strip()
        try:
            value = float(typed)
        except ValueError:
            value = float("nan")
        if not isfinite(value) or abs(value) > 1e18 or 0 < abs(value) < 1e-18:
            what, hint = f"{typed!r:.40} in column {name!r} is not a number to draw", "a number such as 1.5e9"
            raise ReportError(what, hint=hint, file=file, line=line)
        yield value
