"""The progress of a run: a bar on a terminal, lines elsewhere, nothing for a run that is over at once."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

from lab.cli.estimate import guess_s
from lab.plan.plan import Planned

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET_S = 2.0  # a run shorter than this needs no progress
LINE_EVERY_S = 10.0  # between lines, where no bar can be drawn


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
