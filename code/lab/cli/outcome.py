"""What a command says of its trials when they are over, or when a signal ended them."""

from __future__ import annotations

import sys

from lab.run.run import RunSummary
from lab.statuses import INTERRUPTED

SHOWN_FAILURES = 5


def sentence(summary: RunSummary) -> str:
    """How many trials ended how."""
    others = f", {summary.by_others} measured by another run" if summary.by_others else ""
    return (
        f"{summary.measured} trials measured, {summary.done_before} done before{others}, {len(summary.failed)} failed"
    )


def say_failures(summary: RunSummary) -> int:
    """Name the first failed trials; the exit status: 1 if there is any."""
    for planned, said in summary.failed[:SHOWN_FAILURES]:
        varied = "".join(f" {name}={value}" for name, value in planned.point.items())
        print(f"failed: {planned.series.name}{varied} repetition {planned.repetition}: {said}", file=sys.stderr)
    if len(summary.failed) > SHOWN_FAILURES:
        print(f"and {len(summary.failed) - SHOWN_FAILURES} more", file=sys.stderr)
    return int(bool(summary.failed))


def say_interrupted(summary: RunSummary) -> int:
    """Say what is left and which command goes on; the exit status."""
    again = "lab " + " ".join(sys.argv[1:])
    kept = f"interrupted; every finished record is kept, {summary.left} trials are left"
    print(f"lab: {kept}: {again} goes on", file=sys.stderr)
    return INTERRUPTED
