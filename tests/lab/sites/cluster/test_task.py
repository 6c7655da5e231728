import os

import pytest

from lab.sites.task import processors


def test_a_task_takes_no_more_processors_than_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", "1")
    assert processors() == 1
    monkeypatch.setenv("SLURM_CPUS_ON_NODE", "100000")
    assert processors() == len(os.sched_getaffinity(0))
