"""How long trials will take, and the progress of a run: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TextIO

from lab.errors import RecordError
from lab.plan.plan import Planned
from lab.records.record import has_record, read_facts

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET_S = 2.0  # a run shorter than this needs no progress
LINE_EVERY_S = 10.0  # between lines, where no bar can be drawn
FIRST_GUESS_S = 3.0  # host seconds of a trial with one pair of processes, if none like it was measured
STEP_GUESS_S = 1.0  # for each further pair
LOOK_AT = 5  # records per series are enough for a median


def estimate_s(todo: Iterable[Planned], done: Iterable[Planned], results: Path, jobs: int) -> float:
    """Host seconds for the trials in parallel jobs."""
    costs = _costs(done, results)
    return sum(costs.get(_like(each), guess_s(each)) for each in todo) / jobs


def guess_s(planned: Planned) -> float:
    """By the number of processes alone: far from the truth, but near it from one series to another."""
    return FIRST_GUESS_S + STEP_GUESS_S * (len(planned.trial.job.steps) - 1)


def _costs(done: Iterable[Planned], results: Path) -> dict[str, float]:
    """Median host seconds by series."""
    times: dict[str, list[float]] = defaultdict(list)
    for planned in done:
        known = times[_like(planned)]
        if len(known) < LOOK_AT and has_record(results, planned.trial.key):
            with suppress(RecordError):
                known += filter(None, [read_facts(results, planned.trial.key).moment.host_seconds])
    return {like: median(known) for like, known in times.items() if known}


def _like(planned: Planned) -> str:
    return f"{planned.series.program} {planned.series.name}"


class Progress:
    """Counts trials, and says how many are left and about how long they will take."""

    def __init__(self, todo: Sequence[Planned], stream: TextIO) -> None:
        self.total, self.stream = len(todo), stream
        self.done, self.done_s, self.total_s = 0, 0.0, sum(map(guess_s, todo))  # a guess: only their ratio counts
        self.start = self.said = time.monotonic()
        self.bar: Bar | None = None

    def watch(self, result: str, planned: Planned) -> None:
        """Count one trial that is over."""
        self.done += 1
        self.done_s += guess_s(planned)
        now = time.monotonic()
        if now - self.start < QUIET_S:
            return
        if self.stream.isatty():
            self._draw()
        elif result == "failed" or now - self.said >= LINE_EVERY_S or self.done == self.total:
            self.said = now
            left_s = (now - self.start) / self.done_s * (self.total_s - self.done_s)
            latest = f"{planned.series.name} {result}"
            print(
                f"{self.done} of {self.total} trials, about {left_s:.0f} s left; {latest}", file=self.stream, flush=True
            )

    def say(self, line: str) -> None:
        """Print a line above the bar, if there is one."""
        if self.bar is not None:
            self.bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the terminal on a line of its own."""
        if self.bar is not None:
            self.bar.stop()

    def _draw(self) -> None:
        if self.bar is None:
            # Only now: a run without a terminal does not pay for it.
            from rich.console import Console
            from rich.progress import Progress as Bar

            self.bar = Bar(
                *Bar.get_default_columns(),
                "{task.completed} of {task.total}",
                console=Console(file=self.stream),
                redirect_stdout=sys.stdout.isatty(),  # else a file would miss what is printed meanwhile
            )
            self.bar.start()
            self.bar.add_task("trials", total=self.total)
        self.bar.update(self.bar.task_ids[0], completed=self.done)
