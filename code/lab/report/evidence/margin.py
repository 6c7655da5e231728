"""The margin between two equal programs on a site, and the sentences about verdicts in captions."""

from __future__ import annotations

from collections.abc import Iterable

from lab.sites.traits import Clock, Traits, fixed

# Of a median. Repetitions start from perturbed instants, which move the stack and the timer: of 1,872 in
# results/reference whose throughput our programs measured on exact, 90 % lie within 1 % of the median of their series
# and size; TCP without Nagle's delay is not among them, whose small messages have two rates far apart. Where the linker
# puts a function, which no repetition moves, moves a program as far.
INSTRUCTIONS = 0.01
# Chosen, not measured: repetitions that run one after the other do not show what another day changes. Two runs of one
# experiment may differ by 10 % (lab.records.tolerance.TOLERANCE): by half of it for either side of a ratio.
WALL = 0.05


def margin_of(traits: Traits) -> float:
    """The margin of a site's clock."""
    return INSTRUCTIONS if traits.clock is Clock.INSTRUCTIONS else WALL


def margin_of_sites(sites: Iterable[str]) -> float:
    """The larger margin of those sites of which only the names are known."""
    known = [fixed(site) for site in sites]
    return max((margin_of(traits) if traits else WALL for traits in known), default=WALL)
