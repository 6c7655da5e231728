"""Folders that commands make: there whole or not at all, and kept."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path


def run(*words: str | Path) -> str:
    """A command's output; the error of a failed one has what it said."""
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def kept(folder: Path, make: Callable[[Path], None]) -> Path:
    """The folder, made if it is missing."""
    if not folder.exists():
        making = folder.with_name(f"{folder.name}.making")
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir(parents=True)
        make(making)
        making.rename(folder)
    return folder
