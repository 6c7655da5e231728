"""A checkout in a folder that people's names, courses and backups make: the lab's commands work in it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from tests.machine.small import SMALL

from lab.places import ROOT
from lab.sites.exact import ExactSite

STRANGE = 'Ada\'s "Prüfung" (2. Übung) $HOME & co; 100% #1'
KEPT = ("image", "machine", "packages", "plugin")  # what takes minutes to make: by links, and nothing of it is written
# As code/setup/setup has it: the same Python, set up for this folder.
KEY = "{ pwd; .venv/bin/python --version; cat code/setup/setup code/setup/beside code/setup/requirements.txt; }"


def link(one: str, other: str) -> None:
    Path(other).hardlink_to(one)


def checkout(folder: Path) -> Path:
    """All that a build and a run need, at another place; built programs are not among it."""
    place = folder / STRANGE
    for name in ("code", "experiments", "templates"):
        shutil.copytree(ROOT / name, place / name)
    shutil.copy(ROOT / "Makefile", place)
    shutil.copytree(ROOT / ".venv", place / ".venv", symlinks=True, copy_function=link)
    for name in KEPT:
        shutil.copytree(ROOT / ".cache" / name, place / ".cache" / name, symlinks=True, copy_function=link)
    (place / ".venv" / "setup.sha256").unlink()
    done(place, "sh", "-c", f"{KEY} | sha256sum >.venv/setup.sha256")
    (place / "own's (1).toml").write_text(SMALL)
    return place


def done(place: Path, *command: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    ended = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False, env=environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    return ended.stdout


def test_build_run_and_report_work_in_a_path_of_any_letters(exact: ExactSite, tmp_path: Path) -> None:
    exact.asked()
    place = checkout(tmp_path)
    done(place, "make", "-s", "build")
    assert (place / ".cache" / "bench" / "verbs-client").exists()
    run = done(place, ".venv/bin/lab", "run", "own's (1).toml", "--site", "exact")
    assert run == "1 trials measured, 0 done before, 0 failed\n"
    assert done(place, ".venv/bin/lab", "report", "own's (1).toml") == "report/own's (1).pdf\n"
    frozen = ROOT / ".cache" / "machine"
    assert {each.name for each in (place / ".cache" / "machine").iterdir()} == {each.name for each in frozen.iterdir()}
