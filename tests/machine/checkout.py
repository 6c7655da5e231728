"""This checkout once more at another place, without what it has made."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from lab.places import CACHE, ROOT

# As code/setup/setup has it: the same Python, set up for this folder.
KEY = "{ pwd; .venv/bin/python --version; cat code/setup/setup code/setup/beside code/setup/requirements.txt; }"
# A single short trial, for tests about where and as whom it runs.
SMALL = """
title = "Small"
question = "Does it run here too?"
parameters = { sizes = 64, iterations = 100, repetitions = 1 }
[[series]]
name = "tcp"
program = "tcp"
operation = "send"
measure = "throughput"
"""
OWN = "own's (1).toml"
# In a folder of the cache. What another test makes there meanwhile has other names, as has Python's own beside sources.
FINISHED = re.compile(r"[0-9a-f]{64}|.+\.deb")
SOURCES = shutil.ignore_patterns("__pycache__")


def _unfinished(folder: str, names: list[str]) -> list[str]:
    here = Path(folder).parent == CACHE
    return [name for name in names if here and not FINISHED.fullmatch(name)]


def _link(one: str, other: str) -> None:
    Path(other).hardlink_to(one)


def checkout(place: Path, kept: Iterable[str] = ()) -> Path:
    """All that a build and a run need, and an experiment; of the cache some folders, by links."""
    for name in ("code", "experiments", "templates"):
        shutil.copytree(ROOT / name, place / name, ignore=SOURCES)
    shutil.copy(ROOT / "Makefile", place)
    shutil.copytree(ROOT / ".venv", place / ".venv", symlinks=True, copy_function=_link)
    for name in kept:
        kept_there = place / ".cache" / name
        shutil.copytree(CACHE / name, kept_there, symlinks=True, copy_function=_link, ignore=_unfinished)
    (place / ".venv" / "setup.sha256").unlink()
    done(place, "sh", "-c", f"{KEY} | sha256sum >.venv/setup.sha256")
    (place / OWN).write_text(SMALL)
    return place


def ended(place: Path, *command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command there, which has not broken down, whatever it says."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, env={**inherited, **variables}
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def done(place: Path, *command: str | Path, **variables: str) -> str:
    """What a command prints that ends well there."""
    found = ended(place, *command, **variables)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout
