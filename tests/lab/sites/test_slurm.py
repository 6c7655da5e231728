"""The site slurm without a cluster: lab.sites.{slurm,task}."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import SiteError, SiteStopped
from lab.model.trial import Job, Link, Outcome, Perturbation, Step
from lab.sites import queue, slurm, task
from lab.sites.hosts import Slurm
from lab.sites.slurm import SlurmSite
from lab.typed_json import as_json

JOB = Job((Step(("server",), ("client",), 1),), Link(), Perturbation(), 20, (("LAB_TOKEN", "first"),))


def test_the_identity_is_the_cluster_and_the_kind_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "cluster_name", lambda: "alps")
    assert SlurmSite(Slurm(partition="gpu")).identity() == {"cluster": "alps", "partition": "gpu"}


def test_a_job_is_found_again_by_a_run_with_another_secret() -> None:
    other = replace(JOB, environment=(("LAB_TOKEN", "second"),))
    assert task.digest(JOB) == task.digest(other)
    assert task.digest(JOB) != task.digest(replace(JOB, deadline_s=21))


def test_only_its_user_can_read_the_secret_of_a_job(tmp_path: Path) -> None:
    task.put_job(tmp_path / "job", JOB)
    assert (tmp_path / "job").stat().st_mode & 0o077 == 0
    assert "first" in (tmp_path / "job" / task.JOB).read_text()


BUSY = "echo 'slurm_load_jobs error: Socket timed out on send/recv operation' >&2; exit 1"
Squeue = Callable[[str], None]


@pytest.fixture
def squeue(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Squeue:
    """Make a cluster whose squeue runs a line of shell, which has the number of the call."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(line: str) -> None:
        count = f"echo >>{tmp_path}/calls; call=$(wc -l <{tmp_path}/calls)"
        for name, body in (
            ("squeue", f"{count}\n{line}"),
            ("sbatch", f"cat >{tmp_path}/script; touch {tmp_path}/spool/log-7_0; echo 7"),
            ("scancel", ""),
        ):
            (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
            (tmp_path / name).chmod(0o755)

    return make


def test_a_trial_goes_on_while_the_controller_does_not_answer_and_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, squeue: Squeue, tmp_path: Path
) -> None:
    for name in ("LOOK_S", "ASK_S", "GRACE_S"):
        monkeypatch.setattr(slurm, name, 0.01)
    outcome = Outcome((), {}, {}, 1, 2, "", 3.0)
    (tmp_path / "left").write_text(json.dumps(as_json(outcome)))
    folder = tmp_path / "spool" / task.digest(JOB)
    squeue(f"[ $call -lt 4 ] || cp {tmp_path}/left {folder}/{task.OUTCOME}\n{BUSY}")
    site = SlurmSite(Slurm(spool=str(tmp_path / "spool")))
    assert site.run(JOB) == outcome
    site.stop()
    assert f"lab.sites.task '' '' {folder}" in (tmp_path / "script").read_text()
    assert list((tmp_path / "spool").iterdir()) == []


def test_stop_while_jobs_are_gathered_submits_nothing(
    monkeypatch: pytest.MonkeyPatch, squeue: Squeue, tmp_path: Path
) -> None:
    squeue("echo RUNNING")
    site = SlurmSite(Slurm(spool=str(tmp_path / "spool")))
    monkeypatch.setattr(time, "sleep", lambda _: site.stop())
    with pytest.raises(SiteStopped):
        site.run(JOB)
    assert site.thread
    site.thread.join()
    assert not (tmp_path / "script").exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("echo RUNNING", True),
        ("echo COMPLETING", False),
        (f"[ $call = 3 ] || {{ {BUSY}; }}; echo CANCELLED", False),
        (BUSY, True),
        ("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", False),
    ],
)
def test_a_job_that_the_cluster_ends_leaves_the_reason_to_it(
    monkeypatch: pytest.MonkeyPatch, squeue: Squeue, tmp_path: Path, line: str, *, told: bool
) -> None:
    def fail(_: Job) -> Outcome:
        raise SiteError("the agent ended")

    monkeypatch.setenv("SLURM_JOB_ID", "7")
    squeue(line)
    task.put_job(tmp_path / "job", JOB)
    task.leave(tmp_path / "job", fail)
    assert (tmp_path / "job" / task.FAILURE).exists() == told
