"""This computer's processors, one to each pair of machines: both ends of a pair take turns."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def one_processor(allowed: Iterable[int] | None = None) -> Iterator[int | None]:
    """The number of one that no other pair has, in whatever process that runs, of those on which this process may run;
    none if each has its pair."""
    numbers = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        yield next((number for number in numbers if _claims(claim, number)), None)


def _claims(claim: socket.socket, number: int) -> bool:
    """An abstract address (unix(7)) has one owner at a time, and none once that has ended, however it did."""
    try:
        claim.bind(f"\0lab processor {number} of {os.getuid()}")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True
