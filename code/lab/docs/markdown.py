"""Tables of a page, as Markdown spells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(each.replace("|", "\\|") for each in line) + " |\n" for line in lines)
