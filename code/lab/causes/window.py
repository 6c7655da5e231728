"""Two trials of one series and size, the second with twice the messages: what it executes more is those messages' own.

Neither the start of the programs nor their end is in it, and no mark in the program says where a message begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lab.errors import SpecError
from lab.model.parameters import Counts
from lab.plan.plan import Planned, SiteFacts, Trial, make_trial

KEY_DIGITS = 12


@dataclass(frozen=True)
class Window:
    """Some messages of a series, all of one size."""

    planned: Planned
    counts: Counts
    once: Trial
    twice: Trial

    @property
    def messages(self) -> int:
        """So many more has the second trial."""
        return self.counts.iterations

    @property
    def record(self) -> str:
        """The first letters of the second trial's key: all that its counts follow from."""
        return self.twice.key[:KEY_DIGITS]


def window(planned: Planned, size: int, site: SiteFacts) -> Window:
    """The two trials of a size, by the counts that the plan has for it."""
    counts = next((each for each in planned.trial.request.counts if each.size == size), None)
    if counts is None:
        what = f"{planned.series.name} has no messages of {size} bytes on {site.name}"
        raise SpecError(what, hint="--sizes, or sizes in [causes], of those in its plan")
    double = replace(counts, iterations=2 * counts.iterations)
    once, twice = (_trial(planned, each, site) for each in (counts, double))
    if once.job.steps == twice.job.steps:
        raise SpecError(f"{planned.series.name}: the commands of {planned.series.program} count no messages")
    return Window(planned, counts, once, twice)


def _trial(planned: Planned, counts: Counts, site: SiteFacts) -> Trial:
    request = planned.trial.request
    parameters = replace(request.parameters, until_stable=0)  # each message once
    request = replace(request, counts=(counts,), parameters=parameters)
    return make_trial(planned.series, request, 1, site, planned.digests)
