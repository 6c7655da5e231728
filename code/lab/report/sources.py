"""The files that a report is written from, beside its records."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.files.typed_text import read_typed
from lab.report.tex.references import FILE
from lab.report.text.own_figures import files_named

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
