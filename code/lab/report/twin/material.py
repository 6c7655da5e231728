"""What a page is written of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.report.evidence.record_sets import RecordSet
from lab.report.text.check import Backing
from lab.report.twin.live import Live


@dataclass(frozen=True)
class Material:
    """All that LaTeX reads of a report, the figures, and the evidence behind its numbers and statements."""

    name: str
    texts: dict[str, str]  # report.tex and those that it takes in
    svgs: dict[str, bytes]
    backings: Sequence[Backing]
    sets: tuple[RecordSet, ...]
    live: Live
    files: Mapping[str, bytes]  # to download: the data, the evidence, and what a person wrote
