"""A clock that runs for longer than the messages: warm-up or the connection is in a program's time.

The time of so many messages and that of twice as many differ by the messages alone; what is left of the first is
something else. On a site that repeats exactly that is no matter of luck.
"""

from __future__ import annotations

from collections.abc import Iterator

from lab.errors import TrialFailed
from lab.grade.case import GradingSetup
from lab.grade.finding import Flaw
from lab.grade.programs import TIMES, lengthened
from lab.plan.plan import Planned, SiteFacts
from lab.run.measure import measure

# Of a time, the most that may be no message: honest programs wait once for what they have in flight.
MOST_ELSE = 0.2


def overlong(setup: GradingSetup, planned: Planned) -> Iterator[tuple[Flaw, str]]:
    """The first size whose time holds more than its messages."""
    if planned.series.tool.silent:
        return
    try:
        times = [_times(setup, each) for each in (planned, lengthened(planned, SiteFacts.of(setup.site)))]
    except TrialFailed as error:
        yield Flaw.FAILS, f"with twice the messages: {error}"
        return
    for size, time_ns in times[0].items():
        else_ns = (TIMES * time_ns - times[1].get(size, TIMES * time_ns)) // (TIMES - 1)
        if else_ns > MOST_ELSE * time_ns:
            what = f"of the {time_ns} ns for messages of {size} bytes, {else_ns} ns do not grow with their number"
            yield Flaw.CLOCK, what
            return


def _times(setup: GradingSetup, planned: Planned) -> dict[int, int]:
    record = measure(planned, setup.site, SiteFacts.of(setup.site))
    return {each.size_bytes: each.time_ns for each in record.samples}
