"""report.toml: the authors and the course. All of it is text to print and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.files.toml_file import TomlFile, check_toml, read_toml
from lab.files.toml_lines import find_line
from lab.report.errors import ReportError
from lab.report.tex.escape import Markup, escape, require_printable

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
