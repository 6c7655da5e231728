"""Records on disk: one folder for each trial, written atomically."""

import gzip
import json
import os
import re
import shutil
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from lab.errors import ParseError, RecordError
from lab.files.storage import refusal, storage
from lab.files.store import SUMS, Digest, damage, read_sums, sha256, sha256_of, sums_of
from lab.programs.program import Sample
from lab.programs.samples_csv import load_samples, write_samples
from lab.records.facts import Facts, parse_facts
from lab.typed_json import JsonError, JsonTable

AGAIN = "lab run of its experiment measures it again"
RECORD, SAMPLES, SERVER_LOG, CLIENT_LOG = "record.json", "samples.csv.gz", "server.log", "client.log"
START_OF_KEY = re.compile(r"[0-9a-f]{1,64}")


@dataclass(frozen=True)
class Record:
    facts: Facts
    samples: tuple[Sample, ...]
    server_log: str = ""
    client_log: str = ""

    @property
    def key(self) -> str:
        return self.facts.key


@dataclass(frozen=True)
class RecordFiles:
    """The files of a record, and a function that reads one of them."""

    folder: Path
    read: Callable[[Path], bytes]

    def facts(self) -> Facts:
        try:
            return parse_facts(self.document())
        except JsonError as error:
            file = str(self.folder / RECORD)
            raise RecordError(f"is not a record of this version: {error.what}", where=file, hint=AGAIN) from error

    def document(self) -> JsonTable:
        """The table in record.json, unchecked: an untrusted file may contain anything."""
        file = self.folder / RECORD
        try:
            document = json.loads(self.read(file))
        except (OSError, ValueError, RecursionError) as error:
            raise RecordError(f"cannot be read: {error}", where=str(file), hint=AGAIN) from error
        if not isinstance(document, dict) or document.get("key") != self.folder.name:
            raise RecordError("is not the record of its folder's key", where=str(file), hint=AGAIN)
        return document

    def samples(self) -> tuple[Sample, ...]:
        file = self.folder / SAMPLES
        try:
            return load_samples(gzip.decompress(self.read(file)).decode())
        except (OSError, EOFError, ValueError, zlib.error, ParseError) as error:
            raise RecordError(f"cannot be read: {error}", where=str(file), hint=AGAIN) from error


def record_folder(results: Path, key: str) -> Path:
    """Return the folder of a key's record, which may not exist."""
    return results.joinpath("records", key[:2], key)


def has_record(results: Path, key: str) -> bool:
    return record_folder(results, key).is_dir() and not record_damage(results, key)


def record_damage(results: Path, key: str) -> str:
    """Describe the damage of a record; empty for a whole record, and without a record."""
    folder = record_folder(results, key)
    return _damage(folder) if folder.is_dir() else ""


def _damage(folder: Path, digest: Digest = sha256) -> str:
    try:
        return damage(folder, digest)
    except OSError as error:
        raise RecordError(f"cannot be read: {refusal(error)[0]}", where=str(error.filename or folder)) from error


def write_record(results: Path, record: Record) -> None:
    """Write a record with the digests of its files; replace an older record of the same key."""
    samples = gzip.compress(write_samples(record.samples).encode(), compresslevel=6, mtime=0)
    files = _common_files(record) | {SAMPLES: samples}
    digests = {name: sha256_of(content) for name, content in files.items()}
    _write_folder(record_folder(results, record.key), files | {SUMS: sums_of(digests)})


def write_failure(results: Path, record: Record, sentence: str, evidence: dict[str, str]) -> Path:
    """Write the evidence of a failed trial, apart from the records."""
    folder = results / "failed" / record.key
    texts = {"failure.txt": sentence + "\n", **evidence}
    _write_folder(folder, _common_files(record) | {name: text.encode() for name, text in texts.items()})
    return folder


def read_whole(results: Path, key: str) -> RecordFiles | None:
    """Read each file of a whole record into memory once; None without a whole record."""
    folder, read = record_folder(results, key), cache(Path.read_bytes)
    is_whole = folder.is_dir() and not _damage(folder, lambda file: sha256_of(read(file)))
    return RecordFiles(folder, read) if is_whole else None


def open_record(results: Path, key: str) -> RecordFiles:
    """Open a record; each file is checked when it is read."""
    return RecordFiles(record_folder(results, key), _as_written)


def _as_written(file: Path) -> bytes:
    content = file.read_bytes() if file.is_file() else b""
    if sha256_of(content) != read_sums(file.parent).get(file.name):
        raise RecordError("is not what was written", where=str(file), hint=AGAIN)
    return content


def find_key(results: Path, start: str) -> str:
    if not START_OF_KEY.fullmatch(start):
        raise RecordError(f"{start!r:.80} begins no key: keys have digits and the letters a to f", hint="lab show 3f9a")
    keys = sorted(folder.name for folder in (results / "records").glob(f"{start[:2]}*/{start}*"))
    if len(keys) == 1:
        return keys[0]
    problem = "no record's key begins" if not keys else f"{len(keys)} records' keys begin"
    raise RecordError(f"{problem} with {start!r}", where=str(results), hint="more of the key, as the table shows it")


def canonical_text(document: JsonTable) -> str:
    """The only text of record.json for a table: readers of JSON differ in duplicate keys."""
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _common_files(record: Record) -> dict[str, bytes]:
    texts = {RECORD: canonical_text(record.facts.table()), SERVER_LOG: record.server_log, CLIENT_LOG: record.client_log}
    return {name: text.encode() for name, text in texts.items()}


def _write_folder(folder: Path, files: dict[str, bytes]) -> None:
    """Write a temporary folder, sync, rename. The caller holds the key's lock, so a leftover temporary is stale."""
    beside, old = (folder.with_name(f".{folder.name}.{kind}") for kind in ("tmp", "old"))
    with storage(folder):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        try:
            for name, content in files.items():
                with (beside / name).open("wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
            _sync_folder(beside)
            shutil.rmtree(old, ignore_errors=True)
            if folder.exists():
                folder.rename(old)
            beside.rename(folder)
            _sync_folder(folder.parent)
            shutil.rmtree(old, ignore_errors=True)
        except OSError:
            shutil.rmtree(beside, ignore_errors=True)
            raise


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
