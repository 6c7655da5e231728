"""Stamps of what a report is made of: the same stamp gives the same PDF and the same answers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lab.causes.table import files_of
from lab.files.store import digest_files
from lab.places import MACHINE, PUBLISHED, ROOT
from lab.plan.plan import Plan
from lab.records.table import table_stamp

# A report prints what modules of nearly every package say: sizes, sites, causes, facts. All are part of its stamp.
CODE = (ROOT / "code" / "lab",)


def digest_code(folders: Iterable[Path] = CODE) -> str:
    """All modules of these packages."""
    return digest_files(file for folder in folders for file in sorted(folder.rglob("*.py")))


def report_stamp(plan: Plan, results: Path, texts: Iterable[Path]) -> str:
    """The stamp of a report's records, its texts and the code."""
    return digest(claims_stamp(plan, results), digest_files(texts))


def claims_stamp(plan: Plan, results: Path) -> str:
    """Of all that claims are made of: records, counts of instructions, and the code."""
    counted = files_of(plan.experiment.name, results) if plan.experiment.causes else ()
    return f"{table_stamp(plan, results)} {digest_files(counted)} {digest_code()}"


def digest(*parts: object) -> str:
    """Of what has the same words in every process."""
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()


def published_files() -> list[Path]:
    """The published reports' curves and values."""
    return sorted(PUBLISHED.glob("*.*"))


def machine_files() -> list[Path]:
    """The versions in the environment."""
    return [MACHINE / "packages.lock", MACHINE / "frozen.json"]
