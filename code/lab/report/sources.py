"""The files that a report is written from: texts, authors, template."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.files.bounded import read_typed
from lab.files.toml import TomlFile, check_toml, find_line, read_toml
from lab.report.errors import ReportError
from lab.report.tex.render import Markup, escape, require_printable
from lab.report.text.own_figures import files_named
from lab.report.text.references import FILE

UNNAMED = Markup("")


@dataclass(frozen=True)
class People:
    """The first page's names, as LaTeX; each author with an id, or all without."""

    authors: tuple[Markup, ...] = ()
    ids: tuple[Markup, ...] = ()
    course: Markup = UNNAMED

    @property
    def names(self) -> Markup:
        return Markup(", ".join(self.authors))

    @property
    def with_ids(self) -> Markup:
        if not self.ids:
            return self.names
        return Markup(", ".join(f"{name} ({number})" for name, number in zip(self.authors, self.ids, strict=True)))


def read_people(file: Path) -> People:
    """The checked names; without a file there are none."""
    if not file.exists():
        return People()
    try:
        found = read_toml(file, "report")
    except SpecError as error:
        hint = error.hint or error.expected
        raise ReportError(error.what, hint=hint, file=_shown(file), line=error.line) from error
    authors, ids = _all_printed(found, "authors"), _all_printed(found, "ids")
    if ids and len(ids) != len(authors):
        what = f"{len(ids)} ids for {len(authors)} authors"
        raise ReportError(what, hint="one for each, or none", file=_shown(file), line=find_line(found.text, ("ids",)))
    return People(authors, ids, _printed(found, "course", found.document.get("course", "")))


def ids_in(text: str, file: Path) -> tuple[str, ...]:
    """The ids as they are typed."""
    return tuple(check_toml(file, text, "report").document.get("ids", ()))


def _all_printed(found: TomlFile, key: str) -> tuple[Markup, ...]:
    return tuple(_printed(found, key, each) for each in found.document.get(key, ()))


def _printed(found: TomlFile, key: str, text: str) -> Markup:
    require_printable(text, _shown(found.file), find_line(found.text, (key,)))
    return escape(text)


def _shown(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"


DEFAULT = "short.tex"  # which fills its own blocks
MAIN = "report.tex"  # the rendered template, as LaTeX finds it


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

    @property
    def typed_texts(self) -> dict[str, bytes]:
        """Those files as they are, as far as they exist."""
        return {name: file.read_bytes() for name, file in self.typed.items() if file.exists()}
