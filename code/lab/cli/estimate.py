"""How long trials will take on this computer: as long as similar trials took, else a first guess."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from statistics import median

from lab.errors import RecordError
from lab.plan.plan import Planned
from lab.records.record import has_record, read_facts

FIRST_GUESS_S = 3.0  # host seconds of a trial with one pair of processes, if none like it was measured
STEP_GUESS_S = 1.0  # for each further pair
LOOK_AT = 5  # records per series are enough for a median


def estimate_s(todo: Iterable[Planned], done: Iterable[Planned], results: Path, jobs: int) -> float:
    """Host seconds for the trials in parallel jobs."""
    costs = _costs(done, results)
    return sum(costs.get(_like(each), guess_s(each)) for each in todo) / jobs


def guess_s(planned: Planned) -> float:
    """By the number of processes alone: far from the truth, but near it from one series to another."""
    return FIRST_GUESS_S + STEP_GUESS_S * (len(planned.trial.job.steps) - 1)


def _costs(done: Iterable[Planned], results: Path) -> dict[str, float]:
    """Median host seconds by series."""
    times: dict[str, list[float]] = defaultdict(list)
    for planned in done:
        known = times[_like(planned)]
        if len(known) < LOOK_AT and has_record(results, planned.trial.key):
            with suppress(RecordError):
                known += filter(None, [read_facts(results, planned.trial.key).moment.host_seconds])
    return {like: median(known) for like, known in times.items() if known}


def _like(planned: Planned) -> str:
    return f"{planned.series.program} {planned.series.name}"
