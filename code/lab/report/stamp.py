"""Stamps of what a report is made of: the same stamp gives the same PDF, the same ledger, the same evidence."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.causes.table import files_of
from lab.files.included import files_of as files_of_experiment
from lab.files.stamp import digest_files
from lab.places import MACHINE, PUBLISHED, ROOT
from lab.plan.plan import Plan
from lab.records.table import table_stamp

# The code that turns records into a PDF; a change of it is a change of every report.
CODE = tuple(ROOT / "code" / "lab" / name for name in ("report", "figures", "analysis"))
CODE_OF_ALL = (ROOT / "code" / "lab",)


def digest_code(folders: Iterable[Path] = CODE) -> str:
    """All modules of these packages."""
    return digest_files(file for folder in folders for file in sorted(folder.rglob("*.py")))


@dataclass(frozen=True)
class Stamps:
    """Of one moment: what changes while a report is built makes what was made of it stale."""

    report: str
    ledger: str
    evidence: str


def stamps(plan: Plan, results: Path, texts: Iterable[Path]) -> Stamps:
    """All of them; the records are looked at once."""
    claims = claims_stamp(plan, results)
    return Stamps(_report_stamp(claims, texts), claims, _evidence_stamp(claims, plan, results))


def report_stamp(plan: Plan, results: Path, texts: Iterable[Path]) -> str:
    """The stamp of a report's records, its texts and the code."""
    return _report_stamp(claims_stamp(plan, results), texts)


def claims_stamp(plan: Plan, results: Path) -> str:
    """Of all that claims are made of: records, counts of instructions, and the code."""
    counted = files_of(plan.experiment.name, results) if plan.experiment.causes else ()
    return f"{table_stamp(plan, results)} {digest_files(counted)} {digest_code()}"


def _report_stamp(claims: str, texts: Iterable[Path]) -> str:
    return digest(claims, digest_files(texts))


def _evidence_stamp(claims: str, plan: Plan, results: Path) -> str:
    """Of all that evidence holds, its places and its Python too, and of whatever code reads it again."""
    files = (*files_of_experiment(plan.experiment.file), *machine_files(), *published_files())
    return digest(claims, digest_files(files), digest_code(CODE_OF_ALL), ROOT, results, sys.version)


def digest(*parts: object) -> str:
    """Of what has the same words in every process."""
    return hashlib.sha256(" ".join(map(str, parts)).encode()).hexdigest()


def published_files() -> list[Path]:
    """The published reports' curves and values."""
    return sorted(PUBLISHED.glob("*.*"))


def machine_files() -> list[Path]:
    """The versions in the environment."""
    return [MACHINE / "packages.lock", MACHINE / "frozen.json"]
