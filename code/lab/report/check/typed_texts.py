"""What a student typed of a report: the discussion, and the references.bib that it cites from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from lab.report.check.references import lost_sources, references_refused
from lab.report.check.text import all_refused
from lab.report.claim import Ledger
from lab.report.errors import ClaimsRefused, RefusedSentence

REFUSED = "the text claims what the data do not support:"


class Typed(NamedTuple):
    """A text, and the file that refusals name."""

    file: str
    text: str


def check_both(discussion: Typed, references: Typed, ledger: Ledger, targets: Iterable[str]) -> None:
    """An error that lists everything in a student's texts that is refused."""
    if found := tuple(both_refused(discussion, references, ledger, targets)):
        raise ClaimsRefused(REFUSED, refusals=found)


def both_refused(
    discussion: Typed, references: Typed, ledger: Ledger, targets: Iterable[str] | None
) -> list[RefusedSentence]:
    """One file after the other, each in its order; without targets, no figure or table is looked up."""
    lost = lost_sources(discussion.text, discussion.file, references.text)
    found = [*all_refused(discussion.text, discussion.file, ledger, targets), *lost]
    return [
        *sorted(found, key=lambda each: (each.line, each.column)),
        *references_refused(references.text, references.file, ledger),
    ]
