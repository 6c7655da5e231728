"""report.toml: who hands in, for which course. Everything in it is text to print and nothing else."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lab.report.errors import ReportError
from lab.report.escape import Markup, escape, require_printable
from lab.toml_lines import find_line

KEYS: dict[str, type] = {"authors": list, "ids": list, "course": str}
MOST_PEOPLE = 12
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
        text = file.read_text()
        document = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReportError(f"cannot be read: {error}", file=_shown(file)) from error
    for key, value in document.items():
        _check(file, text, key, value)
    authors, ids = (tuple(escape(each) for each in document.get(key, [])) for key in ("authors", "ids"))
    if ids and len(ids) != len(authors):
        what = f"{len(ids)} ids for {len(authors)} authors"
        raise ReportError(what, hint="one for each, or none", file=_shown(file), line=find_line(text, ("ids",)))
    return People(authors, ids, escape(document.get("course", "")))


def _check(file: Path, text: str, key: str, value: object) -> None:
    line, shown = find_line(text, (key,)), _shown(file)
    if key not in KEYS:
        raise ReportError(f"unknown key {key!r}", hint="one of " + ", ".join(KEYS), file=shown, line=line)
    values: list[object] = value if isinstance(value, list) else [value]
    if not isinstance(value, KEYS[key]) or not all(isinstance(each, str) for each in values):
        wanted = "a list of texts" if KEYS[key] is list else "a text"
        raise ReportError(f"{key} is not {wanted}", file=shown, line=line)
    if len(values) > MOST_PEOPLE:
        raise ReportError(f"{key} has {len(values)} entries, at most {MOST_PEOPLE} fit", file=shown, line=line)
    for each in values:
        require_printable(str(each), shown, line)


def _shown(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
