"""Where the instructions of a message go: a stacked bar for each size, series and end."""

from __future__ import annotations

from collections import defaultdict

from lab.causes.classes import OTHER, WAITING
from lab.figures import Stack, Stacks
from lab.figures.drawers import stacks
from lab.report.evidence.words import words_of
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
    "Where the instructions of a message go at both ends, each a nanosecond; at the right their number without the "
    "waiting. n = 1 count, which gives the same each time. What a trial with twice the messages executes more."
)


def causes(exhibits: Exhibits) -> Markup:
    """The figure; nothing where they were not counted."""
    evidence, groups = exhibits.numbers.evidence, defaultdict[int, list[Stack]](list)
    found = costs(evidence)
    shown = _some(sorted({cost.size for cost in found}))
    for cost in (each for each in found if each.size in shown):
        groups[cost.size].append(Stack(f"{cost.curve.words} {cost.end}", _parts(cost), cost.work))
    if not groups:
        return Markup("")
    site = evidence.plan.site
    data = Stacks("causes", tuple((float(x), tuple(groups[x])) for x in sorted(groups)), KINDS, WAITING, site.name)
    caption = f"{CAPTION} {words_of(site.name, site.traits).caption}"
    return exhibits.put_long(Sketch("causes", caption, data, stacks))


def _parts(cost: MessageCost) -> tuple[tuple[str, float], ...]:
    found = defaultdict[str, float](float)
    for kind, value in cost.parts:
        found[SHOWN.get(kind, OTHER)] += value
    return tuple(found.items())


def _some(sizes: list[int]) -> list[int]:
    """The first, the last and one between them."""
    return sizes if len(sizes) <= MOST_SIZES else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
