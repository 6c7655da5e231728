"""The two sides of a comparison: tables and identity, from a results folder or from a report's PDF."""

from __future__ import annotations

import csv
import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import LabError, ParseError
from lab.records.record import find_key, read_facts
from lab.records.reference import IDENTITY
from lab.records.row import Row, is_table, parse_table
from lab.report.pdf.extract import extract
from lab.report.pdf.typesetter import typesetter
from lab.typed_json import JsonTable

CLAIMS, MANIFEST = "claims.csv", "manifest.json"  # of a report: no table of records, and the records' digests


class SideError(LabError):
    """A side of a comparison holds no tables."""


@dataclass(frozen=True)
class ComparedSide:
    """The tables by experiment, and the identity of their site in flat names."""

    name: str
    tables: dict[str, list[Row]]
    identity: dict[str, str]
    typesetter: str = ""  # of a PDF


def read_side(place: Path) -> ComparedSide:
    """A side from a folder with tables or from a PDF that holds them."""
    if place.is_dir():
        return _folder(place, str(place))
    with tempfile.TemporaryDirectory(prefix="lab-side-") as name:
        extract(place, Path(name))
        return replace(_folder(Path(name), str(place)), typesetter=typesetter(place))


def _folder(folder: Path, name: str) -> ComparedSide:
    """Turns damaged or foreign tables into an error of one sentence."""
    try:
        return _side(folder, name)
    except (ParseError, ValueError, KeyError, TypeError, AttributeError, csv.Error, RecursionError) as error:
        raise SideError(f"holds data that the lab did not write: {error!r:.200}", where=name) from error


def _side(folder: Path, name: str) -> ComparedSide:
    files = [each for each in sorted(folder.glob("*.csv")) if each.name != CLAIMS]
    texts = {file.stem: file.read_text() for file in files}
    tables = {name: rows for name, text in texts.items() if is_table(text) and (rows := parse_table(text))}
    if not tables:
        raise SideError("holds no table of an experiment", where=name, hint="a results folder, or a PDF of lab report")
    return ComparedSide(name, tables, _identity(folder, tables))


def _identity(folder: Path, tables: dict[str, list[Row]]) -> dict[str, str]:
    """The identity beside the tables, else from their records."""
    if (folder / IDENTITY).exists():
        return _flat(json.loads((folder / IDENTITY).read_text())) | _programs(folder / MANIFEST)
    identity: dict[str, str] = {}
    for start in sorted({row.record for rows in tables.values() for row in rows}):
        asked = read_facts(folder, find_key(folder, start)).asked
        identity |= {"site": asked.site, **asked.programs, **asked.identity}
    return identity


def _programs(manifest: Path) -> dict[str, str]:
    """The programs under test, which a report lists record by record."""
    records = json.loads(manifest.read_text()) if manifest.exists() else []
    return {name: digest for record in records for name, digest in _flat(record["programs"]).items()}


def _flat(values: JsonTable) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}
