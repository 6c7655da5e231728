"""What one pass of LaTeX leaves for the next: a pass that would read the same again would print the same again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LEFT = (".aux", ".out")  # labels and widths of tables; bookmarks
_PAGE = re.compile(rb"(\\newlabel\{[^{}]*\}\{\{[^{}]*\}\{)[^{}]*")
_READS_PAGES = re.compile(rb"\\(?:\w*pageref|tableofcontents|listof\w+)(?![A-Za-z])")
_OF_PAGES = (rb"\@writefile", rb"\gdef \@abspage@last")  # for lists of contents and figures, by page


@dataclass(frozen=True)
class PassFiles:
    """The files by their endings; none of them before the first pass."""

    files: tuple[tuple[str, bytes], ...] = ()

    def agrees(self, other: PassFiles, *, with_pages: bool) -> bool:
        """Whether a text reads the same from both."""
        return bool(self.files) and self._read(with_pages=with_pages) == other._read(with_pages=with_pages)

    def _read(self, *, with_pages: bool) -> dict[str, list[bytes]]:
        lines = {ending: content.splitlines() for ending, content in self.files}
        return lines if with_pages else {ending: _without_pages(each) for ending, each in lines.items()}


def read_left(folder: Path, stem: str) -> PassFiles:
    """What lies in the folder."""
    files = ((ending, folder / f"{stem}{ending}") for ending in LEFT)
    return PassFiles(tuple((ending, file.read_bytes()) for ending, file in files if file.is_file()))


def put_left(left: PassFiles, folder: Path, stem: str) -> None:
    """Lay it there for the next pass, and nothing else of a pass before."""
    for ending in LEFT:
        (folder / f"{stem}{ending}").unlink(missing_ok=True)
    for ending, content in left.files:
        (folder / f"{stem}{ending}").write_bytes(content)


def reads_pages(sources: list[bytes]) -> bool:
    """Whether a text prints the page of anything; else a label's page may move without a word that changes."""
    return any(_READS_PAGES.search(each) for each in sources)


def _without_pages(lines: list[bytes]) -> list[bytes]:
    """Labels by name, since a figure that moves to the next page is named later; all other lines stay in order."""
    kept = [_PAGE.sub(rb"\1", line) for line in lines if not line.startswith(_OF_PAGES)]
    return sorted(kept, key=lambda line: line if line.startswith(rb"\newlabel") else b"")
