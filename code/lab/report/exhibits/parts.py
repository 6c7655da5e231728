"""The parts of a time: bars of queries, each of a whole and its parts, which leave what is measured alone."""

from __future__ import annotations

from collections.abc import Sequence

from lab.figures import Parts
from lab.figures.drawers import parts as drawer
from lab.report.errors import ReportError
from lab.report.exhibits.core import Exhibits
from lab.report.exhibits.gallery import Sketch
from lab.report.query.grammar import Reference, parse_query
from lab.report.tex.escape import Markup
from lab.spec.cards import read_card


def parts(
    exhibits: Exhibits, name: str, caption: str, label: str, kinds: Sequence[str], bars: Sequence[Sequence[str]]
) -> Markup:
    """The figure; each bar is its name, the query of the whole, and one for each kind but the last, or nothing."""
    shown = [bar for bar in bars if exhibits.has(*filter(None, bar[1:]))]
    if not shown:
        raise ReportError(f"the data give no bar of {name}", hint="lab query")
    assumed = [any(_is_assumed(exhibits, bar[2 + at]) for bar in shown) for at in range(len(kinds) - 1)]
    keys = dict.fromkeys(key for bar in shown for key in exhibits.numbers.ask(bar[1]).keys)
    drawn = tuple((bar[0], _parts(exhibits, *bar[1:])) for bar in shown)
    data = Parts(name, label, tuple(zip(kinds, [*assumed, False], strict=True)), drawn, tuple(keys))
    return exhibits.put(Sketch(name, caption, data, drawer))


def _parts(exhibits: Exhibits, whole: str, *queries: str) -> tuple[float, ...]:
    """The parts, and what they leave."""
    values = [exhibits.numbers.ask(query).estimate.value if query else 0.0 for query in queries]
    return (*values, exhibits.numbers.ask(whole).estimate.value - sum(values))


def _is_assumed(exhibits: Exhibits, query: str) -> bool:
    """Whether a part is a parameter of a card, and its file calls the value an assumption."""
    part = parse_query(query)[0] if query else None
    card, _, parameter = part.path.partition(".") if isinstance(part, Reference) else ("", "", "")
    if card not in exhibits.numbers.cards:
        return False
    return any(known.origin == "assumed" for key, known in read_card(card).known.items() if key.startswith(parameter))
