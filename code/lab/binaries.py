"""The programs under test as they lie on disk."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from lab.errors import LabError
from lab.places import BENCH


def digest_binaries(names: Iterable[str], directory: Path = BENCH) -> dict[str, str]:
    """The sha256 of each program under test."""
    return {name: _digest(directory / name) for name in sorted(names)}


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError as error:
        raise LabError(f"{file.name} is not built", where=str(file.parent), hint="make build") from error
