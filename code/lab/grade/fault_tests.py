"""Tests of a student's program with other sizes, wrong options, no server, and a server that is killed."""

from __future__ import annotations

import secrets
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

from lab.grade.finding import Flaw
from lab.model.parameters import Counts
from lab.model.trial import DEADLINE_STATUS, NS_PER_S, Ends, Job, Outcome, place_under_test
from lab.plan.plan import Planned, steps_of
from lab.programs.placeholders import Words, split
from lab.programs.request import Sample
from lab.submission.assignment import Demands

LARGEST_SEED = 2**31
KILLED_AFTER_S = 0.25  # the client has data for twice this time
# Kills the server after $0 seconds, and what it started. The shell then ends well, so that only the client reports the
# failure.
KILLED = 'setsid "$@" & sleep "$0"; kill -KILL -$!; wait; true'
ALARM = 128 + signal.SIGALRM  # the exit status of a program that its own alarm ended


@dataclass(frozen=True)
class FaultTest:
    """A job with a fault. Its client must end by itself with an error."""

    what: str
    kind: Flaw
    job: Job

    def fault(self, outcome: Outcome) -> str | None:
        """The sentence for a client that ended otherwise, else None."""
        status = outcome.steps[0].client_status
        if 0 < status < DEADLINE_STATUS or status == ALARM:
            return None
        ends = {0: "ends well", DEADLINE_STATUS: f"does not end within {self.job.deadline_s} s"}
        return f"{self.what}: the client {ends.get(status, f'is ended by signal {status - 128}')}"


def at_other_sizes(planned: Planned, asked: Demands, ends: Ends) -> Planned:
    """The same trial at the assignment's sizes, with a seed that nobody could know, and with data that both ends check
    where the program can."""
    planned = _reseeded(planned)
    counts = tuple(_counts(planned, size) for size in asked.sizes)
    job = _job(planned, counts, ends)
    both = ((step, _with(step.server, asked.verify), _with(step.client, asked.verify)) for step in job.steps)
    steps = (replace(step, server=server, client=client) for step, server, client in both)
    request = replace(planned.trial.request, counts=counts)
    return replace(planned, trial=replace(planned.trial, request=request, job=replace(job, steps=tuple(steps))))


def fault_tests(planned: Planned, samples: tuple[Sample, ...], asked: Demands, ends: Ends) -> Iterator[FaultTest]:
    """The assignment's fault tests, each a job of one step; `samples` are of the same trial without a fault."""
    job = _job(planned, planned.trial.request.counts[:1], ends)
    (step,) = job.steps[:1]
    for text in asked.refuses:
        other = replace(step, client=_with(step.client, split(text)))
        yield FaultTest(f"told {text!r}", Flaw.TAKES_ANYTHING, replace(job, steps=(other,)))
    if asked.no_server:
        yield FaultTest("without a server", Flaw.ENDS_WELL, replace(job, steps=(replace(step, server=("true",)),)))
    if asked.killed_server and samples:
        yield FaultTest("its server killed while it sent", Flaw.ENDS_WELL, _killed(planned, samples, ends))


def _killed(planned: Planned, samples: tuple[Sample, ...], ends: Ends) -> Job:
    """The largest size with so many iterations that the client still sends when the server is killed."""
    size = max(each.size_bytes for each in samples)
    timed = max((each for each in samples if each.size_bytes == size), key=lambda each: each.time_ns)
    iterations = ceil(2 * KILLED_AFTER_S * NS_PER_S * max(timed.messages, 1) / max(timed.time_ns, 1))
    job = _job(planned, (replace(_counts(planned, size), iterations=iterations),), ends)
    (step,) = job.steps
    server = ("sh", "-c", KILLED, str(KILLED_AFTER_S), *step.server)
    return replace(job, steps=(replace(step, server=server),))


def _reseeded(planned: Planned) -> Planned:
    request = planned.trial.request
    parameters = replace(request.parameters, seed=secrets.randbelow(LARGEST_SEED))
    return replace(planned, trial=replace(planned.trial, request=replace(request, parameters=parameters)))


def _job(planned: Planned, counts: tuple[Counts, ...], ends: Ends) -> Job:
    """The trial's job with other sizes or counts."""
    request = replace(planned.trial.request, counts=counts)
    return replace(planned.trial.job, steps=steps_of(planned.series, request, ends))


def _counts(planned: Planned, size: int) -> Counts:
    """The counts of the size with the fewest iterations, for another size."""
    return replace(min(planned.trial.request.counts, key=lambda each: each.iterations), size=size)


def _with(command: Words, words: Words) -> Words:
    """The command with these options before those of the experiment, behind the program of the folder."""
    behind = place_under_test(command) + 1
    return (*command[:behind], *words, *command[behind:])
