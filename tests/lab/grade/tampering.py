"""A kind of tampering: how it is done to an honest hand-in, and who must find it. And the tools of all kinds.

A variant chooses the place: another record, another cell, another claim.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.lab.grade.forger import Files, Forger

from lab.grade.finding import Flaw
from lab.submission.archive import PAGE

Forge = Callable[[Forger, int], "bytes | Path"]


@dataclass(frozen=True)
class Tampering:
    """One kind; `listed` where the course also accepts the identity that the forger names."""

    name: str
    check: str
    kind: Flaw
    forge: Forge
    listed: bool = False


KINDS: list[Tampering] = []


def found_by(check: str, kind: Flaw, *, listed: bool = False) -> Callable[[Forge], Forge]:
    def keep(forge: Forge) -> Forge:
        KINDS.append(Tampering(forge.__name__, check, kind, forge, listed))
        return forge

    return keep


def file_of(forger: Forger, tampering: Tampering, variant: int) -> Path:
    """The forged file on disk."""
    made = tampering.forge(forger, variant)
    if isinstance(made, Path):
        return made
    file = forger.folder / f"{tampering.name}-{variant}.pdf"
    file.write_bytes(made)
    return file


def any_key(forger: Forger, variant: int) -> str:
    return forger.keys[variant % len(forger.keys)]


def page_with(forger: Forger, **changes: Any) -> bytes:
    """A page whose chain was not redone."""
    page = json.loads(forger.files[PAGE]) | changes
    return old_page(forger, forger.files | {PAGE: json.dumps(page).encode()})


def old_page(forger: Forger, files: Files) -> bytes:
    """Files under a page that is as it was."""
    return forger.attached(files)


def with_object(pdf: bytes, kind: str, changes: dict[str, Any]) -> bytes:
    """The PDF with more in its first object of a kind."""
    return with_changes(pdf, lambda value: value.get("/Type") == kind, changes)


def with_changes(pdf: bytes, chosen: Callable[[dict[str, Any]], bool], changes: dict[str, Any]) -> bytes:
    """The PDF with more in its first object that is chosen."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.pdf").write_bytes(pdf)
        objects = json.loads(subprocess.check_output(["qpdf", "--json=2", "a.pdf"], cwd=name))["qpdf"][1]
    values = ((key, each.get("value")) for key, each in objects.items())
    key, value = next(each for each in values if isinstance(each[1], dict) and chosen(each[1]))
    return updated(pdf, {key: {"value": value | changes}})


def updated(pdf: bytes, objects: dict[str, Any]) -> bytes:
    """The PDF with other objects, or with more."""
    head = {
        "jsonversion": 2,
        "pdfversion": "1.5",
        "pushedinheritedpageresources": False,
        "calledgetallpages": True,
        "maxobjectid": 99_999,
    }
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "update.json").write_text(json.dumps({"qpdf": [head, objects]}))
        return by_qpdf(pdf, "--preserve-unreferenced", "--update-from-json=update.json", folder=Path(name))


def by_qpdf(pdf: bytes, *words: str, folder: Path) -> bytes:
    """The PDF as qpdf makes it of a.pdf with these options."""
    (folder / "a.pdf").write_bytes(pdf)
    subprocess.run(["qpdf", "--deterministic-id", "a.pdf", *words, "b.pdf"], cwd=folder, check=True)
    return (folder / "b.pdf").read_bytes()


def archive(forger: Forger, content: bytes) -> Path:
    file = forger.folder / "forged.zip"
    file.write_bytes(content)
    return file


def zipped(name: str, content: bytes, mode: int = 0) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        file.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def faster(text: str, factor: float) -> str:
    """Every time is a part of what it was."""

    def shorter(found: re.Match[str]) -> str:
        return f",{round(int(found[1]) * factor)}"

    return re.sub(r",(\d+)$", shorter, text, flags=re.MULTILINE)
