"""From evidence to a PDF and a page: claims, figures, texts, checks, LaTeX, attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.analysis.estimate import LEVEL
from lab.errors import SpecError
from lab.files.included import read_whole
from lab.files.typed_text import read_typed
from lab.model.sizes import parse_size
from lab.report import own_words
from lab.report.check.names import require_names
from lab.report.check.references import require_plain_list
from lab.report.check.typed_texts import OwnData, Typed, check_both
from lab.report.claim import Ledger
from lab.report.claims.ledger import AllClaims, make_claims
from lab.report.context import make_context
from lab.report.draft.draft import draft
from lab.report.errors import ReportError
from lab.report.evidence.evidence import Evidence
from lab.report.evidence.record_sets import record_sets
from lab.report.pdf.attach import attach
from lab.report.pdf.attachments import attachments, typed_texts
from lab.report.pdf.made_files import names_made
from lab.report.pictures import pictures_of
from lab.report.pictures.gallery import Gallery
from lab.report.pictures.own import own_gallery, placed
from lab.report.prose.own_figures import files_named
from lab.report.prose.people import read_people
from lab.report.prose.uses import COMMENT, claims_used, keys_cited
from lab.report.tables.ledger import ledger_rows
from lab.report.tex.latex import compile_pdf
from lab.report.tex.quantities import written_out
from lab.report.tex.references import FILE, list_of
from lab.report.tex.render import Rendered, render
from lab.report.tex.typeset import definitions
from lab.report.tex.units import show
from lab.report.twin.page import Material

DEFAULT = "default.tex"
MAIN, LEDGER = "report.tex", "ledger.tex"
DRAFT = r"\draft"
_NAMED = re.compile(r"\\(figure|table)of\{([^{}]*)\}")
_SIZE = re.compile(r"\\size\{([^{}]*)\}")
_LABEL = re.compile(r"\\label\{(figure|table):([^{}]*)\}")


@dataclass(frozen=True)
class Sources:
    """The texts of one report."""

    experiment: Path
    templates: Path

    @property
    def folder(self) -> Path:
        """The files beside the experiment: report.toml and discussion.tex."""
        return self.experiment.with_suffix("")

    @property
    def people(self) -> Path:
        return self.folder / "report.toml"

    @property
    def discussion(self) -> Path:
        return self.folder / "discussion.tex"

    @property
    def references(self) -> Path:
        """What the discussion cites."""
        return self.folder / FILE

    @property
    def typed(self) -> dict[str, Path]:
        """All files that a person wrote, by the names that they have in the PDF."""
        text = read_typed(self.discussion) if self.discussion.exists() else ""
        files = (self.people, self.discussion, self.references, *(self.folder / each for each in files_named(text)))
        return {each.name: each for each in files}

    @property
    def template(self) -> str:
        """The experiment's own, or the one that serves any."""
        own = f"{self.experiment.stem}.tex"
        return own if (self.templates / own).is_file() else DEFAULT


@dataclass(frozen=True)
class Prepared:
    """All that LaTeX takes and that is put into its PDF; the figures once more by name, for those without a viewer; and
    what the page is made of."""

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

    def typeset(self, before: Path | None = None) -> bytes:
        """The PDF; `before` keeps what LaTeX left, for the next one."""
        try:
            return attach(compile_pdf(self.for_latex, MAIN, before), self.inside)
        except ReportError as error:
            rendered = self.rendered.get(error.file)
            raise (rendered.in_template(error) if rendered else error) from error


def build(sources: Sources, evidence: Evidence, cache: Path) -> bytes:
    """The PDF alone."""
    return prepare(sources, evidence, cache).typeset()


