"""Evidence and all that was made of it, kept for the next report of the same records by the same code.

It is Python's own format, which runs what it holds: so it is read from this checkout's cache alone, and only as long as
a stamp beside it says that it was written here.
"""

from __future__ import annotations

import pickle
from contextlib import suppress
from pathlib import Path
from typing import cast

from lab.errors import StorageError
from lab.files.stamp import is_current, keep_stamp
from lab.files.storage import write_bytes
from lab.places import CACHE
from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather

KEPT = CACHE / "report" / "evidence"


def evidence_of(plan: Plan, results: Path, stamp: str, kept: Path = KEPT) -> Evidence:
    """That of before, while nothing it rests on has changed; else gathered anew."""
    file = _file(plan, kept)
    if is_current(file, stamp):
        return cast(Evidence, pickle.loads(file.read_bytes()))
    return gather(plan, results)


def keep_evidence(evidence: Evidence, stamp: str, kept: Path = KEPT) -> None:
    """Unless that is done. The stamp is of before it was gathered. In another user's checkout nothing is kept."""
    file = _file(evidence.plan, kept)
    if is_current(file, stamp):
        return
    with suppress(StorageError):
        write_bytes(file, pickle.dumps(evidence))
        keep_stamp(file, stamp)


def _file(plan: Plan, kept: Path) -> Path:
    return kept / f"{plan.experiment.name}.pickle"
