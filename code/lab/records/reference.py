"""The reference: tables, with the identity of their site and programs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lab.errors import VerifyError
from lab.files.storage import write_text
from lab.plan.plan import Plan
from lab.records.table import columns, format_table, make_table

IDENTITY = "identity.json"


def write_reference(plans: Iterable[Plan], results: Path, folder: Path) -> dict[Path, int]:
    """Write the tables of complete plans and the identity of their site; return the number of rows by file."""
    plans, written = tuple(plans), {}
    for plan in plans:
        rows = make_table(plan, results)
        file = folder / f"{plan.experiment.name}.csv"
        write_text(file, format_table(columns(plan, rows), rows))
        written[file] = len(rows)
    has_other_tables = set(folder.glob("*.csv")) - written.keys()
    identity = ((read_identity(folder) or {}) if has_other_tables else {}) | identity_of(plans)
    write_text(folder / IDENTITY, json.dumps(identity, indent=1, sort_keys=True) + "\n")
    return written


def read_reference(plan: Plan, folder: Path) -> str:
    file = folder / f"{plan.experiment.name}.csv"
    try:
        return file.read_text()
    except FileNotFoundError as error:
        hint = f"lab table {plan.experiment.name} --reference"
        raise VerifyError("there is no reference", where=str(file), hint=hint) from error


def read_identity(folder: Path) -> dict[str, str] | None:
    """Read the identity of the reference; None without a readable file."""
    try:
        identity = json.loads((folder / IDENTITY).read_text())
    except (OSError, ValueError):
        return None
    return identity if isinstance(identity, dict) else None


def identity_of(plans: Iterable[Plan]) -> dict[str, str]:
    """Merge the site's identity and the digests of the programs."""
    identity: dict[str, str] = {}
    for plan in plans:
        identity |= plan.site.identity
        for planned in plan.planned:
            identity |= planned.trial.programs
    return identity


def changed_parts(plans: Iterable[Plan], folder: Path) -> list[str]:
    """Return the names of the parts of the identity, and of the programs, that differ from the reference."""
    before, now = read_identity(folder), identity_of(plans)
    if before is None:
        return ["everything, since the reference has no identity"]
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
