"""The records of a hand-in, unpacked from its zip into a folder that the lab can read."""

from __future__ import annotations

import re
import zlib
from pathlib import Path

from lab.faults import OpeningFault
from lab.files.digests import SUMS
from lab.grade.plain_json import require_plain
from lab.plan.plan import Plan
from lab.records.record import CLIENT_LOG, RECORD, SAMPLES, SERVER_LOG, record_folder
from lab.submission.archive import SubmissionError, unpack

FILES = (RECORD, SAMPLES, SERVER_LOG, CLIENT_LOG, SUMS)
LARGEST_SAMPLES = 50 * 2**20
MORE_ROWS = 20_000  # of a size, than twice its messages: windows, rounds, the lines about a program
_PATH = re.compile(rf"([0-9a-f]{{64}})/({'|'.join(map(re.escape, FILES))})", re.ASCII)
_GZIP = 31  # zlib's code for a gzip header


def most_rows(plan: Plan) -> int:
    """The most samples that a record of this plan can hold."""
    rows = [sum(2 * each.iterations + MORE_ROWS for each in one.trial.request.counts) for one in plan.planned]
    return max(rows, default=0)


def unpack_records(content: bytes, results: Path, rows: int) -> frozenset[str]:
    """Write the files of records, none with more rows of samples; the keys of whole records."""
    files: dict[str, set[str]] = {}
    for path, data in unpack(content, "records.zip").items():
        found = _PATH.fullmatch(path)
        if found is None:
            raise SubmissionError(f"{path!r} is no file of a record", "records.zip", fault=OpeningFault.NAME)
        key, name = found.groups()
        if name == SAMPLES:
            require_bounded(data, path, rows)
        elif name == RECORD:
            require_plain(data, path)
        folder = record_folder(results, key)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        files.setdefault(key, set()).add(name)
    return frozenset(key for key, names in files.items() if names == set(FILES))


def require_bounded(content: bytes, path: str, rows: int) -> None:
    """Refuse samples that unpack to too much, since their readers unpack them whole."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        unpacked = unpacking.decompress(content, LARGEST_SAMPLES + 1)
    except zlib.error as error:
        raise SubmissionError(f"{path} cannot be unpacked: {error}", "records.zip") from error
    if len(unpacked) > LARGEST_SAMPLES or unpacked.count(b"\n") > rows:
        what = f"{path} unpacks to more than {LARGEST_SAMPLES} bytes or {rows} rows"
        raise SubmissionError(what, "records.zip", fault=OpeningFault.TOO_LARGE)
    if not unpacking.eof or unpacking.unused_data:
        raise SubmissionError(f"{path} is not one whole gzip stream", "records.zip")
