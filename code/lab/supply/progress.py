"""The progress of a download that takes longer than two seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

QUIET_S = 2.0
LINE_EVERY_S = 10.0
MB = 1_000_000


class Fetching:
    """Counts bytes, and tells how many have come, first after two seconds, then every ten."""

    def __init__(self, total: int, tell: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.tell, self.clock = total, tell, clock
        self.done = 0
        self.next = clock() + QUIET_S

    def add(self, count: int) -> None:
        """More bytes are there; fewer, where some had to be thrown away."""
        self.done += count
        if self.clock() >= self.next:
            self.next = self.clock() + LINE_EVERY_S
            self.tell(f"fetched {self.done / MB:.1f} of {self.total / MB:.1f} MB")
