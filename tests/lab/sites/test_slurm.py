"""The site slurm without a cluster: lab.sites.{slurm,task}."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from lab.model.trial import Job, Link, Perturbation, Step
from lab.sites import queue, task
from lab.sites.hosts import Slurm
from lab.sites.slurm import SlurmSite

JOB = Job((Step(("server",), ("client",), 1),), Link(), Perturbation(), 20, (("LAB_TOKEN", "first"),))


def test_an_upgrade_of_slurm_leaves_the_cluster_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "cluster_name", lambda: "alps")
    monkeypatch.setattr(queue, "version", lambda: pytest.fail("the version is not part of a cluster's identity"))
    assert SlurmSite(Slurm(partition="gpu")).identity() == {"cluster": "alps", "partition": "gpu"}


def test_a_job_is_found_again_by_a_run_with_another_secret() -> None:
    other = replace(JOB, environment=(("LAB_TOKEN", "second"),))
    assert task.digest(JOB, "pair") == task.digest(other, "pair")
    assert task.digest(JOB, "pair") != task.digest(replace(JOB, deadline_s=21), "pair")


def test_only_its_user_can_read_the_secret_of_a_job(tmp_path: Path) -> None:
    task.put_job(tmp_path / "job", JOB)
    assert (tmp_path / "job").stat().st_mode & 0o077 == 0
    assert "first" in (tmp_path / "job" / task.JOB).read_text()


@pytest.mark.parametrize(("allocated", "used"), [("1", 1), ("100000", len(os.sched_getaffinity(0)))])
def test_a_task_uses_no_more_cpus_than_its_allocation(
    monkeypatch: pytest.MonkeyPatch, allocated: str, used: int
) -> None:
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", allocated)
    assert task.processors() == used
