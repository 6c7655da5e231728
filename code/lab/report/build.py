"""From evidence to a PDF and a page: figures, templates, the discussion with its evidence, LaTeX, attachments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from lab.analysis.estimate import LEVEL
from lab.files.storage import csv_text
from lab.files.toml import read_whole
from lab.model.sizes import parse_size
from lab.report.context import make_context
from lab.report.errors import ReportError, TextRefused
from lab.report.evidence.environment import RecordSet, record_sets, sets_of
from lab.report.evidence.evidence import Evidence
from lab.report.exhibits.core import Gallery, draw
from lab.report.html.live import live_figure
from lab.report.html.page import Material
from lab.report.pdf import attach, attachments
from lab.report.query.grammar import QueryError
from lab.report.query.numbers import Numbers
from lab.report.sources import MAIN, Sources, read_people
from lab.report.tex.latex import compile_pdf, require_tex
from lab.report.tex.numbers import show, written_out
from lab.report.tex.render import Rendered, render
from lab.report.text.backing import Backing
from lab.report.text.check import Checked, Writing, check, read_writing
from lab.report.text.latex import lost_targets, without_comments
from lab.report.text.macros import macros_of
from lab.report.text.references import list_of_sources

COLUMNS = "kind number text shown value unit low high level n verdict source records".split()  # noqa: SIM905
_SIZE = re.compile(r"\\size\{([^{}]*)\}")


def printed(text: str, backings: Sequence[Backing]) -> str:
    """Replace the macros by their print, on as many lines."""
    parts, at = list[str](), 0
    for backing in backings:
        use = backing.use
        lines = "%\n" * text.count("\n", use.start, use.end)
        parts += [text[at : use.start], _tex(backing), lines]
        at = use.end
    whole = "".join([*parts, text[at:]]) if parts else without_comments(text)
    return _SIZE.sub(lambda size: show(parse_size(size[1].strip()), "size", 0).tex, whole)


def _tex(backing: Backing) -> str:
    if backing.use.kind == "given":
        return rf"\labgiven{{{backing.use.body.replace('%', chr(92) + '%').replace('_', chr(92) + '_')}}}"
    if backing.judged:
        return rf"\labshows{{{backing.number}}}"
    assert backing.value
    value = backing.value
    return rf"\labclaim{{{backing.number}}}{{{value.printed(backing.use.digits).tex}{value.mark}}}"


def _row(backing: Backing) -> tuple[str | int | float, ...]:
    """A claim or a statement with all digits, for claims.csv."""
    if judged := backing.judged:
        about = ("", "", "", "", "", judged.n or "", judged.truth.value, judged.source, " ".join(judged.keys))
        return ("statement", backing.number, judged.text, judged.shows, *about)
    assert backing.value
    value = backing.value
    interval = None if value.is_exact else value.estimate.interval
    ends = (repr(interval.low), repr(interval.high), interval.level) if interval else ("", "", "")
    numbers = (value.printed().plain, repr(value.answer.value), value.shown_unit, *ends, value.estimate.n or "")
    return ("claim", "", backing.use.body, *numbers, "", value.source, " ".join(value.keys))


EVIDENCE = "evidence.tex"
ALONE = r"\documentclass[10pt]{article}\usepackage{lab}\begin{document}\input{discussion}\end{document}"
UNWRITTEN = "The discussion has not been written yet."
_TARGET = re.compile(r"\\label\{(figure|table):([^{}]*)\}")


@dataclass(frozen=True)
class Prepared(Material):
    """The material of page and PDF, and the templates behind the lines of some texts."""

    rendered: dict[str, Rendered]

    def typeset(self) -> bytes:
        """The PDF with its attachments; LaTeX gets plain quantities, which it sets faster than siunitx's."""
        require_tex()
        files = {name: written_out(text).encode() for name, text in self.texts.items()}
        files |= {f"figures/{name}.pdf": figure.pdf for name, figure in self.figures.items()}
        try:
            return attach(compile_pdf(files, MAIN), self.files)
        except ReportError as error:
            rendered = self.rendered.get(error.file)
            raise (rendered.in_template(error) if rendered else error) from error


