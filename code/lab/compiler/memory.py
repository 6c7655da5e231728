"""The memory of a process and of all that descend from it, watched."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

POLL_S = 0.1
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PARENT, RESIDENT = 1, 21  # in /proc/PID/stat behind the name


class Watch:
    """Ends what takes more memory than a bound, all of its processes together."""

    def __init__(self, first: int, most_bytes: int, end: Callable[[], None]) -> None:
        self.first, self.most_bytes, self.end = first, most_bytes, end
        self.exceeded = False
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Watch no more."""
        self.over.set()
        self.thread.join()

    def _watch(self) -> None:
        while not self.over.wait(POLL_S):
            if held_bytes(self.first) > self.most_bytes:
                self.exceeded = True
                self.end()
                return


def held_bytes(first: int) -> int:
    """What a process and its descendants hold; what they share counts for each."""
    children, held = defaultdict(list), dict[int, int]()
    for process, parent, resident in _processes():
        children[parent].append(process)
        held[process] = resident
    total, waiting = 0, [first]
    while waiting:
        process = waiting.pop()
        total += held.get(process, 0)
        waiting += children[process]
    return total


def _processes() -> Iterator[tuple[int, int, int]]:
    for each in Path("/proc").iterdir():
        if each.name.isdecimal():
            with suppress(OSError):  # it has ended
                values = (each / "stat").read_text().rpartition(")")[2].split()
                yield int(each.name), int(values[PARENT]), int(values[RESIDENT]) * PAGE_BYTES
