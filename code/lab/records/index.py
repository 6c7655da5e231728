"""An index of a results folder: the site, the programs and the start of each record.

Reading hundreds of records takes a second, so a file beside them keeps the index. A damaged file is made anew; a
folder that nobody may write gets no file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lab.errors import RecordError, StorageError
from lab.files.storage import write_text
from lab.plan.plan import SiteFacts
from lab.records.record import RECORD, read_facts
from lab.records.site_of_record import SITE, read_site

INDEX = ".index.json"
Programs = tuple[tuple[str, str], ...]  # (name, sha256), by name


@dataclass(frozen=True)
class Group:
    """The records of one site with one identity: the programs that ran there, and the start of each record."""

    site: SiteFacts
    started: dict[str, str]  # by key
    programs: dict[Programs, str]  # and the start of their newest record


Entry = tuple[list[int], str, dict[str, str], str]  # the file's stamp, the site as JSON, programs, start


def read_groups(results: Path) -> list[Group]:
    """All records that name their site. The reader of another record reports its damage."""
    known = _read(results / INDEX)
    found = {key: _entry(results, key, stamp, known.get(key)) for key, stamp in _stamps(results / "records")}
    entries = {key: entry for key, entry in found.items() if entry is not None}
    if entries != known:
        _keep(results / INDEX, entries)
    return list(_groups(entries))


def _stamps(records: Path) -> Iterator[tuple[str, list[int]]]:
    """Every record's key, with a stamp that changes with its file."""
    for start in _entries(records):
        for folder in _entries(start):
            with suppress(OSError):
                status = (folder / RECORD).stat()
                yield folder.name, [status.st_mtime_ns, status.st_ino, status.st_size]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def _entry(results: Path, key: str, stamp: list[int], known: Entry | None) -> Entry | None:
    if known is not None and known[0] == stamp:
        return known
    try:
        facts = read_facts(results, key)
        said = facts.lasting()
        read_site(said)
    except RecordError:
        return None
    site = _canonical({name: said[name] for name in SITE})
    return (stamp, site, facts.asked.programs, facts.moment.started) if facts.moment.started else None


def _groups(entries: dict[str, Entry]) -> Iterator[Group]:
    groups: dict[str, Group] = {}
    for key, (_, site, programs, started) in entries.items():
        if site not in groups:
            groups[site] = Group(read_site(json.loads(site)), {}, {})
        group, ran = groups[site], tuple(sorted(programs.items()))
        group.started[key] = started
        group.programs[ran] = max(started, group.programs.get(ran, ""))
    yield from groups.values()


def _read(file: Path) -> dict[str, Entry]:
    """The kept index; empty if the file is damaged."""
    if not file.is_file():
        return {}
    try:
        digest, _, text = file.read_text().partition("\n")
        if digest != _digest(text):
            return {}
        kept = json.loads(text)
        sites = kept["sites"]
        return {
            key: (stamp, sites[site], programs, started)
            for key, (stamp, site, programs, started) in kept["records"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
        return {}


def _keep(file: Path, entries: dict[str, Entry]) -> None:
    sites = list(dict.fromkeys(site for _, site, _, _ in entries.values()))
    numbers = {site: number for number, site in enumerate(sites)}
    records = {key: (stamp, numbers[site], *rest) for key, (stamp, site, *rest) in entries.items()}
    text = _canonical({"sites": sites, "records": records})
    with suppress(StorageError):
        write_text(file, f"{_digest(text)}\n{text}")


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
