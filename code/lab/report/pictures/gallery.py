"""The figures that a report's texts ask for: drawn then, or kept by a digest of their data and of the drawing code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lab.errors import StorageError
from lab.figures import Figure
from lab.files.digests import damage, seal
from lab.files.storage import storage
from lab.places import ROOT
from lab.report.pictures.sketch import AnySketch
from lab.report.stamp import digest_code

DRAWN_BY = (ROOT / "code" / "lab" / "figures", ROOT / "code" / "lab" / "analysis")
WORDS = "figure.json"
KINDS = ("pdf", "png", "svg")


class Gallery(Mapping[str, Figure]):
    """All figures that the evidence can fill; a figure is drawn at its first use."""

    def __init__(self, pictures: Iterable[AnySketch], cache: Path) -> None:
        self.pictures = {each.name: each for each in pictures}
        self.shown: dict[str, Figure] = {}
        self._cache, self._code = cache, digest_code(DRAWN_BY)

    def __getitem__(self, name: str) -> Figure:
        if name not in self.shown:
            self.shown[name] = _one(self.pictures[name], self._cache, self._code)
        return self.shown[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.pictures)

    def __len__(self) -> int:
        return len(self.pictures)


def _one(picture: AnySketch, cache: Path, code: str) -> Figure:
    folder = cache / hashlib.sha256(f"{code} {picture.data!r}".encode()).hexdigest()
    if folder.is_dir() and not damage(folder):
        return _read(folder)
    figure = picture.draw()
    _write(folder, figure)
    return figure


def _read(folder: Path) -> Figure:
    words = json.loads((folder / WORDS).read_text())
    pictures = {kind: (folder / f"figure.{kind}").read_bytes() for kind in KINDS}
    return Figure(**words | pictures | {"keys": tuple(words["keys"])})


def _write(folder: Path, figure: Figure) -> None:
    """Kept for the next report, where one may write; the digests last: they say that the figure is whole."""
    words = {name: value for name, value in asdict(figure).items() if name not in KINDS}
    with suppress(StorageError), storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for kind in KINDS:
            (folder / f"figure.{kind}").write_bytes(getattr(figure, kind))
        (folder / WORDS).write_text(json.dumps(words, sort_keys=True))
        seal(folder)
