"""Processes that a program leaves behind become children of this process, and are ended."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
STARTED: set[int] = set()  # process ids of programs that run


def adopt() -> None:
    """Make this process the parent of orphans: a launcher gives each rank a group of its own."""
    with suppress(ImportError, OSError):
        from ctypes import CDLL

        CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end() -> None:
    """End every child that is no started program, then the orphans that this makes."""
    while left := children() - STARTED:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(pid, 0)


def children() -> set[int]:
    """The children of all threads of this process."""
    found: set[int] = set()
    for file in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, file.read_text().split()))
    return found
