"""The generated parts of a page, and their tables."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lab.places import DOCS

PART = re.compile(r"(<!-- make docs: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def joined(cells: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[tuple[str, ...]]:
    """A line for all cells that have the same rest: these first, then the rest."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for rest, cell in cells:
        lines.setdefault(rest, []).append(cell)
    return (("; ".join(first), *rest) for rest, first in lines.items())


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of docs/ with its generated parts renewed; the text around them is written by hand."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(lambda part: f"{part[1]}\n{parts[part[2]].strip()}\n\n{part[3]}", text)
