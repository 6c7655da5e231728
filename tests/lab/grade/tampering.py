"""Kinds of tampering: how each changes an honest submission, and which check must find it, with tools for all kinds.

A variant chooses the place: another record, another cell, another claim.
"""

import io
import json
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.lab.grade.forger import Files, Forger

from lab.grade.finding import Flaw
from lab.submission.archive import PAGE

Choice = TypeVar("Choice")
Forge = Callable[[Forger, int], bytes]


@dataclass(frozen=True)
class Tampering:
    """One kind; `listed` where the course also accepts the identity that the forger names."""

    name: str
    check: str
    kind: Flaw
    forge: Forge
    listed: bool = False


KINDS: list[Tampering] = []


def kinds(*rows: tuple[str, str, Flaw, Forge], listed: bool = False) -> None:
    """Add kinds: the name, the check and its finding, and how to forge."""
    KINDS.extend(Tampering(*row, listed) for row in rows)


def found_by(check: str, flaw: Flaw, *, listed: bool = False) -> Callable[[Forge], Forge]:
    """The decorator of a function that is a kind."""

    def keep(forge: Forge) -> Forge:
        kinds((forge.__name__, check, flaw, forge), listed=listed)
        return forge

    return keep


def file_of(name: str, *contents: bytes) -> Forge:
    """Replaces a file by one of these contents."""
    return lambda forger, variant: forger.pdf(forger.files | {name: any_of(contents, variant)})


def changed(name: str, change: Callable[[str, int], str]) -> Forge:
    """Changes the text of a file."""
    return lambda forger, variant: forger.pdf(forger.changed(name, lambda text: change(text, variant)))


def with_facts(change: Callable[[dict[str, Any], int], Any], first: int = 0) -> Forge:
    """Changes the facts of one record."""
    return lambda forger, variant: forger.pdf(
        forger.facts(any_key(forger, first + variant), lambda facts: change(facts, variant))
    )


def any_of(choices: Sequence[Choice], variant: int) -> Choice:
    return choices[variant % len(choices)]


def any_key(forger: Forger, variant: int) -> str:
    return any_of(forger.keys, variant)


def without_line(text: str, variant: int) -> str:
    lines = text.splitlines(keepends=True)
    del lines[1 + variant % (len(lines) - 1)]
    return "".join(lines)


def page_with(forger: Forger, **changes: Any) -> bytes:
    """A page whose chain was not redone."""
    page = json.loads(forger.files[PAGE]) | changes
    return forger.attached(forger.files | {PAGE: json.dumps(page).encode()})


def with_changes(pdf: bytes, chosen: Callable[[dict[str, Any]], bool], changes: dict[str, Any]) -> bytes:
    """The PDF with more in its first chosen object."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a.pdf").write_bytes(pdf)
        objects = json.loads(subprocess.check_output(["qpdf", "--json=2", "a.pdf"], cwd=name))["qpdf"][1]
    values = ((key, item.get("value")) for key, item in objects.items())
    key, value = next(item for item in values if isinstance(item[1], dict) and chosen(item[1]))
    return updated(pdf, {key: {"value": value | changes}})


def updated(pdf: bytes, objects: dict[str, Any]) -> bytes:
    """The PDF with changed or added objects."""
    head = {"jsonversion": 2, "pdfversion": "1.5", "maxobjectid": 99_999}
    head |= {"pushedinheritedpageresources": False, "calledgetallpages": True}
    update = {"u.json": json.dumps({"qpdf": [head, objects]})}
    return by_qpdf(pdf, "--preserve-unreferenced", "--update-from-json=u.json", **update)


def by_qpdf(pdf: bytes, *words: str, **files: str) -> bytes:
    """The PDF as qpdf makes it of a.pdf with these options."""
    with tempfile.TemporaryDirectory() as name:
        for file, text in files.items():
            (Path(name) / file).write_text(text)
        (Path(name) / "a.pdf").write_bytes(pdf)
        subprocess.run(["qpdf", "--deterministic-id", "a.pdf", *words, "b.pdf"], cwd=name, check=True)
        return (Path(name) / "b.pdf").read_bytes()


def zipped(name: str, content: bytes, mode: int = 0) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = mode << 16
        file.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def faster(text: str, factor: float) -> str:
    return re.sub(r",(\d+)$", lambda match: f",{round(int(match[1]) * factor)}", text, flags=re.MULTILINE)


def cited(forger: Forger, note: str) -> Files:
    """All files, with a source that the discussion cites."""
    source = f"@misc{{frey, title = {{A title}}, note = {{{note}}}}}\n"
    files = forger.changed("discussion.tex", lambda text: f"{text}Others found the same \\cite{{frey}}.\n")
    return files | {"references.bib": source.encode()}
