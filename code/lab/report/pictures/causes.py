"""Where the instructions of a message go: a stacked bar for each size, series and end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lab.causes.classes import OTHER, WAITING
from lab.figures import Stack, Stacks
from lab.figures.drawers import stacks
from lab.report.evidence.evidence import Evidence
from lab.report.pictures.sketch import Sketch
from lab.report.topics.causes import MessageCost, costs

# From the program down to the wire, and then what serves all of them; what is rare joins the others.
KINDS = (
    "program", "user library", "system calls", "copies", "checksums", "packets", "buffers", "card's driver", "wake-ups",
    "locks and lists", OTHER, WAITING,
)  # fmt: skip
CAPTION = (
    "Where the instructions of a message go, by kind of work, at both ends; at the right their number. An instruction "
    "takes a nanosecond of this machine's: the bars of a size are also times, and what is left of a message's time is "
    "waiting."
)
SOURCE = "Counted by function, without samples: what a trial with twice the messages executes more."


def instructions(evidence: Evidence) -> Iterator[Sketch[Stacks]]:
    """One figure, where they were counted."""
    groups = defaultdict[int, list[Stack]](list)
    for cost in costs(evidence):
        groups[cost.size].append(Stack(f"{cost.curve.words} {cost.end}", _parts(cost), cost.work))
    if groups:
        site = evidence.plan.site.name
        data = Stacks("causes", tuple((float(x), tuple(groups[x])) for x in sorted(groups)), KINDS, WAITING, site)
        yield Sketch("causes", CAPTION, data, stacks, source=SOURCE)


def _parts(cost: MessageCost) -> tuple[tuple[str, float], ...]:
    found = defaultdict[str, float](float)
    for kind, value in cost.parts:
        found[kind if kind in KINDS else OTHER] += value
    return tuple(found.items())
