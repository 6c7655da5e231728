"""experiments/published: its index, and the CSVs that other machines' reports left."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lab.errors import SpecError
from lab.files.toml_file import read_toml
from lab.files.typed_text import read_typed
from lab.places import PUBLISHED, ROOT

INDEX = "curves.toml"

Entry = dict[str, Any]


def entries(kind: str, experiment: str, folder: Path) -> Iterator[Entry]:
    """The entries of one kind in the index that belong to an experiment."""
    return (entry for entry in all_entries(kind, folder) if experiment in entry["experiments"])


def all_entries(kind: str, folder: Path) -> Iterator[Entry]:
    """All entries of one kind in the index."""
    yield from read_toml(folder / INDEX, "published").document.get(kind, ())


def rows_of(entry: Entry, folder: Path, columns: dict[str, type]) -> tuple[dict[str, str], ...]:
    """The rows of an entry's file, all of which have these columns, each of its type."""
    file = folder / entry["file"]
    rows = tuple(csv.DictReader(io.StringIO(read_typed(file), newline="")))
    if not rows:
        raise SpecError("holds no rows", file=file)
    for line, row in enumerate(rows, 2):
        for name, kind in columns.items():
            if not _reads(row.get(name), kind):
                what = f"{name} is {row.get(name)!r:.60}"
                raise SpecError(what, file=file, line=line, expected="a number" if kind is not str else "a text")
    return rows


def _reads(value: str | None, kind: type) -> bool:
    try:
        return value is not None and math.isfinite(kind(value)) if kind is not str else isinstance(value, str)
    except (ValueError, TypeError, OverflowError):
        return False


def source_of(file: str) -> str:
    """The file as a report names it."""
    return str((PUBLISHED / file).relative_to(ROOT))
