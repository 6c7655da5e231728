"""All trials of all experiments by their rows, as `lab verify` compares them: the reference's, and measured anew."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from lab.cli.measure import run_remaining
from lab.places import REFERENCE
from lab.plan.planning import all_experiments, open_workshop
from lab.records.table import columns, format_table, make_table
from lab.sites.exact import ExactSite

Said = Iterator[tuple[str, str]]


def of_trials(experiment: str, table: str) -> Said:
    """A digest for each trial: of its lines, with the key of its record in them."""
    head, *lines = table.splitlines()
    key = head.split(",").index("record")
    found = defaultdict[str, list[str]](list)
    for line in lines:
        found[line.split(",")[key]].append(line)
    for name, rows in found.items():
        yield f"{experiment}/{name}", hashlib.sha256("\n".join([head, *rows]).encode()).hexdigest()


def recorded() -> Said:
    """Those of the repository."""
    for file in all_experiments():
        yield from of_trials(file.stem, (REFERENCE / f"{file.stem}.csv").read_text())


def measured(site: ExactSite) -> Said:
    """Those of records that are measured now; a trial that failed has none."""
    shop = open_workshop(all_experiments(), site, lambda said: print(said, file=sys.stderr, flush=True))
    with tempfile.TemporaryDirectory(prefix="lab-hosts-") as folder:
        with redirect_stdout(sys.stderr):
            run_remaining(shop, Path(folder), jobs=os.cpu_count() or 1)
        for plan in shop.plans:
            rows = make_table(plan, Path(folder))
            yield from of_trials(plan.experiment.name, format_table(columns(plan, rows), rows))
