"""The student's binaries on the grader's desk: kept by digest, put only on a site, never run on this computer."""

from __future__ import annotations

from pathlib import Path

from lab.binaries import keep_binaries
from lab.faults import Fault
from lab.spec import Experiment
from lab.submission.archive import unpack
from lab.submission.errors import SubmissionError
from lab.submission.programs import BINARIES, own_programs


def keep_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of the experiment's own binaries, by the place where it expects them."""
    files = unpack(content, "programs.zip")
    digests: dict[Path, str] = {}
    for binary in sorted({file for tool in own_programs(experiment) for file in tool.binaries}):
        if f"{BINARIES}/{binary.name}" not in files:
            raise SubmissionError(f"the binary {binary.name} is missing", "programs.zip", fault=Fault.NO_DATA)
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / binary.name
        copy.write_bytes(files[f"{BINARIES}/{binary.name}"])
        digests[binary] = keep_binaries([copy])[copy]
    return digests
