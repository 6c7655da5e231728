"""Whether a report is up to date: a digest of everything that it is made of, kept beside it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lab.places import ROOT
from lab.plan import Plan
from lab.storage import write_text
from lab.table import table_stamp

# The code that turns records into a PDF; a change of it is a change of every report.
CODE = tuple(ROOT / "code" / "lab" / name for name in ("report", "figures", "analysis"))


def digest_files(files: Iterable[Path]) -> str:
    """Names and contents; a file that is not there counts as such."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b"none"
        digest.update(f"{file.name} {len(content)} ".encode() + content)
    return digest.hexdigest()


def digest_code(folders: Iterable[Path] = CODE) -> str:
    """All modules of these packages."""
    return digest_files(file for folder in folders for file in sorted(folder.rglob("*.py")))


def report_stamp(plan: Plan, results: Path, texts: Iterable[Path]) -> str:
    """The same stamp, the same PDF."""
    parts = [table_stamp(plan, results), digest_files(texts), digest_code()]
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()


def is_current(pdf: Path, stamp: str) -> bool:
    """Whether the PDF was made of this, and is still the one that was made."""
    file = _stamp_file(pdf)
    return pdf.exists() and file.exists() and file.read_text() == f"{stamp} {digest_files([pdf])}"


def keep_stamp(pdf: Path, stamp: str) -> None:
    """Call after the PDF is in its place."""
    write_text(_stamp_file(pdf), f"{stamp} {digest_files([pdf])}")


def _stamp_file(pdf: Path) -> Path:
    return pdf.with_name(f".{pdf.stem}.stamp")
