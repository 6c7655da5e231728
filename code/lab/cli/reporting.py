"""Reports that are written by `lab report` in other processes while more experiments are measured."""

import os
import signal
import subprocess
import sys
from argparse import Namespace
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from lab.errors import tell
from lab.plan.plan import Planned
from lab.plan.planning import Campaign
from lab.report.commands import is_current
from lab.run.run import missing

END_S = 10.0  # for a report to end after an interrupt; then it is killed


class Reporting:
    """Starts the report of an experiment as soon as its last trial is over.

    On a wall clock reports start after all trials, since they would take CPU time from them.
    """

    def __init__(self, campaign: Campaign, options: Namespace) -> None:
        self.options, self.during_trials = options, campaign.facts.traits.is_deterministic
        self.plans = campaign.plans if options.report else ()
        todo = {plan.experiment.file: missing([plan], options.results, fresh=options.fresh)[0] for plan in self.plans}
        self.waiting = {file: {planned.trial.key for planned in trials} for file, trials in todo.items()}
        self.failed = Counter[Path]()  # trials, by experiment
        self.running: list[subprocess.Popen[str]] = []
        self.status = 0

    def __enter__(self) -> "Reporting":
        if self.during_trials:
            self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if kind is not None:
            self.stop()

    def watch(self, result: str, planned: Planned) -> None:
        for file, keys in self.waiting.items():
            if planned.trial.key in keys:
                keys.remove(planned.trial.key)
                self.failed[file] += result == "failed"
        if self.during_trials:
            for report in [report for report in self.running if report.poll() is not None]:
                self._end(report)
            self._start()

    def finish(self) -> int:
        """Wait for all reports, and name the experiments without one; return the exit status."""
        self._start()
        if self.running:
            tell("waiting for the last reports")
        while self.running:
            self._end(self.running[0])
            self._start()
        for plan in self.plans if self.status or self.failed.total() else ():
            if not is_current(plan, self.options.results, self.options.out):
                failed = self.failed[plan.experiment.file]
                why = f"{failed} of its trials failed" if failed else "see above"
                tell(f"no report: {plan.experiment.name}: {why}")
        return self.status

    def stop(self) -> None:
        for report in self.running:
            _signal(report, signal.SIGINT)
        for report in self.running:
            try:
                report.communicate(timeout=END_S)
            except subprocess.TimeoutExpired:
                _signal(report, signal.SIGKILL)
                report.communicate()
        self.running.clear()

    def _start(self) -> None:
        """Start one process for all experiments that are ready, but no more processes than trials at once."""
        if len(self.running) >= self.options.jobs:
            return
        over = [file for file, keys in self.waiting.items() if not keys]
        for file in over:
            del self.waiting[file]
        if ready := [file for file in over if not self.failed[file]]:
            self.running.append(start_report(ready, self.options))

    def _end(self, report: subprocess.Popen[str]) -> None:
        self.running.remove(report)
        out, err = report.communicate()
        self.status = max(self.status, abs(report.returncode))
        print(err, end="", file=sys.stderr, flush=True)
        print(out, end="", flush=True)


def start_report(files: list[Path], options: Namespace) -> subprocess.Popen[str]:
    """Start `lab report` in its own session, which Ctrl-C does not reach."""
    places = ["--site", options.site, "--hosts", options.hosts, "--results", options.results, "--out", options.out]
    more = ["--jobs", options.jobs, *(["--yes"] if options.yes else [])]
    command = [sys.executable, "-P", "-m", "lab", "report", *places, *more, "--", *files]
    pipe = subprocess.PIPE
    return subprocess.Popen(list(map(str, command)), stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def _signal(report: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(report.pid, number)
