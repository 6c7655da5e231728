"""The reference: tables, with the identity of their site and programs; and the plan of its trials."""

import json
from collections.abc import Iterable
from pathlib import Path

from lab.errors import LabError
from lab.experiment.experiment import Experiment
from lab.files.storage import write_text
from lab.machine.results import ENDS
from lab.plan.builds import LAB_PROGRAMS
from lab.plan.plan import CARD_FILES, Plan, SiteFacts, binaries, make_plan
from lab.records.table import KEY_LETTERS, Row, columns, format_table, make_table, parse_table
from lab.sites.site import EXACT

IDENTITY = "identity.json"
SITE = "exact"  # the site of the reference


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
        raise LabError("there is no reference", where=str(file), hint=hint) from error


def reference_plan(experiment: Experiment, folder: Path) -> Plan | None:
    """Plan the experiment with the site and the programs of the reference; None if it lacks any trial."""
    identity = read_identity(folder) or {}
    digests = {file: identity.get(file.name, "") for file in binaries([experiment])}
    programs = {*LAB_PROGRAMS, *(file.name for file in (*CARD_FILES, *digests))}
    site = {name: value for name, value in identity.items() if name not in programs}
    plan = make_plan(experiment, SiteFacts(SITE, ENDS, site, EXACT), digests)
    return plan if reference_rows(plan, folder) else None


def reference_rows(plan: Plan, folder: Path) -> list[Row]:
    """Return the reference's rows of the plan's trials; none if it lacks any trial."""
    file = folder / f"{plan.experiment.name}.csv"
    trials = {(each.series.name, each.trial.key[:KEY_LETTERS]) for each in plan.planned if not each.series.tool.silent}
    rows = [row for row in parse_table(file.read_text()) if (row.series, row.record) in trials] if file.exists() else []
    return rows if {(row.series, row.record) for row in rows} == trials else []


def read_identity(folder: Path) -> dict[str, str] | None:
    """Read the identity of the reference; None without a readable file."""
    try:
        identity = json.loads((folder / IDENTITY).read_text())
    except (OSError, ValueError):
        return None
    return identity if isinstance(identity, dict) else None


def identity_of(plans: Iterable[Plan]) -> dict[str, str]:
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
