"""The site slurm without a cluster: lab.sites.slurm."""

from __future__ import annotations

import pytest

from lab.sites import queue
from lab.sites.hosts import Slurm
from lab.sites.slurm import SlurmSite


def test_an_upgrade_of_slurm_leaves_the_cluster_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "cluster_name", lambda: "alps")
    monkeypatch.setattr(queue, "version", lambda: pytest.fail("the version is no part of a cluster's identity"))
    assert SlurmSite(Slurm(partition="gpu")).identity() == {"cluster": "alps", "partition": "gpu"}
