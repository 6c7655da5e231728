"""From evidence to a PDF: claims, figures, texts, checks, LaTeX, attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.analysis.estimate import LEVEL
from lab.report.attach import attach
from lab.report.attachments import attachments, typed_texts
from lab.report.claim import Ledger
from lab.report.context import make_context
from lab.report.draft import draft
from lab.report.errors import ClaimsRefused, ReportError
from lab.report.evidence import Evidence
from lab.report.gallery import Gallery
from lab.report.latex import compile_pdf
from lab.report.ledger import make_ledger
from lab.report.ledger_rows import ledger_rows
from lab.report.origin import in_templates
from lab.report.people import read_people
from lab.report.pictures import pictures
from lab.report.prose import check_text, refused
from lab.report.record_sets import record_sets
from lab.report.render import render
from lab.report.typeset import definitions
from lab.report.uses import COMMENT, claims_used

MAIN = "report.tex"
DRAFT = r"\draft"
_LABEL = re.compile(r"\\label\{(figure|table):([^{}]*)\}")


@dataclass(frozen=True)
class Sources:
    """The texts of one report."""

    experiment: Path
    templates: Path

    @property
    def folder(self) -> Path:
        """What lies beside the experiment: report.toml and discussion.tex."""
        return self.experiment.with_suffix("")

    @property
    def people(self) -> Path:
        return self.folder / "report.toml"

    @property
    def discussion(self) -> Path:
        return self.folder / "discussion.tex"


def build(sources: Sources, evidence: Evidence, cache: Path) -> bytes:
    """The finished PDF, or an error that says what to change."""
    ledger = make_ledger(evidence)
    gallery = Gallery(pictures(evidence, ledger), cache / "figures")
    context = make_context(evidence, ledger, read_people(sources.people), gallery)
    body = render(sources.templates, f"{sources.experiment.stem}.tex", context)
    check_templates(sources, ledger)
    discussion = discussion_text(sources, evidence, ledger, body)
    files = texts(sources, evidence, ledger, body, discussion)
    shown = {f"figures/{name}.pdf": figure.pdf for name, figure in gallery.shown.items()}
    typed = {"experiment.toml": sources.experiment, "report.toml": sources.people, "discussion.tex": sources.discussion}
    inside = attachments(evidence, ledger, typed_texts(typed))
    try:
        return attach(compile_pdf(files | shown, MAIN), inside)
    except ReportError as error:
        rendered = {name: files[name] for name in (MAIN, "ledger.tex")}
        raise in_templates(error, rendered, sources.templates) from error


def discussion_text(sources: Sources, evidence: Evidence, ledger: Ledger, body: str) -> str:
    """The student's text; where there is none, or where it says so, the generated draft."""
    text = sources.discussion.read_text() if sources.discussion.exists() else DRAFT
    check_text(text, f"{sources.folder.name}/{sources.discussion.name}", ledger, _targets(body))
    generated = " ".join(draft(evidence, ledger).splitlines())  # on one line: the student's lines keep their numbers
    return COMMENT.sub("%", text).replace(DRAFT, generated)


def check_templates(sources: Sources, ledger: Ledger) -> None:
    """The lab's own prose obeys the same rules."""
    names = [f"{sources.experiment.stem}.tex", "base.tex"]
    files = [*(sources.templates / name for name in names), *sorted((sources.templates / "parts").glob("*.tex"))]
    found = [each for file in files for each in refused(file.read_text(), f"templates/{file.name}", ledger)]
    if found:
        raise ClaimsRefused("a template claims what the data do not support:", refusals=tuple(found))


def _targets(body: str) -> Iterator[str]:
    """What \\figureof and \\tableof may name: what the templates have put into the report."""
    yield from (f"{found[1]}of {found[2]}" for found in _LABEL.finditer(body))


def texts(sources: Sources, evidence: Evidence, ledger: Ledger, body: str, discussion: str) -> dict[str, bytes]:
    """All files that LaTeX reads, but for the figures."""
    uses = claims_used(body + discussion)
    rows = ledger_rows(ledger, (name for name, _ in uses), record_sets(evidence))
    command = f"lab run {sources.experiment.stem} --fresh"
    context = {"rows": rows, "sets": record_sets(evidence), "level": f"{LEVEL:.0%}", "command": command}
    files = {
        MAIN: body,
        "claims.tex": definitions(ledger, uses),
        "discussion.tex": discussion,
        "ledger.tex": render(sources.templates, "parts/ledger.tex", context),
        "lab.sty": (sources.templates / "lab.sty").read_text(),
    }
    return {name: text.encode() for name, text in files.items()}
