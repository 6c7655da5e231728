"""The figures that a report's texts ask for: drawn then, or kept by a digest of their data and of the drawing code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from lab.errors import StorageError
from lab.figures import Figure
from lab.files.digests import damage, seal
from lab.files.storage import storage
from lab.places import ROOT
from lab.report.stamp import digest_code

DRAWN_BY = (ROOT / "code" / "lab" / "figures", ROOT / "code" / "lab" / "analysis")
WORDS = "figure.json"
KINDS = ("pdf", "png", "svg")


Data = TypeVar("Data")


@dataclass(frozen=True)
class Sketch(Generic[Data]):
    """A figure that is not drawn yet: its name, its caption, its data, and the function that draws it."""

    name: str
    caption: str
    data: Data
    drawn_by: Callable[[Data], Figure]

    def draw(self) -> Figure:
        return self.drawn_by(self.data)


AnySketch = Sketch[Any]  # whatever it draws


class Gallery:
    """The figures of a report by name, each drawn once."""

    def __init__(self, cache: Path) -> None:
        self.sketches: dict[str, AnySketch] = {}
        self.shown: dict[str, Figure] = {}
        self._cache, self._code = cache, digest_code(DRAWN_BY)

    def __contains__(self, name: str) -> bool:
        return name in self.shown

    def draw(self, sketch: AnySketch) -> Figure:
        """The figure, as it was kept or drawn now."""
        self.sketches[sketch.name] = sketch
        self.shown[sketch.name] = _one(sketch, self._cache, self._code)
        return self.shown[sketch.name]


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
