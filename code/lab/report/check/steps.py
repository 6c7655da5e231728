"""Knees and steps of times: where a call or a line is said to have one, the data have one there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from lab.analysis.verdict import apart
from lab.report.check.lines import DENIED
from lab.report.check.numbers import Sort
from lab.report.check.objection import Objection, against
from lab.report.check.sentence import Clause, Sentence, sizes_in
from lab.report.check.shapes import KNEE, WIDER
from lab.report.check.times import calls_named, names_of, times_of
from lab.report.claim import Claim

STEP_ENDS, LEAP = 2, 0.2  # sizes; and how much longer the second takes where a person sees a step
BESIDE = 1.05  # the same of a step, whose ends are two sizes that were sent
_STEP = re.compile(
    r"\b(?:jumps?|jumped|leaps?|steps? (?:of|at|between|up|lies)|(?:an?|the|their|its|no|any) step|no jump|breaks?|"
    r"takes? (?:suddenly |much )?longer from|(?:becomes?|"
    r"gets?) (?:slower|longer|more expensive))\b",
    re.I,
)
_CHANGE = re.compile(r"\b(?:chang\w*|var(?:y|ies)|differs?|mov\w*|ris\w*|increas\w*)\b", re.I)
_BELOW = re.compile(r"\b(?:less|smaller|lower) than (?:a |one )?\Z|\b(?:below|under) (?:a |one )?\Z", re.I)
_ABOVE = re.compile(r"\b(?:more|larger|higher) than (?:a |one )?\Z|\b(?:above|beyond|over) (?:a |one )?\Z", re.I)
_SEVERAL = re.compile(
    r"\b(?:several|some|a few|many|hundreds of|tens of|dozens of) (?P<unit>hundred bytes|ki\w*bytes?|me\w*bytes?)\b",
    re.I,
)
_SHARED = re.compile(r"\bthe same (?:\w+ )?(?:steps?|jumps?|leaps?|knees?|breaks?)\b", re.I)
_UNITS = {"hundred": 100, "ki": 1024, "me": 1024**2}


@dataclass(frozen=True)
class StepPlace:
    """Where the data have a knee or a step."""

    claim: Claim
    low: float
    high: float
    is_step: bool

    def is_near(self, sizes: tuple[int, ...]) -> bool:
        wider = BESIDE if self.is_step else WIDER
        return not sizes or any(self.low / wider <= each <= self.high * wider for each in sizes)

    def is_within(self, low: float, high: float) -> bool:
        return low < self.high and self.low < high


def steps_are_there(sentence: Sentence) -> Iterator[Objection]:
    """A knee or step of a time lies where it is said to, and is not denied where it lies."""
    for part in sentence.parts:
        names = _series(part)
        if (
            not part.is_stated
            or not names
            or any(each.name.endswith((".knee", ".step", ".over_small")) for each in part.uses)
        ):
            continue
        places = list(_places(part, names))
        for pattern, kind in ((KNEE, "knee"), (_STEP, "step")):
            if (found := pattern.search(part.words)) and (what := _wrong(kind, places, part, found)):
                yield Objection(what, part.start + found.start(), tuple(each.group for each in part.mentions))
        if what := _unshared(part):
            yield Objection(what, part.start)
        if what := _kept(places, part):
            yield Objection(what, part.start)


def _series(part: Clause) -> set[str]:
    """Of the programs named, where times were measured; what throughput does is a matter of shape."""
    groups, ledger = {each.group for each in part.mentions or part.sentence.mentions}, part.sentence.ledger
    named = {name for group in groups for name in names_of(group, part)}
    names = named or {each.name for each in ledger.setting.strands if calls_named(part.words)[0]}
    return set() if any(f"{name}.peak" in ledger for name in names) else names


def _places(part: Clause, names: set[str]) -> Iterator[StepPlace]:
    calls, modes = calls_named(part.words)
    for claim in part.sentence.ledger.values():
        parts = {*claim.name.split(".")}
        if (
            not {*claim.series} & names
            or (calls and not parts & {*calls, "fit"})
            or (modes and not parts & {*modes, "fit"})
        ):
            continue
        interval = claim.estimate.interval
        if claim.name.endswith(".knee") and interval:
            yield StepPlace(claim, interval.low, interval.high, is_step=False)
        elif claim.name.endswith((".leap.from", ".fit.break.from")):
            end = part.sentence.ledger[claim.name.removesuffix("from") + "to"]
            yield StepPlace(claim, claim.estimate.value, end.estimate.value, is_step=True)


def _wrong(kind: str, places: list[StepPlace], part: Clause, found: re.Match[str]) -> str:
    fitting = [each for each in places if kind == "step" or not each.is_step] or places
    if DENIED.search(part.words[: found.end()]):
        there = [each for each in places if each.is_step and each.is_near(sizes_in(part))]
        leaps = [] if there or kind != "step" else list(_leaps(part))
        of_all = kind == "step" and re.search(
            r"\b(?:no|without (?:an?|any)|nowhere (?:an?|any)) (?:\w+ )?(?:step|break|jump|leap)", part.words, re.I
        )
        if of_all and leaps:
            return f"there is one: {against(*leaps[0])}"
        return f"there is one: \\claim{{{there[0].claim.name}}}" if there and of_all else ""
    if not fitting:
        return "" if kind == "step" and _is_apart(part) else f"the data support no {kind} there"
    sizes, bounds = sizes_in(part), _bounds(part)
    is_there = any(each.is_within(*bounds) if bounds else each.is_near(sizes) for each in fitting)
    return "" if is_there else f"a {kind} lies at \\claim{{{fitting[0].claim.name}}}"


def _leaps(part: Clause) -> Iterator[tuple[Claim, Claim]]:
    """Two sizes of which the second takes much longer, between steps that bring little: within those that are named."""
    low, high = (min(sizes_in(part)), max(sizes_in(part))) if len(sizes_in(part)) > 1 else (0, math.inf)
    for times in times_of(part):
        curve = [times[size] for size in sorted(times) if low <= size <= high]
        steps = [second.estimate.value / first.estimate.value for first, second in pairwise(curve)]
        for place in range(1, len(steps) - 1):
            if steps[place] > 1 + LEAP and max(steps[place - 1], steps[place + 1]) < 1 + LEAP / 2:
                yield curve[place], curve[place + 1]


def _is_apart(part: Clause) -> bool:
    """Where no step was looked for: the second of two sizes takes much longer than the first."""
    sizes = sorted(sizes_in(part))
    if len(sizes) != STEP_ENDS:
        return False
    pairs = [(each[sizes[0]], each[sizes[1]]) for each in times_of(part) if {*sizes} <= each.keys()]
    return any(
        apart(low.estimate, high.estimate, LEAP) and low.estimate.value < high.estimate.value for low, high in pairs
    )


def _bounds(part: Clause) -> tuple[float, float] | None:
    """`at less than 128 bytes`, `at several kibibytes`: where it is said to lie, if not at a size."""
    sizes = [each for each in part.numbers if each.sort is Sort.SIZE]
    if len(sizes) == 1:
        before, size = part.sentence.words[: sizes[0].start], sizes[0].values[0]
        return (0, size) if _BELOW.search(before) else (size, math.inf) if _ABOVE.search(before) else None
    found = _SEVERAL.search(part.words) if not sizes else None
    unit = next((unit for name, unit in _UNITS.items() if found and found["unit"].lower().startswith(name)), 0)
    return (1.5 * unit, 600 * unit) if unit else None


def _unshared(part: Clause) -> str:
    """`TCP makes the same step as RDMA`: where one of them has none."""
    named = list(dict.fromkeys(each.group for each in part.mentions))
    if len(named) != 2 or not _SHARED.search(part.words) or DENIED.search(part.words):
        return ""
    steps = {each: [place for place in _places(part, names_of(each, part)) if place.is_step] for each in named}
    alone = [each for each in named if not any(place.is_near(sizes_in(part)) for place in steps[each])]
    return f"{alone[0]} makes none there" if len(alone) == 1 else ""


def _kept(places: list[StepPlace], part: Clause) -> str:
    """`does not change between 4087 and 4088 bytes` is false where a step lies between."""
    found, sizes = _CHANGE.search(part.words), sizes_in(part)
    if found is None or not DENIED.search(part.words[: found.start()]) or len(sizes) < 2:
        return ""
    within = [each for each in places if each.is_step and min(sizes) <= each.low and each.high <= max(sizes)]
    return f"there is a step: \\claim{{{within[0].claim.name.removesuffix('.from')}}}" if within else ""
