"""Reports that are written while other experiments are still measured: `lab report` in processes of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from argparse import Namespace
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from lab.plan.plan import Plan, Planned
from lab.plan.planning import Workshop
from lab.report.commands import is_current
from lab.run.run import missing

END_S = 10.0  # for a report to end after an interrupt; then it is killed


@dataclass
class _Waiting:
    """An experiment, and its trials that are not over."""

    plan: Plan
    keys: set[str]
    failed: int = 0

    def count(self, result: str, key: str) -> None:
        self.failed += result == "failed" and key in self.keys
        self.keys.discard(key)


class Reporting:
    """Starts the report of an experiment as soon as the last of its trials is over.

    A site on a wall clock is left alone until all is measured: a report would take processor time from its trials.
    """

    def __init__(self, shop: Workshop, options: Namespace) -> None:
        self.plans = shop.plans if options.report else ()
        self.options, self.beside = options, shop.facts.traits.repeats
        self.waiting = [_Waiting(each, _keys(each, options)) for each in self.plans]
        self.failed: dict[str, int] = {}  # trials, by experiment
        self.running: list[subprocess.Popen[str]] = []
        self.status = 0

    def __enter__(self) -> Reporting:
        if self.beside:
            self._start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        if kind is not None:
            self.stop()

    def watch(self, result: str, planned: Planned) -> None:
        """Count a trial that is over."""
        for each in self.waiting:
            each.count(result, planned.trial.key)
        if self.beside:
            self._say_ended()
            self._start()

    def finish(self) -> int:
        """Wait for all reports, and name the experiments without one; the exit status."""
        self._start()
        if self.running:
            print("waiting for the last reports", file=sys.stderr)
        while self.running:
            self._say(self.running.pop(0))
            self._start()
        for plan in self.plans if self.status or self.failed else ():
            if not is_current(plan, self.options.results, self.options.out):
                print(f"no report: {self._why(plan.experiment.name)}", file=sys.stderr)
        return self.status

    def stop(self) -> None:
        """End all reports that are being written."""
        for each in self.running:
            _signal(each, signal.SIGINT)
        for each in self.running:
            try:
                each.communicate(timeout=END_S)
            except subprocess.TimeoutExpired:
                _signal(each, signal.SIGKILL)
                each.communicate()
        self.running.clear()

    def _start(self) -> None:
        """All experiments that are ready go to one process; no more processes than trials at once."""
        if len(self.running) >= self.options.jobs:
            return
        over = [each for each in self.waiting if not each.keys]
        self.waiting = [each for each in self.waiting if each.keys]
        self.failed |= {each.plan.experiment.name: each.failed for each in over if each.failed}
        if ready := [each.plan.experiment.file for each in over if not each.failed]:
            self.running.append(_report(ready, self.options))

    def _say_ended(self) -> None:
        for each in [each for each in self.running if each.poll() is not None]:
            self.running.remove(each)
            self._say(each)

    def _say(self, report: subprocess.Popen[str]) -> None:
        out, err = report.communicate()
        self.status = max(self.status, abs(report.returncode))
        print(err, end="", file=sys.stderr, flush=True)
        print(out, end="", flush=True)

    def _why(self, name: str) -> str:
        failed = self.failed.get(name)
        return f"{name}: {failed} of its trials failed" if failed else f"{name}: as said above"


def _keys(plan: Plan, options: Namespace) -> set[str]:
    todo, _ = missing([plan], options.results, fresh=options.fresh)
    return {each.trial.key for each in todo}


def _report(files: list[Path], options: Namespace) -> subprocess.Popen[str]:
    """The command that a person would type. Ctrl-C reaches it from here only, since its session is its own."""
    where = ["--site", options.site, "--hosts", options.hosts, "--results", options.results, "--out", options.out]
    more = ["--jobs", options.jobs, *(["--yes"] if options.yes else [])]
    command = [sys.executable, "-P", "-m", "lab", "report", *where, *more, "--", *files]
    pipe = subprocess.PIPE
    return subprocess.Popen(list(map(str, command)), stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def _signal(report: subprocess.Popen[str], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(report.pid, number)
