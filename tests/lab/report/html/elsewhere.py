"""A page with evidence, and one that is made in another process, folder and time zone."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.lab.report import laboratory

from lab.places import EXPERIMENTS, TEMPLATES
from lab.report.build import prepare
from lab.report.evidence.evidence import gather
from lab.report.html.page import page
from lab.report.sources import Sources

NAME = "verbs_throughput"
DISCUSSION = "TCP moves \\claim{tcp at 1K}, \\claim{tcp / verbs at 1K} of RDMA.\\shows{verbs < tcp everywhere}\n"


def sources_with_evidence(folder: Path) -> Sources:
    """The experiment with a discussion that its measurements on the fake site support."""
    for name in (f"{NAME}.toml", NAME, "shared"):
        source = EXPERIMENTS / name
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, folder / name)
    (folder / NAME / "discussion.tex").write_text(DISCUSSION)
    return Sources(folder / f"{NAME}.toml", TEMPLATES)


def write(folder: str, file: str) -> None:
    """Measure, and write the page."""
    place = Path(folder)
    place.mkdir()
    plan = laboratory.plan_of(NAME)
    laboratory.record(plan, place / "records")
    made = prepare(sources_with_evidence(place), gather(plan, place / "records"), place / "cache")
    Path(file).write_bytes(page(made.material, TEMPLATES).encode())
