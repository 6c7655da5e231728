"""Count the instructions of a message: the difference between two sizes of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from lab.causes import symbols as counts
from lab.causes.symbols import JOB, CodeFiles, Kernel, Symbols, Tally, codes, parse_kernel
from lab.causes.table import ENDS, Share, difference
from lab.errors import SpecError, TrialFailed
from lab.machine import cpio
from lab.model.parameters import Counts
from lab.model.trial import DAEMON, Job, Step
from lab.plan.plan import Plan, Planned, SiteFacts, Trial, make_trial
from lab.run.checks import failed_steps
from lab.sites.exact import ProfiledSite

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


# The machine's first program looks every now and then whether the server has ended, each time by a process of its own.
# When the client stays until it has, one look is enough in each trial.
STAY = '"$@"; status=$?; usleep 50000; exit $status'


@dataclass(frozen=True)
class _Counted:
    """One trial: its time, and the instructions of each end."""

    time_ns: int
    ends: tuple[Tally, ...]


class Profiler:
    """Counts one trial after the other, all on one pair of machines."""

    def __init__(self, site: ProfiledSite) -> None:
        self.site = site
        self.image = codes(dict(cpio.contents(site.image().initrd.read_bytes())))
        self.kernel: Kernel = parse_kernel(site.run(JOB).steps[0].client_out)

    def shares(self, wanted: Window) -> Iterator[Share]:
        """What both ends spent on the window's messages, the client's first."""
        once, twice = self._count(wanted.once), self._count(wanted.twice)
        size, messages = wanted.counts.size, wanted.messages
        for end, more, less in zip(ENDS, twice.ends, once.ends, strict=True):
            functions, time_ns = difference(more, less), twice.time_ns - once.time_ns
            found = Share(wanted.planned.series.name, size, end, messages, time_ns, functions, wanted.record)
            if found.is_of_the_start:
                raise TrialFailed(
                    f"{found.series}, {size} B: at the {end} the starts of two trials differ by more than the messages "
                    "cost: count another series, or more messages"
                )
            yield found

    def symbols(self, programs: Iterable[Path]) -> Symbols:
        """The functions of the machine, and of programs that a trial brings along."""
        own = {each.name: each.read_bytes() for each in programs}
        return Symbols(self.kernel, CodeFiles([*self.image, *codes(own)]))

    def _count(self, trial: Trial) -> _Counted:
        found = self.site.count(_staying(trial.job))
        if failures := list(failed_steps(found.outcome)):
            raise TrialFailed("; ".join(failures))
        symbols = self.symbols(trial.job.overlay)
        time_ns = sum(step.clock_end_ns - step.clock_start_ns for step in found.outcome.steps)
        return _Counted(
            time_ns, tuple(symbols.tally(counts.parse_counts(each)) for each in (found.client, found.server))
        )


def _staying(job: Job) -> Job:
    return replace(job, steps=tuple(map(_stays, job.steps)))


def _stays(step: Step) -> Step:
    """A launcher waits for its daemon by itself, and must be the first word."""
    if step.server in ((), DAEMON):
        return step
    return replace(step, client=("sh", "-c", STAY, "sh", *step.client))


def windows(plan: Plan, series: Iterable[str], sizes: Iterable[int]) -> list[Window]:
    """A window of each series and size; of a series that varies something, its first values."""
    first = {each.series.name: each for each in reversed(plan.planned) if each.repetition == 1}
    if unknown := [name for name in series if name not in first]:
        raise SpecError(f"there is no series {unknown[0]!r}", expected=f"one of {', '.join(first)}")
    sizes = tuple(sizes)
    return [window(first[name], size, plan.site) for name in series for size in sizes]
