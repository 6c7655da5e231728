"""A few seconds on a real link before a long run: does it carry what it should, and how long will the run take?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from statistics import mean

from lab.errors import SiteError
from lab.model.parameters import Counts, Scalar
from lab.plan.plan import Planned, SiteFacts, make_trial
from lab.programs.program import Sample
from lab.records.record import Record
from lab.run.measure import FailedOutcome, measure
from lab.sites.site import Clock, Site, Traits

LONG_RUN = 10  # trials; a shorter run needs no preflight
SMALL, LARGE = Counts(1, 1280, 64), Counts(1 << 20, 40, 4)
AUTO: dict[str, Scalar] = {"post_list": "auto", "signal_every": "auto"}
ONCE: dict[str, Scalar] = {**AUTO, "windows": 20, "until_stable": 0, "least_time_s": 0}
AGAIN = 1.1  # of the least time: the programs' own aim (MARGIN of sweep.c)
PLAUSIBLE_SHARE = 0.1  # of the link's rate; below it, something is likely wrong
WHOLE = ("confirmed", "round_trip", "receive")  # samples that hold all of a message's time
Kind = tuple[str, str, str]


@dataclass(frozen=True)
class Cost:
    """The time of messages of one kind: per message, per byte, and per start of the programs."""

    message_s: float
    byte_s: float
    trial_s: float

    def of(self, counts: Iterable[Counts], starts: int = 1, rounds: int = 1, least_time_s: int = 0) -> float:
        """Seconds of a trial with these counts and so many starts. A size that ends too soon is measured again."""
        each = [(rounds * one.iterations + one.warmup) * (self.message_s + one.size * self.byte_s) for one in counts]
        again = sum(AGAIN * least_time_s for took_s in each if took_s < least_time_s)
        return starts * self.trial_s + sum(each) + again


@dataclass(frozen=True)
class Preflight:
    """The costs that the short trials showed."""

    costs: dict[Kind, Cost]
    link_bytes_per_s: float | None  # as the network card says; a cable of software has no rate

    def estimate_s(self, todo: Iterable[Planned]) -> float:
        """The time of all trials. Peers are taken to be as fast as our programs; they start once for each size."""
        return sum(self._trial_s(each) for each in todo)

    def lines(self, todo: list[Planned]) -> Iterator[str]:
        """The lines to print before a long run."""
        for kind, cost in self.costs.items():
            rate = f"{1e-6 / cost.byte_s:.0f} MB/s at 1 MiB, " if cost.byte_s else ""
            what = f"{rate}{cost.message_s * 1e6:.1f} us a message"
            yield f"preflight: {' '.join(kind)}: 1 MiB verified, {what}"
            share = 1 / cost.byte_s / self.link_bytes_per_s if self.link_bytes_per_s and cost.byte_s else 1.0
            if share < PLAUSIBLE_SHARE:
                yield f"preflight: that is {share:.1%} of what the link can carry: is it the right link?"
        for name, (seconds, deadline_s) in self._too_long(todo).items():
            what = f"a trial of {name} takes about {seconds:.0f} s, and its deadline is {deadline_s} s"
            yield f"preflight: {what} (try: deadline_s = {ceil(2 * seconds)} in [parameters], or fewer iterations)"
        yield f"preflight: {len(todo)} trials, about {self.estimate_s(todo):.0f} s one after the other"

    def _too_long(self, todo: Iterable[Planned]) -> dict[str, tuple[float, int]]:
        """Series with trials that would end at their deadline: the seconds of the longest, and the deadline's."""
        found = sorted((self._trial_s(each), each.trial.job.deadline_s, each.series.name) for each in todo)
        return {name: (seconds, deadline_s) for seconds, deadline_s, name in found if seconds > deadline_s}

    def _trial_s(self, planned: Planned) -> float:
        request = planned.trial.request
        starts, rounds = len(planned.trial.job.steps), request.rounds_least
        return self._cost(planned).of(request.counts, starts, rounds, request.least_time_s)

    def _cost(self, planned: Planned) -> Cost:
        if own := self.costs.get(_kind(planned)):
            return own
        costs = self.costs.values()
        return Cost(*(mean(getattr(each, name) for each in costs) for name in ("message_s", "byte_s", "trial_s")))


def is_wanted(traits: Traits, trials: int) -> bool:
    """The preflight of a long run on a wall clock. Where instructions are the clock, the machine is the link."""
    return traits.clock is Clock.WALL and trials >= LONG_RUN


def preflight(site: Site, facts: SiteFacts, todo: Iterable[Planned]) -> Preflight | None:
    """One short trial of each kind; an error if the link can't work as it says. None without programs of ours."""
    kinds = {_kind(each): each for each in todo if _can_be_tried(each, facts)}
    costs, rate = {}, None
    for kind, planned in kinds.items():
        _run(site, facts, planned, (LARGE,), verify=True)
        record = _run(site, facts, planned, (SMALL, LARGE), verify=False)
        costs[kind], rate = _cost(record), _link_rate(record)
    return Preflight(costs, rate) if costs else None


def _run(site: Site, facts: SiteFacts, planned: Planned, counts: tuple[Counts, ...], *, verify: bool) -> Record:
    """A record with all its checks, which is not kept."""
    parameters = planned.trial.request.parameters.with_values(ONCE | {"verify": verify})
    request = replace(planned.trial.request, counts=counts, parameters=parameters)
    trial = make_trial(planned.series, request, 1, facts, planned.digests)
    try:
        return measure(replace(planned, trial=trial), site, facts)
    except FailedOutcome as error:
        raise SiteError(error.what, where=f"preflight of {request.program}", hint="lab doctor") from error


def _cost(record: Record) -> Cost:
    small_s, large_s = (_message_s(record.samples, each.size) for each in (SMALL, LARGE))
    byte_s = max(0.0, (large_s - small_s) / (LARGE.size - SMALL.size))
    cost = Cost(small_s, byte_s, 0.0)
    host_seconds = record.facts.moment.host_seconds or 0.0
    return replace(cost, trial_s=max(0.0, host_seconds - cost.of((SMALL, LARGE))))


def _message_s(samples: Iterable[Sample], size: int) -> float:
    of_size = (each for each in samples if each.size_bytes == size)
    wanted = [each for each in of_size if each.sample in WHOLE]
    return sum(each.time_ns for each in wanted) / sum(each.messages for each in wanted) / 1e9


def _link_rate(record: Record) -> float | None:
    bits = record.facts.moment.rate_bit_s("client")
    return bits / 8 if bits else None


def _can_be_tried(planned: Planned, facts: SiteFacts) -> bool:
    """Whether the program is ours and has its device; without the device each trial fails with its own sentence."""
    tool = planned.series.tool
    ours = "verify" in tool.uses and tool.build is None
    return ours and facts.can_run(tool)


def _kind(planned: Planned) -> Kind:
    request = planned.trial.request
    return request.program, request.operation, request.measure
