"""Jobs and outcomes as files in a folder that all nodes of a cluster see: one folder for each job, by its digest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

from lab.errors import LabError, SiteError
from lab.files.storage import storage
from lab.model.trial import Job, Outcome
from lab.typed_json import JsonTable, as_json, parse_as

JOB, OUTCOME, FAILURE, SUBMITTED = "job.json", "outcome.json", "failure.json", "submitted"


def digest(job: Job, kind: str) -> str:
    """The name of a job's folder: the same whatever the secret, which another run of the lab cannot know."""
    values = as_json(replace(job, environment=()))
    return hashlib.sha256(json.dumps([kind, values], sort_keys=True).encode()).hexdigest()


def put_job(folder: Path, job: Job) -> None:
    """Write a job for a node, unreadable to other users of the cluster: it holds a secret."""
    with storage(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(folder / JOB, as_json(job))


def get_job(folder: Path) -> Job:
    """The job of a folder."""
    return parse_as(Job, json.loads((folder / JOB).read_text()))


def put_outcome(folder: Path, outcome: Outcome) -> None:
    """Write the outcome of a job, whole or not at all."""
    _write(folder / OUTCOME, as_json(outcome))


def put_failure(folder: Path, error: LabError) -> None:
    """Write why a job has no outcome."""
    _write(folder / FAILURE, {"what": error.what, "where": error.where, "hint": error.hint})


def take(folder: Path) -> Outcome | SiteError | None:
    """The outcome in a folder, which is then removed; None if there is none yet."""
    kinds: dict[str, type[Outcome] | type[SiteError]] = {OUTCOME: Outcome, FAILURE: SiteError}
    for name, kind in kinds.items():
        try:
            found = parse_as(kind, json.loads((folder / name).read_text()))
        except FileNotFoundError:
            continue
        shutil.rmtree(folder, ignore_errors=True)
        return found
    return None


def _write(file: Path, values: JsonTable) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with storage(file):
            beside.write_text(json.dumps(values))
            beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)  # on a full disk, room for the sentence that says so
