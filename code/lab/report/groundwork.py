"""All of a report that does not rest on its discussion, kept for the next one of the same records and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lab.figures.figure import Figure
from lab.files.stamp import digest_files
from lab.report.claim import Ledger
from lab.report.evidence.record_sets import RecordSet
from lab.report.pickled import keep_pickled, read_pickled
from lab.report.sources import Sources
from lab.report.stamp import digest
from lab.report.tex.render import Rendered

_LABEL = re.compile(r"\\label\{(figure|table):([^{}]*)\}")


@dataclass(frozen=True)
class Groundwork:
    """The rendered templates, and what a discussion may claim, show and be drafted from."""

    body: Rendered
    ledger: Ledger
    draft: str
    sets: tuple[RecordSet, ...]
    figures: Mapping[str, Figure]
    inside: Mapping[str, bytes]  # attachments that nobody typed, and the experiment's file

    @property
    def targets(self) -> Iterator[str]:
        """The figures and tables that the templates have put into the report, for \\figureof and \\tableof."""
        yield from (f"{found[1]}of {found[2]}" for found in _LABEL.finditer(self.body.text))


def groundwork_stamp(sources: Sources, evidence: str) -> str:
    """Of the evidence's stamp, the templates, the authors, and the names of what a person typed, which are printed."""
    templates = sorted(each for each in sources.templates.rglob("*") if each.is_file())
    names = [name for name, file in sources.typed.items() if file.exists()]
    return digest(evidence, digest_files(templates), digest_files([sources.people]), names, sources.template)


def groundwork_of(sources: Sources, stamp: str, kept: Path) -> Groundwork | None:
    """That of before, while nothing that it rests on has changed."""
    return cast("Groundwork | None", read_pickled(_file(sources, kept), stamp))


def keep_groundwork(ground: Groundwork, sources: Sources, stamp: str, kept: Path) -> None:
    """For the next report; in another user's checkout nothing is kept."""
    keep_pickled(ground, _file(sources, kept), stamp)


def _file(sources: Sources, kept: Path) -> Path:
    return kept / f"{sources.experiment.stem}.pickle"
