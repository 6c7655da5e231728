"""What a page is written of."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claim import Ledger
from lab.report.evidence.record_sets import RecordSet


@dataclass(frozen=True)
class Material:
    """All that LaTeX reads of a report, the figures, and what stands behind the claims."""

    name: str
    texts: dict[str, str]  # report.tex and those that it takes in
    svgs: dict[str, bytes]
    ledger: Ledger
    sets: tuple[RecordSet, ...]
