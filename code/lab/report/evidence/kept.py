"""Evidence and all that was made of it, kept for the next report of the same records by the same code."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from lab.places import CACHE
from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pickled import keep_pickled, read_pickled

KEPT = CACHE / "report" / "evidence"


def evidence_of(plan: Plan, results: Path, stamp: str, kept: Path = KEPT) -> Evidence:
    """That of before, while nothing it rests on has changed; else gathered anew."""
    return cast("Evidence | None", read_pickled(_file(plan, kept), stamp)) or gather(plan, results)


def keep_evidence(evidence: Evidence, stamp: str, kept: Path = KEPT) -> None:
    """Unless that is done. The stamp is of before it was gathered. In another user's checkout nothing is kept."""
    keep_pickled(evidence, _file(evidence.plan, kept), stamp)


def _file(plan: Plan, kept: Path) -> Path:
    return kept / f"{plan.experiment.name}.pickle"
