"""Estimates of the host's time for trials: from records of their series, a preflight, or a guess."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from lab.errors import RecordError
from lab.model.parameters import Counts
from lab.plan.plan import Planned
from lab.records.record import has_record, read_facts

FIRST_PAIR_S, NEXT_PAIR_S = 3.0, 1.0  # the guess: host seconds of a trial's first pair of programs, and of each further
RECORDS = 5  # of a series are enough for a median
AGAIN = 1.1  # of the least time: what the programs aim at (MARGIN of sweep.c)

Kind = tuple[str, str, str]  # program, operation, measure


def kind_of(planned: Planned) -> Kind:
    request = planned.trial.request
    return request.program, request.operation, request.measure


@dataclass(frozen=True)
class Cost:
    """The time of messages of one kind: per message, per byte, and per start of the programs."""

    message_s: float
    byte_s: float
    trial_s: float

    def of(self, counts: Iterable[Counts], starts: int = 1, rounds: int = 1, least_time_s: int = 0) -> float:
        """Return the seconds of a trial. A size that ends before its least time is measured again."""
        sizes_s = [
            (rounds * size.iterations + size.warmup) * (self.message_s + size.size * self.byte_s) for size in counts
        ]
        again_s = sum(AGAIN * least_time_s for size_s in sizes_s if size_s < least_time_s)
        return starts * self.trial_s + sum(sizes_s) + again_s

    def of_trial(self, planned: Planned) -> float:
        """Return the seconds of a trial. A reference tool starts once for each size, and counts as equally fast."""
        request, parameters = planned.trial.request, planned.trial.request.parameters
        rounds = parameters.round_limits.window if parameters.until_stable else 1
        return self.of(request.counts, len(planned.trial.job.steps), rounds, request.least_time_s)


class TimeEstimate:
    """Host seconds of trials; `measured` are trials that may have records in `results`."""

    def __init__(
        self,
        measured: Iterable[Planned] = (),
        results: Path = Path(),
        costs: Mapping[Kind, Cost] | None = None,
    ) -> None:
        self.costs = costs or {}
        times: dict[tuple[str, str], list[float]] = defaultdict(list)
        for planned in measured:
            series_times = times[_series(planned)]
            if len(series_times) < RECORDS and has_record(results, planned.trial.key):
                with suppress(RecordError):
                    series_times += filter(None, [read_facts(results, planned.trial.key).moment.host_seconds])
        self.medians = {series: median(values) for series, values in times.items() if values}

    def trial_s(self, planned: Planned) -> float:
        """Return the seconds of a trial. The guess is rough, but comparable between series."""
        if (seconds := self.medians.get(_series(planned))) is not None:
            return seconds
        if costs := self.costs.values():
            means = (mean(getattr(cost, name) for cost in costs) for name in ("message_s", "byte_s", "trial_s"))
            return (self.costs.get(kind_of(planned)) or Cost(*means)).of_trial(planned)
        return FIRST_PAIR_S + NEXT_PAIR_S * (len(planned.trial.job.steps) - 1)

    def total_s(self, todo: Iterable[Planned], jobs: int = 1) -> float:
        return sum(map(self.trial_s, todo)) / jobs


def _series(planned: Planned) -> tuple[str, str]:
    return planned.series.program, planned.series.name
