"""class.html: one page for a whole class, to open from disk; it loads no other file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.grade.course import Graded
from lab.grade.likeness import Likeness
from lab.grade.result import SHOWN_FINDINGS
from lab.grade.saved import SENTENCES, SavedCheck
from lab.harmless import one_line
from lab.places import TEMPLATES


@dataclass(frozen=True)
class ClassPage:
    """All that the page says of a class."""

    title: str
    checks: tuple[str, ...]  # of its assignments
    rows: list[Graded]
    causes: Mapping[str, list[str]]
    twice: Mapping[str, list[str]]  # ids in several hand-ins
    alike: list[Likeness]

    def first(self, row: Graded) -> str:
        """What a grader must know before the points."""
        again = [(name, len(self.twice[same_id(name)])) for name in row.grade.ids if same_id(name) in self.twice]
        said = [*row.grade.flags, *(f"the id {name} stands in {count} hand-ins" for name, count in again)]
        return "; ".join([*said, row.trouble] if row.trouble else said)

    def checks_of(self, row: Graded) -> dict[str, SavedCheck]:
        return {check.name: check for check in row.grade.checks}

    def sentences(self, row: Graded) -> str:
        """The page of the discussion as seen from the class's page; empty if there is none."""
        folder = row.folder
        there = folder and (folder / SENTENCES).is_file()
        return f"{folder.parent.name}/{folder.name}/{SENTENCES}" if folder and there else ""

    def findings(self, check: SavedCheck) -> list[str]:
        """The first of them, and the command that repeats the check."""
        found = [f"[{each.kind}] {each.what}" for each in check.findings[:SHOWN_FINDINGS]]
        more = len(check.findings) - len(found)
        ending = [*([f"and {more} more"] if more else []), f"to repeat: {check.command}"]
        return [*map(str, check.parts), *(found or ["nothing found"]), *ending]


def class_page(page: ClassPage) -> str:
    """The table, whose cells link to the evidence below. Untrusted text has no tag, and nothing that ends a line."""
    loader = FileSystemLoader(TEMPLATES)
    pages = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True, finalize=_harmless)
    return pages.get_template("class.html").render(page=page) + "\n"


def same_id(name: str) -> str:
    """An id as two people would type the same one."""
    return " ".join(name.split()).casefold()


def _harmless(value: object) -> object:
    """What a macro returns is markup already."""
    return value if isinstance(value, Markup) else one_line(str(value))
