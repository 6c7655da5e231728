"""From evidence to a PDF and a page: claims, figures, texts, checks, LaTeX, attachments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.analysis.estimate import LEVEL
from lab.errors import LabError, SpecError
from lab.files.typed_text import read_typed
from lab.model.sizes import parse_size
from lab.report.check.safety import unsafe
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
from lab.report.twin.material import Material

if TYPE_CHECKING:
    from lab.figures.figure import Figure
    from lab.report.evidence.evidence import Evidence

LEDGER = "ledger.tex"
DRAFT = r"\draft"
_SIZE = re.compile(r"\\size\{([^{}]*)\}")


@dataclass(frozen=True)
class Discussion:
    """What a student typed, read once: what is checked is what is printed."""

    text: str
    bib: str

    @classmethod
    def read(cls, sources: Sources) -> Discussion:
        """Where there is no text, the command for the generated one."""
        text = read_typed(sources.discussion) if sources.discussion.exists() else DRAFT
        return cls(text, _bib(sources.references))


def _bib(file: Path) -> str:
    try:
        return read_typed(file) if file.exists() else ""
    except SpecError as error:
        raise ReportError(error.what, hint=error.hint, file=FILE, line=error.line) from error


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
    typed = Discussion.read(sources)
    check_typed(typed, ground, sources)
    return write(typed, ground, sources, cache)


def prepare_unchecked(typed: Discussion, ground: Groundwork, sources: Sources, cache: Path) -> Prepared | None:
    """The report of a text that is still to be checked; none where LaTeX must not see it before, or cannot."""
    if not is_harmless(typed.text):
        return None
    with suppress(LabError):  # the check says it better
        return write(typed, ground, sources, cache)
    return None


def is_harmless(text: str) -> bool:
    """Whether LaTeX may read a text before it is checked: all commands are permitted ones, and it takes in neither
    sources nor data of its own."""
    with suppress(ReportError):
        return not (any(unsafe(text, "")) or own_figures(text) or keys_cited(text))
    return False


def check_typed(typed: Discussion, ground: Groundwork, sources: Sources) -> None:
    """An error with all that is refused of what a student typed."""
    from lab.report.check.typed_texts import OwnData, Typed, check_both  # only now: it may load while LaTeX runs

    folder = sources.folder.name
    both = Typed(f"{folder}/{sources.discussion.name}", typed.text), Typed(f"{folder}/{FILE}", typed.bib)
    check_both(*both, ground.ledger, ground.targets, OwnData(sources.folder, names_made(sources.experiment.stem)))


def write(typed: Discussion, ground: Groundwork, sources: Sources, cache: Path) -> Prepared:
    """All texts, figures and attachments."""
    body, ledger = ground.body, ground.ledger
    discussion = discussion_text(typed.text, ground.draft)
    discussion, own = _with_own_figures(discussion, sources.folder, cache)
    listed = reference_list(discussion, typed.bib)
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


def discussion_text(typed: str, draft: str) -> str:
    """The text with the generated one where it says so."""
    generated = " ".join(draft.splitlines())  # on one line: the student's lines keep their numbers
    return sizes_written_out(COMMENT.sub("%", typed).replace(DRAFT, generated))


def _with_own_figures(text: str, folder: Path, cache: Path) -> tuple[str, dict[str, Figure]]:
    """The text with the student's own figures at their places, and the figures."""
    if not own_figures(text):
        return text, {}
    from lab.report.pictures.own import own_gallery, placed  # only now: what draws takes half a second to load

    own = own_gallery(text, folder, cache)
    return placed(text, own), own.shown


def reference_list(discussion: str, bib: str) -> str:
    """The sources that the discussion cites, for its end."""
    if not (keys := keys_cited(discussion)):
        return ""
    from lab.report.check.references import require_plain_list

    listed = list_of(keys, bib)
    require_plain_list(listed, FILE)
    return f"\n\n{listed}" if listed else ""


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
