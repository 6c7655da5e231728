"""The generated parts of a Markdown page: tables, and the places between comments that they fill."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from lab.places import DOCS

PART = re.compile(r"(<!-- make docs: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(each.replace("|", "\\|") for each in line) + " |\n" for line in lines)


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of docs/ with its generated parts renewed; the text around them is written by hand."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(lambda place: f"{place[1]}\n{parts[place[2]].strip()}\n\n{place[3]}", text)