def prepare(sources: Sources, evidence: Evidence, cache: Path) -> Prepared:
    """The report up to LaTeX."""
    numbers, gallery = Numbers(evidence), Gallery()
    body = _body(sources, numbers, gallery)
    claims, targets = _claims_of_templates(body, numbers), _targets(body)
    for lost in lost_targets(body.text, MAIN, targets):
        raise body.in_template(ReportError(lost.what, hint=lost.hint, file=MAIN, line=lost.line))
    checked = check(read_writing(sources.folder), numbers, targets)
    if checked.faults:
        raise TextRefused("the discussion has faults:", faults=checked.faults)

    backings = _numbered([*claims, *checked.backings])
    of_body, of_text, sets = backings[: len(claims)], backings[len(claims) :], record_sets(evidence)
    listed = render(sources.templates, "parts/evidence.tex", _evidence_context(sources, backings, sets))
    texts = {
        MAIN: printed(body.text, of_body),
        "discussion.tex": _discussion(checked.writing, of_text),
        EVIDENCE: listed.text,
        "lab.sty": (sources.templates / "lab.sty").read_text(),
    }
    experiment = read_whole(sources.experiment).text.encode()
    claims_csv = csv_text(COLUMNS, dict.fromkeys(_row(backing) for backing in backings if backing.use.kind != "given"))
    added = {"claims.csv": claims_csv.encode(), "experiment.toml": experiment}
    inside = attachments(evidence, added | sources.typed_texts)
    queried = dict.fromkeys(name for backing in backings if backing.value for name in backing.value.series)
    live = live_figure(numbers, {name: captioned.data for name, captioned in gallery.items()}, queried)
    figures = draw(gallery, cache / "figures")
    rendered = {MAIN: body, EVIDENCE: listed}
    return Prepared(sources.experiment.stem, texts, figures, backings, sets, live, inside, rendered)


def targets_of(sources: Sources, numbers: Numbers) -> frozenset[str]:
    """The figures and tables of a report: `figureof throughput`."""
    return _targets(_body(sources, numbers, Gallery()))


def _body(sources: Sources, numbers: Numbers, gallery: Gallery) -> Rendered:
    context = make_context(numbers, read_people(sources.people), gallery, list(sources.typed_texts))
    return render(sources.templates, sources.template, context)


def _targets(body: Rendered) -> frozenset[str]:
    return frozenset(f"{kind}of {name}" for kind, name in _TARGET.findall(body.text))


def typeset_alone(sources: Sources, checked: Checked) -> None:
    """Set the discussion without the report around it; raise where LaTeX refuses it."""
    files = {
        MAIN: ALONE,
        "discussion.tex": written_out(_discussion(checked.writing, _numbered(checked.backings))),
        "lab.sty": (sources.templates / "lab.sty").read_text(),
    }
    compile_pdf({name: text.encode() for name, text in files.items()}, MAIN)


def _numbered(backings: Sequence[Backing]) -> list[Backing]:
    return [replace(backing, number=backing.number or str(count)) for count, backing in enumerate(backings, 1)]


def _claims_of_templates(body: Rendered, numbers: Numbers) -> list[Backing]:
    """The answers to the templates' queries; an error names the template's line."""
    claims = []
    for use in macros_of(body.text):
        try:
            claims.append(Backing(use, value=numbers.ask(use.body)))
        except QueryError as error:
            line = body.text.count("\n", 0, use.start) + 1
            raise body.in_template(ReportError(error.what, hint=error.hint, file=MAIN, line=line)) from error
    return claims


def _discussion(writing: Writing, backings: list[Backing]) -> str:
    """The student's text with its evidence, and the list of cited sources."""
    text = writing.text if without_comments(writing.text).strip() else UNWRITTEN
    discussion, listed = printed(text, backings), list_of_sources(text, writing.references)
    return f"{discussion}\n\n{listed}" if listed else discussion


def _evidence_context(sources: Sources, backings: list[Backing], sets: tuple[RecordSet, ...]) -> dict[str, object]:
    return {
        "rows": [
            (backing.number, judged, sets_of(judged.keys, sets) or judged.source)
            for backing in backings
            if (judged := backing.judged)
        ],
        "given": [backing.use.body for backing in backings if backing.use.kind == "given"],
        "sets": sets,
        "level": f"{LEVEL:.0%}",
        "command": f"lab run {sources.experiment.stem} --fresh",
    }
