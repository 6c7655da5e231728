"""What a student typed of a report: the discussion, and the references.bib that it cites from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from lab.report.check.own_figures import own_figures_refused
from lab.report.check.references import lost_sources, references_refused
from lab.report.check.text import all_refused
from lab.report.claim import Ledger
from lab.report.errors import ClaimsRefused, RefusedSentence
from lab.report.prose.own_figures import own_figures

REFUSED = "the text claims what the data do not support:"


class OwnData(NamedTuple):
    """Where the files of a text's own figures lie, and the names that the report attaches itself."""

    folder: Path
    taken: tuple[str, ...]


class Typed(NamedTuple):
    """A text, and the file that refusals name."""

    file: str
    text: str


def check_both(
    discussion: Typed, references: Typed, ledger: Ledger, targets: Iterable[str], own: OwnData | None = None
) -> None:
    """An error that lists everything in a student's texts that is refused."""
    if found := tuple(both_refused(discussion, references, ledger, targets, own)):
        raise ClaimsRefused(REFUSED, refusals=found)


def both_refused(
    discussion: Typed,
    references: Typed,
    ledger: Ledger,
    targets: Iterable[str] | None,
    own: OwnData | None = None,
) -> list[RefusedSentence]:
    """One file after the other, each in its order; without targets, no figure or table is looked up."""
    lost = lost_sources(discussion.text, discussion.file, references.text)
    drawn = own_figures_refused(discussion.text, discussion.file, *own) if own else ()
    known = None if targets is None else [*targets, *(f"figureof {each.name}" for each in own_figures(discussion.text))]
    found = [*all_refused(discussion.text, discussion.file, ledger, known), *lost, *drawn]
    return [
        *sorted(found, key=lambda each: (each.line, each.column)),
        *references_refused(references.text, references.file, ledger),
    ]
