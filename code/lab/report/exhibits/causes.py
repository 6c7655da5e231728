"""Where the instructions of a message go: a stacked bar for each size, series and end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from lab.causes.classes import OTHER, WAITING
from lab.figures import Stack, Stacks
from lab.figures.drawers import stacks
from lab.report.exhibits.core import Exhibits
from lab.report.exhibits.gallery import Sketch
from lab.report.tex.escape import Markup
from lab.report.topics.causes import MessageCost, costs

# The kinds of work that a reader tells apart, from the program down to the wire.
SHOWN = {
    "program": "program",
    "user library": "program",
    "system calls": "system calls",
    "wake-ups": "system calls",
    "copies": "copies and checksums",
    "checksums": "copies and checksums",
    "packets": "protocol and driver",
    "buffers": "protocol and driver",
    "card's driver": "protocol and driver",
    WAITING: WAITING,
}
KINDS = (*dict.fromkeys(list(SHOWN.values())[:-1]), OTHER, WAITING)
MOST_SIZES = 3
CAPTION = (
    "Instructions of a message, each a nanosecond; at the right their number. Polls that find nothing are waiting."
)


def causes(exhibits: Exhibits, names: Mapping[str, str] | None = None) -> Markup:
    """The figure, with a report's own names of series; nothing where they were not counted."""
    evidence, groups = exhibits.numbers.evidence, defaultdict[int, list[Stack]](list)
    found = costs(evidence)
    shown = _some(sorted({cost.size for cost in found}))
    for cost in (each for each in found if each.size in shown):
        series = (names or {}).get(cost.curve.series.name, cost.curve.words)
        groups[cost.size].append(Stack(f"{series}, {cost.end}", _parts(cost), cost.work))
    if not groups:
        return Markup("")
    bars = tuple((float(size), tuple(groups[size])) for size in sorted(groups))
    data = Stacks("causes", bars, KINDS, WAITING, evidence.plan.site.name)
    return exhibits.put(Sketch("causes", CAPTION, data, stacks))


def _parts(cost: MessageCost) -> tuple[tuple[str, float], ...]:
    found = defaultdict[str, float](float)
    for kind, value in cost.parts:
        found[SHOWN.get(kind, OTHER)] += value
    return tuple(found.items())


def _some(sizes: list[int]) -> list[int]:
    """The first, the last and one between them."""
    return sizes if len(sizes) <= MOST_SIZES else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
