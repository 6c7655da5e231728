"""A copy of this checkout at another path, without build results."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from tests.toml import series_of

from lab.places import CACHE, ROOT

# As in code/setup/setup: marks the Python packages as installed for this folder.
KEY = "{ pwd; .venv/bin/python --version; cat code/setup/setup code/setup/beside code/setup/requirements.txt; }"
# A single short trial, for tests of paths and users.
SMALL = """
title = "Small"
question = "Does it run here too?"
parameters = { sizes = 64, iterations = 100, repetitions = 1 }
""" + series_of("tcp tcp send throughput")
OWN = "own's (1).toml"
# Finished files of the cache: files that another test is writing have other names.
FINISHED = re.compile(r"[0-9a-f]{64}|.+\.deb")
SOURCES = shutil.ignore_patterns("__pycache__")


def _unfinished(folder: str, names: list[str]) -> list[str]:
    here = Path(folder).parent == CACHE
    return [name for name in names if here and not FINISHED.fullmatch(name)]


def _link(source: str, copy: str) -> None:
    Path(copy).hardlink_to(source)


def checkout(place: Path, kept: Iterable[str] = ()) -> Path:
    """Copy everything that a build and a run need, with an experiment; link some folders of the cache."""
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
    """Run a command there, which may fail, but not with a traceback."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    done = subprocess.run(
        command, cwd=place, capture_output=True, text=True, check=False, env={**inherited, **variables}
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def done(place: Path, *command: str | Path, **variables: str) -> str:
    """Return the output of a command that must succeed there."""
    completed = ended(place, *command, **variables)
    assert completed.returncode == 0, completed.stdout + completed.stderr
    return completed.stdout
