"""Figures that were drawn before: kept by a digest of their data and of the code that draws them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from lab.figures import Figure
from lab.places import ROOT
from lab.report.pictures import Picture
from lab.report.stamp import digest_code
from lab.storage import storage

DRAWN_BY = (ROOT / "code" / "lab" / "figures", ROOT / "code" / "lab" / "analysis")
WORDS = "figure.json"


def hang(pictures: Iterable[Picture], cache: Path) -> dict[str, Figure]:
    """Every figure, drawn only where its data or the code changed."""
    code = digest_code(DRAWN_BY)
    return {each.name: _one(each, cache, code) for each in pictures}


def _one(picture: Picture, cache: Path, code: str) -> Figure:
    folder = cache / hashlib.sha256(f"{code} {picture.data!r}".encode()).hexdigest()
    if (folder / WORDS).exists():
        return _read(folder)
    figure = picture.draw()
    _write(folder, figure)
    return figure


def _read(folder: Path) -> Figure:
    words = json.loads((folder / WORDS).read_text())
    pictures = {"pdf": (folder / "figure.pdf").read_bytes(), "png": (folder / "figure.png").read_bytes()}
    return Figure(**words | pictures | {"keys": tuple(words["keys"])})


def _write(folder: Path, figure: Figure) -> None:
    """The words last: they say that the figure is whole."""
    words = {name: value for name, value in asdict(figure).items() if name not in ("pdf", "png")}
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "figure.pdf").write_bytes(figure.pdf)
        (folder / "figure.png").write_bytes(figure.png)
        beside = folder / f".{WORDS}.tmp"
        beside.write_text(json.dumps(words, sort_keys=True))
        beside.replace(folder / WORDS)
