"""What is wrong with sentences of the published reports beyond the rules that the lab's own reports obey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from lab.report.check.rules import RULES
from lab.report.check.statement import Statement
from lab.report.claim import ClaimKind

# A step that is so many times the typical one is a jump, not steady growth.
JUMP = 2.0
# A link that is used by less than this part of its rate wants an explanation.
FILLED = 0.5


@dataclass(frozen=True)
class Published(Statement):
    """A sentence that was typed without the lab; fields that do not apply are left empty."""

    value: float | None = None  # of its number, in the claim's unit
    effect_of: str = ""  # a parameter that is said to change something
    varied: tuple[str, ...] = ()  # the parameters that the data vary
    steps: tuple[float, ...] = ()  # ratios of neighbours, where the text says that something grows steadily
    cause: str = ""  # what a number is said to be, beyond what was measured
    subtracted: str = ""  # what was taken off the time before dividing
    capacity: float | None = None  # of the link, in the claim's unit
    explained: bool = True  # whether the text says why a link is not filled
    timed: tuple[str, str] = ("", "")  # what the clock held, on both sides of a comparison


def value_is_in_the_data(statement: Published) -> str | None:
    """What is printed is what the data give, to the digits printed."""
    if statement.found is None or statement.value is None or statement.place is None:
        return None
    found = statement.found.estimate.value
    if abs(statement.value - found) > 0.5001 * 10.0**statement.place:
        return f"{statement.value:g} is claimed, the data say {found:g}"
    return None


def spread_is_known(statement: Published) -> str | None:
    """One run has no spread, and a knee read off by eye no interval."""
    found = statement.found
    if found is None or found.kind in (ClaimKind.CONSTANT, ClaimKind.RATIO) or found.estimate.interval is not None:
        return None
    if found.estimate.n <= 1:
        return "one run or one look: there is no interval, so nothing says how far it can be trusted"
    return None


def effect_was_measured(statement: Published) -> str | None:
    """A parameter that was never varied has no known effect."""
    if statement.effect_of and statement.effect_of not in statement.varied:
        return f"{statement.effect_of} was never varied"
    return None


def growth_is_steady(statement: Published) -> str | None:
    """Steady growth has no step that stands out."""
    if statement.steps and max(statement.steps) > JUMP * median(statement.steps):
        return f"it is said to grow steadily, but one step multiplies it by {max(statement.steps):.2g}"
    return None


def number_is_what_was_measured(statement: Published) -> str | None:
    """A name that says where a number comes from is an interpretation."""
    return f"{statement.cause!r} is an interpretation: it was not measured" if statement.cause else None


def nothing_was_subtracted(statement: Published) -> str | None:
    """Bytes over a shortened time can exceed any truth where the time is short."""
    if statement.subtracted:
        return f"{statement.subtracted} is taken off the time: for few bytes the throughput can exceed the truth"
    return None


def link_is_filled_or_explained(statement: Published) -> str | None:
    """More than the link carries is impossible, much less wants a reason."""
    if statement.found is None or not statement.capacity:
        return None
    share = statement.found.estimate.value / statement.capacity
    if share > 1:
        return f"{share:.0%} of the link's rate is impossible"
    if share < FILLED and not statement.explained:
        return f"only {share:.0%} of the link's rate is reached, and nothing says why"
    return None


def same_thing_was_timed(statement: Published) -> str | None:
    """Two times compare only if the clock held the same in both."""
    ours, theirs = statement.timed
    return f"two different times are compared: {ours}, and {theirs}" if ours != theirs else None


READINGS: tuple[Callable[[Published], str | None], ...] = (
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