def prepare(sources: Sources, evidence: Evidence, cache: Path) -> Prepared:
    """The report but for LaTeX's part, or an error that says what to change."""
    claims = evidence.once(make_claims)  # who builds several reports of the same data waits for them once
    ledger, gallery = claims.ledger, Gallery(pictures_of(evidence), cache / "figures")
    typed = typed_texts(sources.typed)
    people = read_people(sources.people)
    names = (*people.authors, *people.ids, people.course)
    require_names(names, f"{sources.folder.name}/{sources.people.name}", ledger)
    context = make_context(claims, people, gallery, list(typed))
    body = render(sources.templates, sources.template, vars(context))
    own_words.check(sources.templates, body.files, evidence)
    check_names(body, ledger)
    bib = _bib(sources.references)
    discussion = discussion_text(sources, claims, body.text, bib)
    own = own_gallery(discussion, sources.folder, cache)
    discussion = placed(discussion, own)
    listed = reference_list(discussion, bib)
    table = ledger_table(sources, evidence, ledger, body.text + discussion)
    files = texts(sources, ledger, body, table, discussion + listed)
    figures = gallery.shown | own.shown
    shown = {f"figures/{name}.pdf": figure.pdf for name, figure in figures.items()}
    whole = {"experiment.toml": read_whole(sources.experiment).text.encode()}
    inside = attachments(evidence, whole | typed)
    svgs = {name: figure.svg for name, figure in figures.items()}
    read = {name: text.decode() for name, text in files.items()}
    material = Material(sources.experiment.stem, read, svgs, ledger, record_sets(evidence))
    pngs = {name: figure.png for name, figure in figures.items()}
    return Prepared(files | shown, inside, {MAIN: body, LEDGER: table}, pngs, material)


def discussion_text(sources: Sources, claims: AllClaims, body: str, bib: str) -> str:
    """The student's text; where there is none, or where it says so, the generated draft."""
    text, folder = read_typed(sources.discussion) if sources.discussion.exists() else DRAFT, sources.folder.name
    typed = Typed(f"{folder}/{sources.discussion.name}", text), Typed(f"{folder}/{FILE}", bib)
    own = OwnData(sources.folder, names_made(sources.experiment.stem))
    check_both(*typed, claims.ledger, _targets(body), own)
    generated = " ".join(draft(claims).splitlines())  # on one line: the student's lines keep their numbers
    return sizes_written_out(COMMENT.sub("%", text).replace(DRAFT, generated))


def reference_list(discussion: str, bib: str) -> str:
    """The sources that the discussion cites, for its end."""
    keys = keys_cited(discussion)
    listed = list_of(keys, bib) if keys else ""
    require_plain_list(listed, FILE)
    return f"\n\n{listed}" if listed else ""


def _bib(file: Path) -> str:
    try:
        return read_typed(file) if file.exists() else ""
    except SpecError as error:
        raise ReportError(error.what, hint=error.hint, file=FILE, line=error.line) from error


def sizes_written_out(text: str) -> str:
    """`\\size{64K}` as LaTeX prints a size."""
    return _SIZE.sub(lambda found: show(parse_size(found[1].strip()), "size", 0).tex, text)


def check_names(body: Rendered, ledger: Ledger) -> None:
    """Check that every claim, figure and table that a template names exists."""
    targets = frozenset(_targets(body.text))
    for number, line in enumerate(body.text.splitlines(), 1):
        lost = [f"claim {name!r}" for name, _ in claims_used(line) if name not in ledger]
        lost += [
            f"{found[1]} {found[2]!r}" for found in _NAMED.finditer(line) if f"{found[1]}of {found[2]}" not in targets
        ]
        if lost:
            raise body.in_template(ReportError(f"there is no {lost[0]}", file=MAIN, line=number))


def _targets(body: str) -> Iterator[str]:
    """The figures and tables that the templates have put into the report, for \\figureof and \\tableof."""
    yield from (f"{found[1]}of {found[2]}" for found in _LABEL.finditer(body))


def ledger_table(sources: Sources, evidence: Evidence, ledger: Ledger, text: str) -> Rendered:
    """The claims that the text uses, and the records that they come from."""
    names, sets = (name for name, _ in claims_used(text)), record_sets(evidence)
    context = {
        "rows": ledger_rows(ledger, names, sets),
        "sets": sets,
        "level": f"{LEVEL:.0%}",
        "command": f"lab run {sources.experiment.stem} --fresh",
    }
    return render(sources.templates, "parts/ledger.tex", context)


def texts(sources: Sources, ledger: Ledger, body: Rendered, table: Rendered, discussion: str) -> dict[str, bytes]:
    """All files that LaTeX reads, but for the figures."""
    files = {
        MAIN: body.text,
        "claims.tex": definitions(ledger, claims_used(body.text + discussion)),
        "discussion.tex": discussion,
        LEDGER: table.text,
        "lab.sty": (sources.templates / "lab.sty").read_text(),
    }
    return {name: text.encode() for name, text in files.items()}
