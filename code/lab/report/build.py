"""From evidence to a PDF and a page: claims, figures, texts, checks, LaTeX, attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.analysis.estimate import LEVEL
from lab.errors import SpecError
from lab.files.typed_text import read_typed
from lab.model.sizes import parse_size
from lab.report.check.references import require_plain_list
from lab.report.check.typed_texts import OwnData, Typed, check_both
from lab.report.claim import Ledger
from lab.report.errors import ReportError
from lab.report.evidence.record_sets import RecordSet
from lab.report.groundwork import Groundwork
from lab.report.pdf.attach import attach
from lab.report.pdf.made_files import names_made
from lab.report.prose.own_figures import own_figures
from lab.report.prose.uses import COMMENT, claims_used, keys_cited
from lab.report.sources import MAIN, Sources
from lab.report.tables.ledger import ledger_rows
from lab.report.tex.latex import compile_pdf
from lab.report.tex.quantities import written_out
from lab.report.tex.references import FILE, list_of
from lab.report.tex.render import Rendered, render
from lab.report.tex.typeset import definitions
from lab.report.tex.units import show
from lab.report.twin.page import Material

if TYPE_CHECKING:
    from lab.figures.figure import Figure
    from lab.report.evidence.evidence import Evidence

LEDGER = "ledger.tex"
DRAFT = r"\draft"
_SIZE = re.compile(r"\\size\{([^{}]*)\}")


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
    from lab.report.laying import lay

    return prepare_on(lay(sources, evidence, cache), sources, cache)


def prepare_on(ground: Groundwork, sources: Sources, cache: Path) -> Prepared:
    """The same where all has been laid that does not rest on the discussion."""
    body, ledger, bib = ground.body, ground.ledger, _bib(sources.references)
    discussion = discussion_text(sources, ground, bib)
    discussion, own = _with_own_figures(discussion, sources.folder, cache)
    listed = reference_list(discussion, bib)
    table = ledger_table(sources, ground.sets, ledger, body.text + discussion)
    files = texts(sources, ledger, body, table, discussion + listed)
    figures = {**ground.figures, **own}
    shown = {f"figures/{name}.pdf": figure.pdf for name, figure in figures.items()}
    svgs = {name: figure.svg for name, figure in figures.items()}
    read = {name: text.decode() for name, text in files.items()}
    material = Material(sources.experiment.stem, read, svgs, ledger, ground.sets)
    pngs = {name: figure.png for name, figure in figures.items()}
    inside = {**ground.inside, **sources.typed_texts}
    return Prepared(files | shown, inside, {MAIN: body, LEDGER: table}, pngs, material)


def discussion_text(sources: Sources, ground: Groundwork, bib: str) -> str:
    """The student's text; where there is none, or where it says so, the generated draft."""
    text, folder = read_typed(sources.discussion) if sources.discussion.exists() else DRAFT, sources.folder.name
    typed = Typed(f"{folder}/{sources.discussion.name}", text), Typed(f"{folder}/{FILE}", bib)
    own = OwnData(sources.folder, names_made(sources.experiment.stem))
    check_both(*typed, ground.ledger, ground.targets, own)
    generated = " ".join(ground.draft.splitlines())  # on one line: the student's lines keep their numbers
    return sizes_written_out(COMMENT.sub("%", text).replace(DRAFT, generated))


def _with_own_figures(text: str, folder: Path, cache: Path) -> tuple[str, dict[str, Figure]]:
    """The text with the student's own figures at their places, and the figures."""
    if not own_figures(text):
        return text, {}
    from lab.report.pictures.own import own_gallery, placed  # only now: what draws takes half a second to load

    own = own_gallery(text, folder, cache)
    return placed(text, own), own.shown


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


def ledger_table(sources: Sources, sets: tuple[RecordSet, ...], ledger: Ledger, text: str) -> Rendered:
    """The claims that the text uses, and the records that they come from."""
    names = (name for name, _ in claims_used(text))
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
