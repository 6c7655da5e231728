"""What a student's own program must stand: sizes that nobody chose, options that can't be, a server that goes away."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from lab.grade.finding import Flaw
from lab.model.parameters import Counts
from lab.model.trial import DEADLINE_STATUS, NS_PER_S, Ends, Job, Outcome, Step
from lab.plan.plan import Planned
from lab.programs.placeholders import Words, split
from lab.programs.request import Sample
from lab.submission.asked import Demands

KILLED_AFTER_S = 0.25  # of sending, of which there is twice as much to do
# The server, killed after $0 seconds. It is then not said to have failed: the client is left alone with what it sees.
KILLED = '"$@" & sleep "$0"; kill -KILL $!; wait; true'
ALARM = 128 + signal.SIGALRM  # as an exit status: a deadline of the program's own


@dataclass(frozen=True)
class Hardship:
    """A job whose client must end by itself and say that it failed."""

    what: str
    kind: Flaw
    job: Job

    def fault(self, outcome: Outcome) -> str | None:
        """How the client ended instead."""
        status = outcome.steps[0].client_status
        if 0 < status < DEADLINE_STATUS or status == ALARM:
            return None
        ends = {0: "ends well", DEADLINE_STATUS: f"does not end within {self.job.deadline_s} s"}
        return f"{self.what}: the client {ends.get(status, f'is ended by signal {status - 128}')}"


def at_other_sizes(planned: Planned, asked: Demands, ends: Ends) -> Planned:
    """The same trial at the assignment's sizes, with data that both ends check where the program can."""
    counts = tuple(_counts(planned, size) for size in asked.sizes)
    job = _job(planned, counts, ends)
    steps = (Step(_with(step.server, asked.verify), _with(step.client, asked.verify), step.port) for step in job.steps)
    request = replace(planned.trial.request, counts=counts)
    return replace(planned, trial=replace(planned.trial, request=request, job=replace(job, steps=tuple(steps))))


def hardships(planned: Planned, samples: tuple[Sample, ...], asked: Demands, ends: Ends) -> Iterator[Hardship]:
    """All others, each a job of one step; samples are those of the same trial without any of this."""
    job = _job(planned, planned.trial.request.counts[:1], ends)
    (step,) = job.steps[:1]
    for text in asked.refuses:
        other = replace(step, client=_with(step.client, split(text)))
        yield Hardship(f"told {text!r}", Flaw.TAKES_ANYTHING, replace(job, steps=(other,)))
    if asked.no_server:
        yield Hardship("without a server", Flaw.ENDS_WELL, replace(job, steps=(replace(step, server=("true",)),)))
    if asked.killed_server:
        yield Hardship("its server killed while it sent", Flaw.ENDS_WELL, _killed(planned, samples, ends))


def _killed(planned: Planned, samples: tuple[Sample, ...], ends: Ends) -> Job:
    """The largest size, so often that it is being sent when the time is over."""
    size = max(each.size for each in planned.trial.request.counts)
    timed = max((each for each in samples if each.size_bytes == size), key=lambda each: each.time_ns)
    often = ceil(2 * KILLED_AFTER_S * NS_PER_S * max(timed.messages, 1) / max(timed.time_ns, 1))
    job = _job(planned, (replace(_counts(planned, size), iterations=often),), ends)
    (step,) = job.steps
    server = ("sh", "-c", KILLED, str(KILLED_AFTER_S), *step.server)
    return replace(job, steps=(replace(step, server=server),))


def _job(planned: Planned, counts: tuple[Counts, ...], ends: Ends) -> Job:
    """The trial's job with other sizes or counts."""
    request = replace(planned.trial.request, counts=counts)
    return replace(planned.trial.job, steps=planned.series.tool.steps(request, ends))


def _counts(planned: Planned, size: int) -> Counts:
    """As often as the size that was sent least often."""
    return replace(min(planned.trial.request.counts, key=lambda each: each.iterations), size=size)


def _with(command: Words, words: Words) -> Words:
    """Options behind the program's name, before those that the experiment gives."""
    return (*command[:1], *words, *command[1:])
