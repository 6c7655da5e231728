"""Which pages are made from the code, and whether they are as they lie there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lab.docs import card_page, experiment_page, headline, template_page
from lab.places import DOCS, from_here

PAGES: dict[str, Callable[[], str]] = {
    "cards.md": card_page.page,
    "experiments.md": experiment_page.page,
    "headline.svg": headline.headline,
    "templates.md": template_page.page,
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
