"""Jobs and outcomes as files in a folder that all nodes of a cluster see: one folder for each job, by its digest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from lab.errors import LabError, SiteError
from lab.files.storage import storage
from lab.model.trial import Job, Link, Outcome, Perturbation, Step, StepOutcome

JOB, OUTCOME, FAILURE, SUBMITTED = "job.json", "outcome.json", "failure.json", "submitted"


def digest(job: Job, kind: str) -> str:
    """The name of a job's folder: the same whatever the secret, which another run of the lab cannot know."""
    values = _job_values(replace(job, environment=()))
    return hashlib.sha256(json.dumps([kind, values], sort_keys=True).encode()).hexdigest()


def put_job(folder: Path, job: Job) -> None:
    """What a node is to run; the secret in it is not for other users of the cluster."""
    with storage(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(folder / JOB, _job_values(job))


def get_job(folder: Path) -> Job:
    """The job of a folder."""
    values = json.loads((folder / JOB).read_text())
    steps = tuple(
        Step(**{**each, "server": tuple(each["server"]), "client": tuple(each["client"])}) for each in values["steps"]
    )
    return Job(
        steps=steps,
        link=Link(**values["link"]),
        perturbation=Perturbation(**values["perturbation"]),
        deadline_s=values["deadline_s"],
        environment=_frozen(values["environment"]),
        overlay=tuple(Path(each) for each in values["overlay"]),
    )


def put_outcome(folder: Path, outcome: Outcome) -> None:
    """What a job left, whole or not at all."""
    _write(folder / OUTCOME, asdict(outcome))


def put_failure(folder: Path, error: LabError) -> None:
    """Why there is no outcome."""
    _write(folder / FAILURE, {"what": error.what, "where": error.where, "hint": error.hint})


def take(folder: Path) -> Outcome | SiteError | None:
    """What a node has left in a folder, which is then removed; nothing yet."""
    for name, read in ((OUTCOME, _outcome), (FAILURE, _failure)):
        try:
            values = json.loads((folder / name).read_text())
        except FileNotFoundError:
            continue
        found: Outcome | SiteError = read(values)
        shutil.rmtree(folder, ignore_errors=True)
        return found
    return None


def _job_values(job: Job) -> dict[str, Any]:
    return asdict(replace(job, overlay=())) | {"overlay": [str(path) for path in job.overlay]}


def _frozen(value: Any) -> Any:
    """JSON has lists where the job has tuples."""
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value


def _outcome(values: dict[str, Any]) -> Outcome:
    return Outcome(**values | {"steps": tuple(StepOutcome(**each) for each in values["steps"])})


def _failure(values: dict[str, Any]) -> SiteError:
    return SiteError(**values)


def _write(file: Path, values: Any) -> None:
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with storage(file):
            beside.write_text(json.dumps(values))
            beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)  # on a full disk, room for the sentence that says so
