"""Estimates of the host's time for trials: from records of their series, a preflight on a real link, or a guess."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import mean, median

from lab.errors import RecordError, SiteError
from lab.model.parameters import Counts, Scalar
from lab.plan.plan import Planned, SiteFacts, make_trial
from lab.programs.program import Sample
from lab.records.record import Record, has_record, read_facts
from lab.run.measure import FailedOutcome, measure
from lab.sites.site import Clock, Site, Traits

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


LONG_RUN = 10  # trials; a shorter run needs no preflight
SMALL, LARGE = Counts(1, 1280, 64), Counts(1 << 20, 40, 4)
ONCE: dict[str, Scalar] = {
    **{"post_list": "auto", "signal_every": "auto"},
    **{"windows": 20, "until_stable": 0, "least_time_s": 0, "duration_s": 0},
    **{"pairs": 1, "streams": 1, "both": False, "connection": "rc", "pace": 0},
}
PLAUSIBLE_SHARE = 0.1  # of the link's rate; below it, something is likely wrong
WHOLE = ("confirmed", "round_trip", "receive")  # samples that include all of a message's time


@dataclass(frozen=True)
class Preflight:
    costs: dict[Kind, Cost]
    link_bytes_per_s: float | None  # the NIC's rate; a veth pair reports none

    def lines(self, todo: list[Planned]) -> Iterator[str]:
        estimate = TimeEstimate(costs=self.costs)
        for kind, cost in self.costs.items():
            rate = f"{1e-6 / cost.byte_s:.0f} MB/s at 1 MiB, " if cost.byte_s else ""
            what = f"{rate}{cost.message_s * 1e6:.1f} us a message"
            yield f"preflight: {' '.join(kind)}: 1 MiB verified, {what}"
            share = 1 / cost.byte_s / self.link_bytes_per_s if self.link_bytes_per_s and cost.byte_s else 1.0
            if share < PLAUSIBLE_SHARE:
                yield f"preflight: that is {share:.1%} of what the link can carry: is it the right link?"
        times = sorted(
            (estimate.trial_s(planned), planned.trial.job.deadline_s, planned.series.name) for planned in todo
        )
        too_long = {name: (seconds, deadline_s) for seconds, deadline_s, name in times if seconds > deadline_s}
        for name, (seconds, deadline_s) in too_long.items():
            what = f"a trial of {name} takes about {seconds:.0f} s, and its deadline is {deadline_s} s"
            yield f"preflight: {what} (try: deadline_s = {ceil(2 * seconds)} in [parameters], or fewer iterations)"
        yield f"preflight: {len(todo)} trials, about {estimate.total_s(todo):.0f} s one after the other"


def is_wanted(traits: Traits, trials: int) -> bool:
    """Return whether the run is long and on a wall clock; a VM whose clock counts instructions needs no preflight."""
    return traits.clock is Clock.WALL and trials >= LONG_RUN


def preflight(site: Site, facts: SiteFacts, todo: Iterable[Planned]) -> Preflight | None:
    """Run one short trial of each kind; raise if a check fails. Return None for a run without Verbyte's programs."""
    tools = ((planned, planned.series.tool) for planned in todo)
    kinds = {
        kind_of(planned): planned
        for planned, tool in tools
        if "verify" in tool.uses and tool.build is None and facts.can_run(tool)  # without its device each trial fails
    }
    costs, rate = {}, None
    for kind, planned in kinds.items():
        _run(site, facts, planned, (LARGE,), verify=True)
        record = _run(site, facts, planned, (SMALL, LARGE), verify=False)
        costs[kind], rate = _cost(record), record.facts.moment.rate_bit_s("client")
    return Preflight(costs, rate / 8 if rate else None) if costs else None


def _run(site: Site, facts: SiteFacts, planned: Planned, counts: tuple[Counts, ...], *, verify: bool) -> Record:
    """Measure a trial with all checks, without storing its record."""
    parameters = planned.trial.request.parameters.with_values(ONCE | {"verify": verify})
    request = replace(planned.trial.request, counts=counts, parameters=parameters)
    trial = make_trial(planned.series, request, 1, facts, planned.digests)
    try:
        return measure(replace(planned, trial=trial), site, facts)
    except FailedOutcome as error:
        raise SiteError(error.what, where=f"preflight of {request.program}", hint="lab doctor") from error


def _cost(record: Record) -> Cost:
    small_s, large_s = (_message_s(record.samples, counts.size) for counts in (SMALL, LARGE))
    cost = Cost(small_s, max(0.0, (large_s - small_s) / (LARGE.size - SMALL.size)), 0.0)
    host_seconds = record.facts.moment.host_seconds or 0.0
    return replace(cost, trial_s=max(0.0, host_seconds - cost.of((SMALL, LARGE))))


def _message_s(samples: Iterable[Sample], size: int) -> float:
    whole = [sample for sample in samples if sample.size_bytes == size and sample.sample in WHOLE]
    return sum(sample.time_ns for sample in whole) / sum(sample.messages for sample in whole) / 1e9
