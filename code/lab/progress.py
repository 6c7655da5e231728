"""What a run says while it runs: a bar on a terminal, lines elsewhere, nothing when it is over at once."""

from __future__ import annotations

import time
from typing import TextIO

from lab.plan import Planned

QUIET_S = 2.0  # a run shorter than this needs no progress
LINE_EVERY_S = 10.0  # between lines, where no bar can be drawn


class Progress:
    """Counts trials and says how many are left and about how long they take."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total, self.stream = total, stream
        self.done = 0
        self.start = self.said = time.monotonic()

    def watch(self, result: str, planned: Planned) -> None:
        """One trial is over."""
        self.done += 1
        now = time.monotonic()
        if now - self.start < QUIET_S:
            return
        if self.stream.isatty():
            self._draw(now)
        elif result == "failed" or now - self.said >= LINE_EVERY_S or self.done == self.total:
            self.said = now
            print(self._line(now, f" {planned.series.name} {result}"), file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the terminal on a line of its own."""
        if self.stream.isatty() and time.monotonic() - self.start >= QUIET_S:
            print(file=self.stream)

    def _line(self, now: float, latest: str = "") -> str:
        left_s = (now - self.start) / self.done * (self.total - self.done)
        return f"{self.done} of {self.total} trials, about {left_s:.0f} s left{latest}"

    def _draw(self, now: float) -> None:
        filled = round(40 * self.done / self.total)
        bar = "━" * filled + "╌" * (40 - filled)
        print(f"\r{bar} {self._line(now)}\x1b[K", end="", file=self.stream, flush=True)
