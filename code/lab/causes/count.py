"""Count the instructions of a message: the difference between two trials of one size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lab.causes.symbols import JOB, CodeFiles, Symbols, Tally, codes, parse_counts, parse_kernel
from lab.causes.table import ENDS, Share, difference
from lab.errors import SpecError, TrialFailed
from lab.machine import cpio
from lab.model.parameters import Counts
from lab.model.trial import DAEMON, Job, Step
from lab.plan.plan import Plan, Planned, SiteFacts, Trial, make_trial
from lab.run.checks import failed_steps
from lab.sites.exact import ProfiledSite

KEY_DIGITS = 12
# The VM's init looks every now and then whether the server has ended, each time by a process of its own. If the client
# stays until it has, one look is enough in each trial.
STAY = '"$@"; status=$?; usleep 50000; exit $status'


@dataclass(frozen=True)
class Window:
    """Some messages of a series, all of one size: the second trial sends them twice."""

    planned: Planned
    counts: Counts
    once: Trial
    twice: Trial

    @property
    def messages(self) -> int:
        """The number of messages by which the second trial exceeds the first."""
        return self.counts.iterations

    @property
    def record(self) -> str:
        """The first letters of the second trial's key, which decides its counts."""
        return self.twice.key[:KEY_DIGITS]


def windows(plan: Plan, series: Iterable[str], sizes: Iterable[int]) -> list[Window]:
    """A window of each series and size; of a series that varies something, its first values."""
    first = {planned.series.name: planned for planned in reversed(plan.planned) if planned.repetition == 1}
    if unknown := [name for name in series if name not in first]:
        raise SpecError(f"there is no series {unknown[0]!r}", expected=f"one of {', '.join(first)}")
    sizes = tuple(sizes)
    return [window(first[name], size, plan.site) for name in series for size in sizes]


def window(planned: Planned, size: int, site: SiteFacts) -> Window:
    """The two trials of a size, with the counts that the plan has for it."""
    counts = next((counts for counts in planned.trial.request.counts if counts.size == size), None)
    if counts is None:
        what = f"{planned.series.name} has no messages of {size} bytes on {site.name}"
        raise SpecError(what, hint="--sizes, or sizes in [causes], of those in its plan")
    once = _trial(planned, counts, site)
    twice = _trial(planned, replace(counts, iterations=2 * counts.iterations), site)
    if once.job.steps == twice.job.steps:
        raise SpecError(f"{planned.series.name}: the commands of {planned.series.program} count no messages")
    return Window(planned, counts, once, twice)


def _trial(planned: Planned, counts: Counts, site: SiteFacts) -> Trial:
    request = planned.trial.request
    parameters = replace(request.parameters, until_stable=0)  # each message once
    request = replace(request, counts=(counts,), parameters=parameters)
    return make_trial(planned.series, request, 1, site, planned.digests)


class Profiler:
    """Counts one trial after the other, all on one pair of VMs."""

    def __init__(self, site: ProfiledSite) -> None:
        self.site = site
        self.image = tuple(codes(dict(cpio.contents(site.image().initrd.read_bytes()))))
        self.kernel = parse_kernel(site.run(JOB).steps[0].client_out)

    def shares(self, window: Window) -> Iterator[Share]:
        """The instructions of both ends for the window's messages, the client's first."""
        (once_ns, once), (twice_ns, twice) = self._count(window.once), self._count(window.twice)
        series, size = window.planned.series.name, window.counts.size
        for end, more, less in zip(ENDS, twice, once, strict=True):
            functions = difference(more, less)
            share = Share(series, size, end, window.messages, twice_ns - once_ns, functions, window.record)
            if share.is_of_the_start:
                raise TrialFailed(
                    f"{series}, {size} B: at the {end} the starts of two trials differ by more than the messages "
                    "cost: count another series, or more messages"
                )
            yield share

    def _count(self, trial: Trial) -> tuple[int, list[Tally]]:
        """The time of a trial, and the instructions of each end."""
        job: Job = replace(trial.job, steps=tuple(map(_staying, trial.job.steps)))
        profiled = self.site.count(job)
        if failures := list(failed_steps(profiled.outcome)):
            raise TrialFailed("; ".join(failures))
        symbols = self.symbols(trial.job.overlay)
        time_ns = sum(step.clock_end_ns - step.clock_start_ns for step in profiled.outcome.steps)
        return time_ns, [symbols.tally(parse_counts(text)) for text in (profiled.client, profiled.server)]

    def symbols(self, programs: Iterable[Path]) -> Symbols:
        """The functions of the VM, and of the programs that a trial brings along."""
        overlay = {program.name: program.read_bytes() for program in programs}
        return Symbols(self.kernel, CodeFiles([*self.image, *codes(overlay)]))


def _staying(step: Step) -> Step:
    """The step with a client that stays. A launcher waits for its daemon by itself, and must be the first word."""
    if step.server in ((), DAEMON):
        return step
    return replace(step, client=("sh", "-c", STAY, "sh", *step.client))
