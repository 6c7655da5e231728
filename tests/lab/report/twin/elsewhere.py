"""A page that is made in another process, folder and time zone."""

from __future__ import annotations

from pathlib import Path

from tests.lab.report import laboratory

from lab.places import EXPERIMENTS, TEMPLATES
from lab.report.build import prepare
from lab.report.evidence.evidence import gather
from lab.report.sources import Sources
from lab.report.twin.page import page


def write(name: str, folder: str, file: str) -> None:
    plan = laboratory.plan_of(name)
    laboratory.record(plan, Path(folder) / "records")
    found = gather(plan, Path(folder) / "records")
    made = prepare(Sources(EXPERIMENTS / f"{name}.toml", TEMPLATES), found, Path(folder) / "cache")
    Path(file).write_bytes(page(made.material, TEMPLATES).encode())
