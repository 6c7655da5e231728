"""Count the instructions of a message: the difference between two trials of one size."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from lab.causes.symbols import JOB, CodeFiles, Symbols, Tally, codes, parse_counts, parse_kernel
from lab.causes.table import Share, difference
from lab.errors import SpecError, TrialFailed
from lab.machine import cpio
from lab.model.parameters import Counts
from lab.model.trial import DAEMON, Job, Step
from lab.plan.plan import Plan, Planned, SiteFacts, Trial, make_trial
from lab.programs.program import ENDS
from lab.run.checks import failed_steps
from lab.sites.exact import ProfiledSite

KEY_DIGITS = 12
TRIALS = 4  # of a window at most
Counted = tuple[int, list[Tally]]  # the time of a trial, and the instructions of each end
# The VM's init checks every now and then whether the server has ended, each time by a process. If the client waits for
# the server's end, one check is enough.
STAY = '"$@"; status=$?; usleep 50000; exit $status'


@dataclass(frozen=True)
class Window:
    """Trials of a series with messages of one size: the first has those of the plan, the others twice as many as the
    one before."""

    planned: Planned
    counts: Counts
    trials: tuple[Trial, ...]

    @property
    def record(self) -> str:
        """The key that tells whether a count is of a plan's trials."""
        return self.trials[1].key[:KEY_DIGITS]


def windows(plan: Plan, series: Iterable[str], sizes: Iterable[int]) -> list[Window]:
    """Return a window of each series and size; of a varied series, its first point."""
    first = {planned.series.name: planned for planned in reversed(plan.planned) if planned.repetition == 1}
    if unknown := [name for name in series if name not in first]:
        raise SpecError(f"unknown series: {unknown[0]!r}", expected=f"one of {', '.join(first)}")
    sizes = tuple(sizes)
    return [window(first[name], size, plan.site) for name in series for size in sizes]


def window(planned: Planned, size: int, site: SiteFacts) -> Window:
    """Return the trials of a size, with the plan's counts."""
    counts = next((counts for counts in planned.trial.request.counts if counts.size == size), None)
    if counts is None:
        what = f"{planned.series.name} has no messages of {size} bytes on {site.name}"
        raise SpecError(what, hint="--sizes, or sizes in [causes], of those in its plan")
    trials = tuple(_trial(planned, replace(counts, iterations=counts.iterations << n), site) for n in range(TRIALS))
    if trials[0].job.steps == trials[1].job.steps:
        raise SpecError(f"{planned.series.name}: the commands of {planned.series.program} count no messages")
    return Window(planned, counts, trials)


def _trial(planned: Planned, counts: Counts, site: SiteFacts) -> Trial:
    request = planned.trial.request
    parameters = replace(request.parameters, until_stable=0)  # each message once
    request = replace(request, counts=(counts,), parameters=parameters)
    return make_trial(planned.series, request, 1, site, planned.digests)


class Profiler:
    """Counts trials one after the other, on one pair of VMs."""

    def __init__(self, site: ProfiledSite) -> None:
        self.site = site
        self.image = tuple(codes(dict(cpio.contents(site.image().initrd.read_bytes()))))
        self.kernel = parse_kernel(site.run(JOB).steps[0].client_out)

    def shares(self, window: Window) -> list[Share]:
        """Return the instructions of the client, then of the server, for the window's messages: the difference of two
        trials. At a VM's end, a process of init may or may not have ended, so more messages are tried then."""
        messages, before, wrong = window.counts.iterations, self._count(window.trials[0]), list[Share]()
        for trial in window.trials[1:]:
            after = self._count(trial)
            shares = _differences(window, messages, before, after)
            wrong = [share for share in shares if share.is_of_the_start]
            if not wrong:
                return shares
            messages, before = 2 * messages, after
        first = wrong[0]
        raise TrialFailed(
            f"{first.series}, {first.size_bytes} B: at the {first.end} the starts of two trials differ by more than "
            "the messages cost: count another series, or more messages"
        )

    def _count(self, trial: Trial) -> Counted:
        job: Job = replace(trial.job, steps=tuple(map(_staying, trial.job.steps)))
        outcome, *counts = self.site.count(job)
        if failures := list(failed_steps(outcome)):
            raise TrialFailed("; ".join(failures))
        symbols = self.symbols(trial.job.overlay)
        time_ns = sum(step.clock_end_ns - step.clock_start_ns for step in outcome.steps)
        return time_ns, [symbols.tally(parse_counts(text)) for text in counts]

    def symbols(self, programs: Iterable[Path]) -> Symbols:
        overlay = {program.name: program.read_bytes() for program in programs}
        return Symbols(self.kernel, CodeFiles([*self.image, *codes(overlay)]))


def _differences(window: Window, messages: int, before: Counted, after: Counted) -> list[Share]:
    series, size, time_ns = window.planned.series.name, window.counts.size, after[0] - before[0]
    return [
        Share(series, size, end, messages, time_ns, difference(more, less), window.record)
        for end, more, less in zip(ENDS, after[1], before[1], strict=True)
    ]


def _staying(step: Step) -> Step:
    """Let the client wait for the server. A launcher waits for its daemon, and must come first in its command."""
    if step.server in ((), DAEMON):
        return step
    return replace(step, client=("sh", "-c", STAY, "sh", *step.client))
