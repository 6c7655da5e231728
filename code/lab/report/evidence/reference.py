"""Evidence made of results/reference: an experiment's rows without its records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from lab.errors import RecordError, SpecError
from lab.machine.ends import ENDS
from lab.places import REFERENCE
from lab.plan.plan import Plan, SiteFacts
from lab.records.reference import read_identity
from lab.records.row import parse_table
from lab.report.evidence.evidence import Evidence, cells
from lab.report.evidence.measured import measured_plan
from lab.sites.traits import EXACT
from lab.spec.experiment import Experiment, Point

SITE = "exact"


@dataclass(frozen=True)
class ReferenceEvidence(Evidence):
    """Rows alone: what needs single samples, as quantiles and rounds do, is an error."""

    def samples(self, series: str, point: Point | None = None) -> NoReturn:
        """The reference keeps no samples."""
        raise RecordError(f"{series}{point or ''}: the reference has rows and no samples", hint="measure it: lab run")


def reference_evidence(experiment: Experiment, folder: Path = REFERENCE) -> ReferenceEvidence:
    """The rows that every computer measures; an error where there are none."""
    table = folder / f"{experiment.name}.csv"
    try:
        rows = parse_table(table.read_text())
    except FileNotFoundError as error:
        raise SpecError("there is no reference to take numbers from", file=table, hint="make lock") from error
    names = {row.series for row in rows}
    series = tuple(one for one in experiment.on(EXACT).series if one.name in names)
    rows = [row for row in rows if row.series in {one.name for one in series}]  # a reference may be an older one
    facts = SiteFacts(SITE, ENDS, read_identity(folder) or {}, EXACT)
    plan = measured_plan(Plan(replace(experiment, series=series), facts, ()), rows)
    keys = list(dict.fromkeys(row.record for row in rows))
    return ReferenceEvidence(plan, tuple(rows), {}, folder, 0, cells(plan, rows, keys))
