"""results/reference: the small tables that a re-run is compared with, and the identity of their site."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from lab.errors import VerifyError
from lab.files.storage import write_text
from lab.plan.plan import Plan
from lab.records.row import format_table
from lab.records.table import columns, make_table

IDENTITY = "identity.json"


def write_reference(plans: Iterable[Plan], results: Path, folder: Path) -> dict[Path, int]:
    """Write the tables of complete plans and the identity of their site; the number of rows by file."""
    plans, written = tuple(plans), {}
    for plan in plans:
        rows = make_table(plan, results)
        file = folder / f"{plan.experiment.name}.csv"
        write_text(file, format_table(columns(plan, rows), rows))
        written[file] = len(rows)
    facts = _facts_of_others(folder, written) | _facts(plans)
    write_text(folder / IDENTITY, json.dumps(facts, indent=1, sort_keys=True) + "\n")
    return written


def _facts_of_others(folder: Path, written: Iterable[Path]) -> dict[str, str]:
    """What the identity said, if tables stay that are not written now."""
    return (read_identity(folder) or {}) if set(folder.glob("*.csv")) - set(written) else {}


def read_reference(plan: Plan, folder: Path) -> str:
    """The committed table of an experiment."""
    file = folder / f"{plan.experiment.name}.csv"
    try:
        return file.read_text()
    except FileNotFoundError as error:
        hint = f"lab table {plan.experiment.name} --reference"
        raise VerifyError("there is no reference", where=str(file), hint=hint) from error


def read_identity(folder: Path) -> dict[str, str] | None:
    """The identity that the reference was measured with, if its file names one."""
    try:
        known = json.loads((folder / IDENTITY).read_text())
    except (OSError, ValueError):
        return None
    return known if isinstance(known, dict) else None


def changed_parts(plans: Iterable[Plan], folder: Path) -> list[str]:
    """The names of differences from the reference: parts of the site's identity, programs under test."""
    before = read_identity(folder)
    if before is None:
        return ["everything, since the reference names no identity"]
    now = _facts(plans)
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _facts(plans: Iterable[Plan]) -> dict[str, str]:
    """The site's identity and the digests of the programs, in one flat table."""
    facts: dict[str, str] = {}
    for plan in plans:
        facts |= plan.site.identity
        for planned in plan.planned:
            facts |= planned.trial.programs
    return facts
