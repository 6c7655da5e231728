"""Rules for texts that were typed elsewhere: what is read into data that do not say it."""

from __future__ import annotations

from statistics import median

from lab.report.claim import ClaimKind
from lab.report.prose.rules import RULES
from lab.report.prose.statement import Statement

# A step that is so many times the typical one is a jump, not steady growth.
JUMP = 2.0
# A link that is used by less than this part of its rate wants an explanation.
FILLED = 0.5


def value_is_in_the_data(statement: Statement) -> str | None:
    """What is printed is what the data give, to the digits printed."""
    if statement.found is None or statement.value is None or statement.place is None:
        return None
    found = statement.found.estimate.value
    if abs(statement.value - found) > 0.5001 * 10.0**statement.place:
        return f"{statement.value:g} is claimed, the data say {found:g}"
    return None


def spread_is_known(statement: Statement) -> str | None:
    """One run has no spread, and a knee read off by eye no interval."""
    found = statement.found
    if found is None or found.kind in (ClaimKind.CONSTANT, ClaimKind.RATIO) or found.estimate.interval is not None:
        return None
    if found.estimate.n <= 1:
        return "one run or one look: there is no interval, so nothing says how far it can be trusted"
    return None


def effect_was_measured(statement: Statement) -> str | None:
    """A parameter that was never varied has no known effect."""
    if statement.effect_of and statement.effect_of not in statement.varied:
        return f"{statement.effect_of} was never varied"
    return None


def growth_is_steady(statement: Statement) -> str | None:
    """Steady growth has no step that stands out."""
    if statement.steps and max(statement.steps) > JUMP * median(statement.steps):
        return f"it is said to grow steadily, but one step multiplies it by {max(statement.steps):.2g}"
    return None


def number_is_what_was_measured(statement: Statement) -> str | None:
    """A name that says where a number comes from is an interpretation."""
    return f"{statement.cause!r} is an interpretation: it was not measured" if statement.cause else None


def nothing_was_subtracted(statement: Statement) -> str | None:
    """Bytes over a shortened time can exceed any truth where the time is short."""
    if statement.subtracted:
        return f"{statement.subtracted} is taken off the time: for few bytes the throughput can exceed the truth"
    return None


def link_is_filled_or_explained(statement: Statement) -> str | None:
    """More than the link carries is impossible, much less wants a reason."""
    if statement.found is None or not statement.capacity:
        return None
    share = statement.found.estimate.value / statement.capacity
    if share > 1:
        return f"{share:.0%} of the link's rate is impossible"
    if share < FILLED and not statement.explained:
        return f"only {share:.0%} of the link's rate is reached, and nothing says why"
    return None


def same_thing_was_timed(statement: Statement) -> str | None:
    """Two times compare only if the clock held the same in both."""
    ours, theirs = statement.timed
    return f"two different times are compared: {ours}, and {theirs}" if ours != theirs else None


READINGS = (
    *RULES,
    value_is_in_the_data,
    spread_is_known,
    effect_was_measured,
    growth_is_steady,
    number_is_what_was_measured,
    nothing_was_subtracted,
    link_is_filled_or_explained,
    same_thing_was_timed,
)
