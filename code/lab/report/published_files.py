"""experiments/published: its index, and the CSVs that other machines' reports left."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.places import PUBLISHED, ROOT

INDEX = "curves.toml"

Entry = dict[str, Any]


def entries(kind: str, experiment: str, folder: Path) -> Iterator[Entry]:
    """What the index holds of a kind that belongs to an experiment."""
    index = tomllib.loads((folder / INDEX).read_text())
    return (entry for entry in index[kind] if experiment in entry["experiments"])


def rows_of(entry: Entry, folder: Path) -> tuple[dict[str, str], ...]:
    """The rows of an entry's file."""
    with (folder / entry["file"]).open(newline="") as stream:
        return tuple(csv.DictReader(stream))


def source_of(file: str) -> str:
    """The file as a report names it."""
    return str((PUBLISHED / file).relative_to(ROOT))
