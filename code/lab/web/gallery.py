"""The reports that lie there, each with its first page, its first figure, its data and its page."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from lab.errors import LabError

WIDTH = 620  # of the picture of a first page, in pixels
_TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)
_FIGURE = re.compile(r"<svg role=\"img\" aria-label=\"([^\"]*)\".*?</svg>", re.DOTALL)


@dataclass(frozen=True)
class Shown:
    """A report of the gallery, and the files that its card leads to, by their names in the site."""

    name: str
    title: str
    figure_says: str  # its first figure in words, or nothing if it has none
    files: dict[str, bytes]


def gallery(reports: Path, results: Path) -> Iterator[Shown]:
    """All reports that are written as a PDF and as a page."""
    for pdf in sorted(reports.glob("*.pdf")):
        page = pdf.with_suffix(".html")
        if page.is_file():
            yield _shown(pdf, page.read_text(encoding="utf-8"), results / f"{pdf.stem}.csv")


def _shown(pdf: Path, page: str, table: Path) -> Shown:
    name = pdf.stem
    files = {f"{name}.pdf": pdf.read_bytes(), f"{name}.html": page.encode(), f"{name}.png": first_page(pdf)}
    if table.is_file():
        files[f"{name}.csv"] = table.read_bytes()
    if figure := _FIGURE.search(page):
        files[f"{name}.svg"] = _alone(figure[0]).encode()
    title = _TITLE.search(page)
    says = unescape(figure[1]) if figure else ""
    return Shown(name, unescape(title[1]).strip() if title else name, says, files)


def _alone(svg: str) -> str:
    """A drawing of a page as a file of its own."""
    space = "" if "xmlns=" in svg[: svg.index(">")] else ' xmlns="http://www.w3.org/2000/svg"'
    return svg.replace("<svg", f"<svg{space}", 1)


def first_page(pdf: Path) -> bytes:
    """As a picture."""
    command = ["pdftoppm", "-png", "-f", "1", "-singlefile", "-scale-to-x", str(WIDTH), "-scale-to-y", "-1", str(pdf)]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise LabError("can't be drawn as a picture", str(pdf), "make setup, then lab report") from error
