"""The tools that read a PDF, which may be a stranger's: within bounds of time, memory and length, whatever it holds."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab.report.pdf.attach import DEADLINE_S

LARGEST_PDF = 100 * 2**20
LIMITS = ("prlimit", "--cpu=8", f"--as={400 * 2**20}", f"--fsize={LARGEST_PDF}", "--core=0")


def output_of(command: Sequence[str], folder: Path, bound: int) -> tuple[bytes, int]:
    """What a tool prints, and its status. One that prints more than the bound is killed, with a byte more as the sign:
    a small stream can unpack to any size."""
    with subprocess.Popen(
        [*LIMITS, *command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        content = process.stdout.read(bound + 1)
        process.stdout.close()
        if len(content) > bound:
            process.kill()
        return content, process.wait(DEADLINE_S)
