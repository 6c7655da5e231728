"""What programs leave running: it becomes this process' own child, and is ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STARTED: set[int] = set()  # programs that run


def adopt() -> None:
    """What a program leaves running becomes a child of this process: a launcher gives each rank a group of its own."""
    with suppress(ImportError, OSError):
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end() -> None:
    """End every child that is no program of its own, then those that this makes orphans."""
    while left := children() - STARTED:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children() -> set[int]:
    """Of all threads of this process."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, file.read_text().split()))
    return found
