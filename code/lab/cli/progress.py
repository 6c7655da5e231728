"""The progress of a run: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from lab.plan.plan import Planned
from lab.run.estimate import TimeEstimate

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET_S = 2.0  # shorter runs print no progress
LINE_EVERY_S = 10.0  # between lines, without a terminal


class Progress:
    """Counts trials; prints how many are left and about how long they will take."""

    def __init__(self, todo: Sequence[Planned], stream: TextIO, estimate: TimeEstimate) -> None:
        self.stream, self.estimate = stream, estimate
        self.total, self.done = len(todo), 0
        self.total_s, self.done_s = estimate.total_s(todo), 0.0  # only their ratio counts
        self.start = self.latest_line = time.monotonic()
        self.first: tuple[float, float] | None = None  # the first trial's end, and its estimate
        self.bar: Bar | None = None

    def watch(self, result: str, planned: Planned) -> None:
        """Count one trial that is over."""
        self.done += 1
        self.done_s += self.estimate.trial_s(planned)
        now = time.monotonic()
        self.first = self.first or (now, self.done_s)
        if now - self.start < QUIET_S:
            return
        if self.stream.isatty():
            self._draw()
        elif result == "failed" or now - self.latest_line >= LINE_EVERY_S or self.done == self.total:
            self.latest_line = now
            self.say(f"{self.done} of {self.total} trials{self._left(now)}; {planned.series.name} {result}")

    def _left(self, now: float) -> str:
        """The estimate of the time left. It leaves out the time before the first trial's end: the site started then."""
        since, before_s = self.first or (now, self.done_s)
        if self.done_s == before_s:
            return ""
        return f", about {(now - since) / (self.done_s - before_s) * (self.total_s - self.done_s):.0f} s left"

    def say(self, line: str) -> None:
        """Print a line, above the bar if there is one."""
        if self.bar is not None:
            self.bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the terminal on an empty line."""
        if self.bar is not None:
            self.bar.stop()

    def _draw(self) -> None:
        if self.bar is None:
            # Imported lazily: a run without a terminal does not pay for it.
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
