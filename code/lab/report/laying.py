"""From evidence to a report's groundwork: claims, figures, rendered templates, attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lab.files.included import read_whole
from lab.report import own_words
from lab.report.check.names import require_names
from lab.report.claim import Ledger
from lab.report.claims.ledger import make_claims
from lab.report.context import make_context
from lab.report.draft.draft import draft
from lab.report.errors import ReportError
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.record_sets import record_sets
from lab.report.groundwork import Groundwork
from lab.report.pdf.attachments import attachments
from lab.report.pictures import pictures_of
from lab.report.pictures.gallery import Gallery
from lab.report.prose.people import read_people
from lab.report.prose.uses import claims_used
from lab.report.sources import MAIN, Sources
from lab.report.tex.render import render

_NAMED = re.compile(r"\\(figure|table)of\{([^{}]*)\}")


def lay(sources: Sources, evidence: Evidence, cache: Path) -> Groundwork:
    """The groundwork, or an error that says what to change."""
    claims = evidence.once(make_claims)  # who builds several reports of the same data waits for them once
    ledger, gallery = claims.ledger, Gallery(pictures_of(evidence), cache / "figures")
    people = read_people(sources.people)
    names = (*people.authors, *people.ids, people.course)
    require_names(names, f"{sources.folder.name}/{sources.people.name}", ledger)
    context = make_context(claims, people, gallery, list(sources.typed_texts))
    body = render(sources.templates, sources.template, vars(context))
    own_words.check(sources.templates, body.files, evidence)
    whole = {"experiment.toml": read_whole(sources.experiment).text.encode()}
    inside = attachments(evidence, whole)
    ground = Groundwork(body, ledger, draft(claims), record_sets(evidence), gallery.shown, inside)
    check_names(ground)
    return ground


def check_names(ground: Groundwork) -> None:
    """Check that every claim, figure and table that a template names exists."""
    targets = frozenset(ground.targets)
    for number, line in enumerate(ground.body.text.splitlines(), 1):
        if lost := next(_lost(line, ground.ledger, targets), None):
            raise ground.body.in_template(ReportError(f"there is no {lost}", file=MAIN, line=number))


def _lost(line: str, ledger: Ledger, targets: frozenset[str]) -> Iterator[str]:
    yield from (f"claim {name!r}" for name, _ in claims_used(line) if name not in ledger)
    for found in _NAMED.finditer(line):
        if f"{found[1]}of {found[2]}" not in targets:
            yield f"{found[1]} {found[2]!r}"
