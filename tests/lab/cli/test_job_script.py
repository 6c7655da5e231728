"""The job script for a cluster's queue: lab.sites.queue."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lab.cli.tools import cluster_facts, make_script
from lab.errors import SiteError
from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.plan.plan import Plan, binaries, make_plan
from lab.sites.hosts import Slurm

CLUSTER = Slurm(interface="ib0", device="mlx5_0", account="lab", modules=("gcc", "openmpi"), options=("--mem=0",))


def plan_of(name: str, cluster: Slurm = CLUSTER) -> Plan:
    experiment = load(EXPERIMENTS / f"{name}.toml")
    return make_plan(experiment, cluster_facts(cluster), dict.fromkeys(binaries([experiment]), "d" * 64))


def test_every_trial_of_the_published_sweep_is_one_srun_with_pmix() -> None:
    lines = make_script(plan_of("mpi_bandwidth_latency"), CLUSTER).splitlines()
    trials = [line for line in lines if "srun " in line]
    assert len(trials) == 5 * 10 and all("--mpi=pmix" in line and "--nodes=2" in line for line in trials)
    assert sum("2144000000@1/1" in line for line in trials) == 2 * 10
    assert any(line.endswith('>"$out"/verbs.small.10.csv || failed=1') for line in trials)
    assert not any("/lab/bin/" in line for line in lines)


def test_the_cluster_is_told_what_hosts_toml_says() -> None:
    lines = make_script(plan_of("mpi_blocking_nonblocking"), CLUSTER).splitlines()
    assert {"#SBATCH --account=lab", "#SBATCH --mem=0"} <= set(lines) and lines[0] == "#!/bin/bash -l"
    assert lines.index("#SBATCH --mem=0") < lines.index("failed=0")  # sbatch reads no option below a command
    assert any("OMPI_MCA_btl_tcp_if_include=ib0" in line for line in lines)


def test_a_module_that_cannot_be_loaded_ends_the_job_before_its_first_trial(tmp_path: Path) -> None:
    cluster = Slurm(interface="ib0", modules=("nosuch/1.0",))
    script = tmp_path / "job.sh"
    script.write_text(make_script(plan_of("mpi_blocking_nonblocking", cluster), cluster))
    environment = {**os.environ, "SLURM_SUBMIT_DIR": str(tmp_path), "SLURM_JOB_ID": "1"}
    done = subprocess.run(["bash", script], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "the module nosuch/1.0 cannot be loaded\n")
    assert not list(tmp_path.glob("lab-*/*"))


def test_where_srun_cannot_start_ranks_each_trial_is_one_orterun() -> None:
    cluster = Slurm(interface="ib0", device="mlx5_0", mpi="orterun")
    lines = make_script(plan_of("mpi_bandwidth_latency", cluster), cluster).splitlines()
    trials = [line for line in lines if "orterun " in line]
    assert len(trials) == 5 * 10 and not any("srun " in line for line in lines)


def test_without_a_device_its_series_are_left_out() -> None:
    cluster = Slurm(interface="eth0")
    text = make_script(plan_of("mpi_blocking_nonblocking", cluster), cluster)
    assert "/tcp.blocking.1.csv" in text and "/verbs." not in text


def test_a_script_without_the_name_of_the_link_is_refused() -> None:
    with pytest.raises(SiteError, match=r"must name the nodes' data link.*interface"):
        cluster_facts(Slurm())


def test_an_experiment_without_mpi_has_no_script() -> None:
    with pytest.raises(SiteError, match="no series of it runs an MPI program"):
        make_script(plan_of("verbs_throughput"), CLUSTER)


def test_a_script_lies_where_its_program_is_kept() -> None:
    (kept,) = {path for each in plan_of("mpi_blocking_nonblocking").planned for path in each.trial.job.overlay}
    assert f"{Path(kept)} --mode one-way" in make_script(plan_of("mpi_blocking_nonblocking"), CLUSTER)
