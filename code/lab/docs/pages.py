"""The pages of docs/ that are generated from the code."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

from lab.docs import card_page, experiment_page
from lab.docs.schema import filled, rows
from lab.places import DOCS, TEMPLATES, from_here
from lab.report.context import Context
from lab.report.exhibits.core import LOOKS

EXAMPLE = "plain_verbs.tex"


def template_page() -> str:
    """docs/reports.md with the example and the names of templates renewed."""
    parts = {
        "example": f"```tex\n{(TEMPLATES / EXAMPLE).read_text().rstrip()}\n```",
        "looks": ", ".join(f"`{look}`" for look in LOOKS),
        "names": rows(("name", "what it is", "its fields"), _rows()),
    }
    return filled("reports.md", parts)


def _rows() -> Iterator[tuple[str, str, str]]:
    for name, hint in get_type_hints(Context, include_extras=True).items():
        kind, meaning = get_args(hint)
        called = "(...)" if get_origin(kind) is Callable else ""
        yield f"`{name}{called}`", meaning, ", ".join(f"`{each}`" for each in _fields(kind))


def _fields(kind: object) -> list[str]:
    """The fields and properties of a dataclass, or of the first among the arguments of a type."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and is_dataclass(each):
            values = {name: value for base in each.__mro__ for name, value in vars(base).items()}
            made = [name for name, value in values.items() if isinstance(value, (property, cached_property))]
            return [name for name in (*(field.name for field in fields(each)), *made) if not name.startswith("_")]
    return []


PAGES: dict[str, Callable[[], str]] = {
    "cards.md": card_page.page,
    "experiments.md": experiment_page.page,
    "headline.svg": card_page.headline,
    "reports.md": template_page,
}


def write(folder: Path = DOCS) -> None:
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def stale(folder: Path = DOCS) -> list[Path]:
    """The pages that are missing or differ from what the code makes."""
    files = {folder / name: page for name, page in PAGES.items()}
    return [from_here(file) for file, page in files.items() if not file.is_file() or file.read_text() != page()]
