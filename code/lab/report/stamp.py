"""The stamp of a report's sources: the same stamp gives the same PDF."""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lab.causes.table import files_of
from lab.files.store import digest_files
from lab.places import ROOT
from lab.plan.plan import Plan
from lab.records.table import table_stamp

# A report prints results of nearly every package (sizes, sites, causes, facts), so its stamp covers all code.
CODE = (ROOT / "code" / "lab",)


def digest_code(folders: Iterable[Path] = ()) -> str:
    """All modules and tables of these packages, by default those of `lab`."""
    files = (file for folder in folders or CODE for file in sorted(folder.rglob("*.*")))
    return digest_files(file for file in files if file.suffix in (".py", ".json", ".toml"))


def report_stamp(plan: Plan, results: Path, texts: Iterable[Path]) -> str:
    """The stamp of a report's records, its counts of instructions, its texts and the code."""
    counted = files_of(plan.experiment.name, results) if plan.experiment.causes else ()
    parts = (table_stamp(plan, results), digest_files(counted), digest_code(), digest_files(texts))
    return hashlib.sha256(" ".join(parts).encode()).hexdigest()
