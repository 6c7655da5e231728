"""Estimates of the host's time for trials from records of their series or by a guess; the preflight on a real link."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from statistics import median

from lab.errors import RecordError, SiteError
from lab.model.parameters import Counts, Scalar
from lab.plan.plan import Planned, SiteFacts, make_trial
from lab.programs.program import Sample
from lab.records.record import Record, has_record, open_record
from lab.run.measure import FailedOutcome, measure
from lab.sites.site import Clock, Site, Traits

FIRST_PAIR_S, NEXT_PAIR_S = 3.0, 1.0  # the guess: host seconds of a trial's first pair of programs, and of each further
RECORDS = 5  # of a series are enough for a median


class TimeEstimate:
    """Host seconds of trials; `measured` are trials that may have records in `results`."""

    def __init__(self, measured: Iterable[Planned] = (), results: Path = Path()) -> None:
        times: dict[tuple[str, str], list[float]] = defaultdict(list)
        for planned in measured:
            series_times = times[_series(planned)]
            if len(series_times) < RECORDS and has_record(results, planned.trial.key):
                with suppress(RecordError):
                    series_times += filter(None, [open_record(results, planned.trial.key).facts().moment.host_seconds])
        self.medians = {series: median(values) for series, values in times.items() if values}

    def trial_s(self, planned: Planned) -> float:
        """Return the seconds of a trial. The guess is rough, but comparable between series."""
        guess_s = FIRST_PAIR_S + NEXT_PAIR_S * (len(planned.trial.job.steps) - 1)
        return self.medians.get(_series(planned), guess_s)

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


def is_wanted(traits: Traits, trials: int) -> bool:
    """Return whether the run is long and on a wall clock; a VM whose clock counts instructions needs no preflight."""
    return traits.clock is Clock.WALL and trials >= LONG_RUN


def preflight(site: Site, facts: SiteFacts, todo: Iterable[Planned]) -> Iterator[str]:
    """Run one short trial of each kind of Verbyte's programs; yield a line about each, and raise if a check fails."""
    kinds = {}
    for planned in todo:
        request, tool = planned.trial.request, planned.series.tool
        # Without its device each trial fails.
        if "verify" in tool.parameters and tool.build is None and facts.can_run(tool):
            kinds[f"{request.program} {request.operation} {request.measure}"] = planned
    for kind, planned in kinds.items():
        _run(site, facts, planned, (LARGE,), verify=True)
        record = _run(site, facts, planned, (SMALL, LARGE), verify=False)
        small_s, large_s = (_message_s(record.samples, counts.size) for counts in (SMALL, LARGE))
        bytes_per_s = (LARGE.size - SMALL.size) / (large_s - small_s) if large_s > small_s else 0.0
        rate = f"{bytes_per_s / 1e6:.0f} MB/s at 1 MiB, " if bytes_per_s else ""
        yield f"preflight: {kind}: 1 MiB verified, {rate}{small_s * 1e6:.1f} us a message"
        share = 8 * bytes_per_s / (record.facts.moment.rate_bit_s("client") or math.inf)
        if 0 < share < PLAUSIBLE_SHARE:
            yield f"preflight: that is {share:.1%} of what the link can carry: is it the right link?"


def _run(site: Site, facts: SiteFacts, planned: Planned, counts: tuple[Counts, ...], *, verify: bool) -> Record:
    """Measure a trial with all checks, without storing its record."""
    parameters = planned.trial.request.parameters.with_values(ONCE | {"verify": verify})
    request = replace(planned.trial.request, counts=counts, parameters=parameters)
    trial = make_trial(planned.series, request, 1, facts, planned.digests)
    try:
        return measure(replace(planned, trial=trial), site, facts)
    except FailedOutcome as error:
        raise SiteError(error.what, where=f"preflight of {request.program}", hint="lab doctor") from error


def _message_s(samples: Iterable[Sample], size: int) -> float:
    whole = [sample for sample in samples if sample.size_bytes == size and sample.sample in WHOLE]
    return sum(sample.time_ns for sample in whole) / sum(sample.messages for sample in whole) / 1e9
