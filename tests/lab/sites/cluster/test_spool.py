from dataclasses import replace
from pathlib import Path

from lab.model.trial import Job, Link, Perturbation, Step
from lab.sites import task

JOB = Job((Step(("server",), ("client",), 1),), Link(), Perturbation(), 20, (("LAB_TOKEN", "first"),))


def test_a_job_is_found_again_by_a_run_that_has_another_secret() -> None:
    assert task.digest(JOB, "pair") == task.digest(replace(JOB, environment=(("LAB_TOKEN", "second"),)), "pair")
    assert task.digest(JOB, "pair") != task.digest(replace(JOB, deadline_s=21), "pair")


def test_the_secret_of_a_job_is_for_its_user_alone(tmp_path: Path) -> None:
    task.put_job(tmp_path / "job", JOB)
    assert (tmp_path / "job").stat().st_mode & 0o077 == 0
    assert task.get_job(tmp_path / "job") == JOB
