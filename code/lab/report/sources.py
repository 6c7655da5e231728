"""The files behind a report: texts, authors, template."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lab.errors import SpecError, plural
from lab.files.toml import Lines, check_lines, find_line, read_toml
from lab.report.errors import ReportError
from lab.report.tex.render import require_printable
from lab.report.text.references import FILE
from lab.typed_json import LINE, Limits

Line = Annotated[str, LINE]


@dataclass(frozen=True)
class People:
    """The keys of report.toml: as many people as fit on the first page, each with an id, or all without."""

    authors: Annotated[tuple[Line, ...], Limits(longest=12)] = ()
    ids: Annotated[tuple[Line, ...], Limits(longest=12, unique=True)] = ()
    course: Annotated[str, Limits(pattern=r"[^\n]{0,200}", expected="a line of text, up to 200 characters")] = ""

    @property
    def names(self) -> str:
        return ", ".join(self.authors)

    @property
    def with_ids(self) -> str:
        if not self.ids:
            return self.names
        return ", ".join(f"{name} ({number})" for name, number in zip(self.authors, self.ids, strict=True))


def read_people(file: Path) -> People:
    """The checked names; none without a file."""
    if not file.exists():
        return People()
    shown = f"{file.parent.name}/{file.name}"
    try:
        typed = read_toml(file, People)
    except SpecError as error:
        hint = error.hint or error.expected
        raise ReportError(error.what, hint=hint, file=shown, line=error.line) from error
    people = typed.content
    for key, texts in {"authors": people.authors, "ids": people.ids, "course": [people.course]}.items():
        for text in texts:
            require_printable(text, shown, find_line(typed.text, (key,)))
    if people.ids and len(people.ids) != len(people.authors):
        what = f"{plural(len(people.ids), 'id')} for {plural(len(people.authors), 'author')}"
        raise ReportError(what, hint="one for each, or none", file=shown, line=find_line(typed.text, ("ids",)))
    return people


def ids_in(text: str, file: Path) -> tuple[str, ...]:
    return check_lines(Lines(file, text), People).content.ids


DEFAULT = "short.tex"
MAIN = "report.tex"  # the rendered template, as LaTeX finds it


@dataclass(frozen=True)
class Sources:
    experiment: Path
    templates: Path

    @property
    def folder(self) -> Path:
        """The folder of report.toml and discussion.tex, beside the experiment."""
        return self.experiment.with_suffix("")

    @property
    def people(self) -> Path:
        return self.folder / "report.toml"

    @property
    def discussion(self) -> Path:
        return self.folder / "discussion.tex"

    @property
    def template(self) -> str:
        name = f"{self.experiment.stem}.tex"
        return name if (self.templates / name).is_file() else DEFAULT

    @property
    def typed_texts(self) -> dict[str, bytes]:
        """The files that a person wrote, by their names in the PDF."""
        files = (self.people, self.discussion, self.folder / FILE)
        return {file.name: file.read_bytes() for file in files if file.exists()}
