"""The pages of docs that are made from the code."""

from __future__ import annotations

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
        kind, words = get_args(hint)
        called = "(...)" if get_origin(kind) is Callable else ""
        yield f"`{name}{called}`", words, ", ".join(f"`{each}`" for each in _fields(kind))


def _fields(kind: object) -> list[str]:
    """Of a dataclass, or of each of several."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and is_dataclass(each):
            known = {name: value for base in each.__mro__ for name, value in vars(base).items()}
            made = [name for name, value in known.items() if isinstance(value, (property, cached_property))]
            return [name for name in (*(field.name for field in fields(each)), *made) if not name.startswith("_")]
    return []


PAGES: dict[str, Callable[[], str]] = {
    "cards.md": card_page.page,
    "experiments.md": experiment_page.page,
    "headline.svg": card_page.headline,
    "reports.md": template_page,
}


def write(folder: Path = DOCS) -> None:
    """All of them anew."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def stale(folder: Path = DOCS) -> list[Path]:
    """Those that differ from what would be written now."""
    return [from_here(folder / name) for name, page in PAGES.items() if _text(folder / name) != page()]


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""
