"""A clock that runs for longer than the messages: warm-up or the connection is in a program's time.

The time of so many messages and that of twice as many differ by the messages alone; what is left of the first is
something else. On a site that repeats exactly that is no matter of luck.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lab.errors import TrialFailed
from lab.grade.case import GradingSetup
from lab.grade.finding import Flaw
from lab.plan.plan import Planned, SiteFacts
from lab.programs.request import Request
from lab.run.measure import measure

# Of a time, the most that may be no message: honest programs wait once for what they have in flight.
MOST_ELSE = 0.2


def overlong(setup: GradingSetup, planned: Planned) -> Iterator[tuple[Flaw, str]]:
    """The first size whose time holds more than its messages."""
    if planned.series.tool.silent:
        return
    try:
        times = [_times(setup, planned, factor) for factor in (1, 2)]
    except TrialFailed as error:
        yield Flaw.FAILS, f"with twice the messages: {error}"
        return
    for size, time_ns in times[0].items():
        else_ns = 2 * time_ns - times[1].get(size, 2 * time_ns)
        if else_ns > MOST_ELSE * time_ns:
            what = f"of the {time_ns} ns for messages of {size} bytes, {else_ns} ns do not grow with their number"
            yield Flaw.CLOCK, what
            return


def _times(setup: GradingSetup, planned: Planned, factor: int) -> dict[int, int]:
    request = planned.trial.request
    counts = tuple(replace(each, iterations=factor * each.iterations) for each in request.counts)
    longer = _with(planned, replace(request, counts=counts), setup)
    record = measure(longer, setup.site, SiteFacts.of(setup.site))
    return {each.size_bytes: each.time_ns for each in record.samples}


def _with(planned: Planned, request: Request, setup: GradingSetup) -> Planned:
    job = replace(planned.trial.job, steps=planned.series.tool.steps(request, setup.site.ends))
    return replace(planned, trial=replace(planned.trial, request=request, job=job))
