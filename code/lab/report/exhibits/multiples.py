"""Small panels of queries against the message size, for curves that would hide each other in one."""

from __future__ import annotations

from collections.abc import Sequence

from lab.figures import Curve, Multiples, Panel, PanelRow
from lab.figures.drawers import multiples as drawn
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits, look_of
from lab.report.exhibits.gallery import Sketch
from lab.report.tex.escape import Markup

Queries = Sequence[Sequence[str]]  # each with its name and, where that is another one, its look


def multiples(
    exhibits: Exhibits,
    name: str,
    caption: str,
    titles: Sequence[str],
    rows: Sequence[tuple[str, str, Sequence[Queries]]],
    height: float = 36.0,
) -> Markup:
    """A figure of small panels. A row is a label, `linear` or `log`, and the curves of each title, as `plot` takes
    them; a column whose curves no data answer is left out."""
    _, _, first = rows[0]
    shown = [at for at, queries in enumerate(first) if any(exhibits.curve(*each[:2]) for each in queries)]
    if not shown:
        raise ReportError(f"the data give no curve of {name}", hint="lab query")
    panels = [[_panel(exhibits, titles[at], cells[at], scale) for at in shown] for _, scale, cells in rows]
    labelled = zip(rows, panels, strict=True)
    drawn_rows = tuple(PanelRow(label, tuple(row), scale == "linear") for (label, scale, _), row in labelled)
    return exhibits.put(Sketch(name, caption, Multiples(name, drawn_rows, height), drawn))


def _panel(exhibits: Exhibits, title: str, queries: Queries, scale: str) -> Panel:
    found = [(query, curve, look_of(words)) for query, *words in queries if (curve := exhibits.curve(query, words[0]))]
    steps = [(*step, look.colour) for query, curve, look in found if (step := _step(exhibits, query, curve))]
    steps = steps if scale == "log" else []
    return Panel(title, tuple(curve for _, curve, _ in found), tuple(look for *_, look in found), tuple(steps))


def _step(exhibits: Exhibits, query: str, curve: Curve) -> tuple[float, float] | None:
    """The sizes below and above the largest jump of a series."""
    if not exhibits.has(f"{query}.jump.size"):
        return None
    above = exhibits.numbers.ask(f"{query}.jump.size").estimate.value
    return max(x for x in curve.x if x < above), above
