"""From evidence to a PDF and a page: figures, templates, the discussion with its evidence, LaTeX, attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lab.analysis.estimate import LEVEL
from lab.files.toml import read_whole
from lab.report.context import make_context
from lab.report.errors import ReportError, TextRefused
from lab.report.evidence.environment import RecordSet, record_sets
from lab.report.evidence.evidence import Evidence
from lab.report.exhibits.core import Gallery
from lab.report.exhibits.plots import placed
from lab.report.html.live import live_figure
from lab.report.html.page import Material
from lab.report.pdf import attach, attachments
from lab.report.query.grammar import QueryError
from lab.report.query.numbers import Numbers
from lab.report.sources import MAIN, Sources, read_people
from lab.report.tex.latex import compile_pdf
from lab.report.tex.numbers import written_out
from lab.report.tex.render import Rendered, render
from lab.report.text.check import Backing, Checked, check, read_writing
from lab.report.text.latex import lost_targets, without_comments
from lab.report.text.macros import keys_cited, uses
from lab.report.text.printing import claims_csv, evidence_rows, printed
from lab.report.text.references import FILE, list_of, require_plain_list

EVIDENCE = "evidence.tex"
UNWRITTEN = "The discussion has not been written yet."
_TARGET = re.compile(r"\\label\{(figure|table):([^{}]*)\}")


@dataclass(frozen=True)
class Prepared:
    """All that LaTeX takes and that is put into its PDF; the figures by name; and what the page is made of."""

    files: dict[str, bytes]
    inside: Mapping[str, bytes]
    rendered: dict[str, Rendered]
    pngs: dict[str, bytes]
    material: Material

    @property
    def for_latex(self) -> dict[str, bytes]:
        """The files, with quantities as LaTeX prints them soonest; the page knows them as siunitx does."""
        texts = {name: text for name, text in self.files.items() if name.endswith(".tex")}
        return self.files | {name: written_out(text.decode()).encode() for name, text in texts.items()}

    def typeset(self) -> bytes:
        """The PDF with its attachments."""
        try:
            return attach(compile_pdf(self.for_latex, MAIN), self.inside)
        except ReportError as error:
            rendered = self.rendered.get(error.file)
            raise (rendered.in_template(error) if rendered else error) from error


def build(sources: Sources, evidence: Evidence, cache: Path) -> bytes:
    """The PDF alone."""
    return prepare(sources, evidence, cache).typeset()


def prepare(sources: Sources, evidence: Evidence, cache: Path, numbers: Numbers | None = None) -> Prepared:
    """The report but for LaTeX's part, or an error that says what to change."""
    numbers, gallery = numbers or Numbers(evidence), Gallery(cache / "figures")
    context = make_context(numbers, read_people(sources.people), gallery, list(sources.typed_texts))
    body = render(sources.templates, sources.template, vars(context))
    backings = template_backings(body, numbers)
    for lost in lost_targets(body.text, MAIN, targets(body)):
        raise body.in_template(ReportError(lost.what, hint=lost.hint, file=MAIN, line=lost.line))
    checked = check(read_writing(sources.folder), numbers, targets(body))
    if checked.faults:
        raise TextRefused("the discussion has faults:", faults=checked.faults)
    return _write(sources, numbers, body, [*backings, *checked.backings], checked, gallery)


def targets(body: Rendered) -> frozenset[str]:
    """The figures and tables that the templates have put into the report, as `figureof throughput`."""
    return frozenset(f"{kind}of {name}" for kind, name in _TARGET.findall(body.text))


def template_backings(body: Rendered, numbers: Numbers) -> list[Backing]:
    """The answers to the queries of the templates; an error names the template's line."""
    found = []
    for use in uses(body.text):
        try:
            found.append(Backing(use, value=numbers.ask(use.body)))
        except QueryError as error:
            line = body.text.count("\n", 0, use.start) + 1
            raise body.in_template(ReportError(error.what, hint=error.hint, file=MAIN, line=line)) from error
    return found


def _write(
    sources: Sources,
    numbers: Numbers,
    body: Rendered,
    backings: list[Backing],
    checked: Checked,
    gallery: Gallery,
) -> Prepared:
    """All texts, figures and attachments."""
    evidence = numbers.evidence
    numbered = [replace(backing, number=backing.number or str(count)) for count, backing in enumerate(backings, 1)]
    split = len(backings) - len(checked.backings)
    text = checked.writing.text if without_comments(checked.writing.text).strip() else UNWRITTEN
    discussion = placed(printed(text, numbered[split:]), sources.folder, gallery)
    listed = reference_list(text, checked.writing.references)
    sets = record_sets(evidence)
    table = render(sources.templates, "parts/evidence.tex", _evidence_context(sources, numbered, sets))
    files = {
        MAIN: printed(body.text, numbered[:split]),
        "discussion.tex": f"{discussion}{listed}",
        EVIDENCE: table.text,
        "lab.sty": (sources.templates / "lab.sty").read_text(),
    }
    shown = gallery.shown
    asked = dict.fromkeys(name for each in backings if each.value for name in each.value.series)
    live = live_figure(numbers, ((name, sketch.data) for name, sketch in gallery.sketches.items()), asked)
    pdfs = {f"figures/{name}.pdf": each.pdf for name, each in shown.items()}
    inside = attachments(
        evidence,
        {
            "claims.csv": claims_csv(numbered).encode(),
            "experiment.toml": read_whole(sources.experiment).text.encode(),
            **sources.typed_texts,
        },
    )
    svgs = {name: each.svg for name, each in shown.items()}
    material = Material(sources.experiment.stem, files, svgs, numbered, sets, live, inside)
    texts = {name: content.encode() for name, content in files.items()}
    pngs = {name: each.png for name, each in shown.items()}
    return Prepared(texts | pdfs, inside, {MAIN: body, EVIDENCE: table}, pngs, material)


def _evidence_context(sources: Sources, backings: list[Backing], sets: tuple[RecordSet, ...]) -> dict[str, object]:
    return {
        "rows": evidence_rows(backings, sets),
        "given": [backing.use.body for backing in backings if backing.use.kind == "given"],
        "sets": sets,
        "level": f"{LEVEL:.0%}",
        "command": f"lab run {sources.experiment.stem} --fresh",
    }


def reference_list(discussion: str, bib: str) -> str:
    """The sources that the discussion cites, for its end."""
    if not keys_cited(discussion):
        return ""
    listed = list_of(keys_cited(discussion), bib)
    require_plain_list(listed, FILE)
    return f"\n\n{listed}" if listed else ""
