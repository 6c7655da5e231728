"""How ranks are started: lab.model.trial."""

import pytest

from lab.model.trial import DAEMON, PLAIN
from lab.programs.launchers import LAUNCHERS, Rank, launch

RANKS = (
    Rank("10.0.0.1", (("OWN", "v0"),), ("/lab/bin/mpi-pingpong", "--sizes", "64 KiB")),
    Rank("10.0.0.2", (("OWN", "v1"),), ("/lab/bin/mpi-pingpong", "--sizes", "64 KiB")),
)
SETTINGS = {"btl": "self,tcp"}


def test_both_ranks_of_one_computer_need_no_daemon_and_no_host() -> None:
    step = launch(PLAIN, SETTINGS, RANKS)
    assert step.server == () and "--host" not in step.client and "isolated" in step.client


def test_a_rank_at_each_end_has_its_host_and_a_daemon_that_the_site_starts() -> None:
    step = launch("orterun apart", SETTINGS, RANKS)
    left, right = (" ".join(step.client)).split(" : ")
    assert step.server == DAEMON and "plm_rsh_agent /bin/echo" in left
    assert "--host 10.0.0.1 -np 1 -x OWN=v0 /lab" in left and right.startswith("--host 10.0.0.2 -np 1 -x OWN=v1 /lab")


def test_only_ranks_that_share_processors_yield() -> None:
    yielding = {name for name in LAUNCHERS if "mpi_yield_when_idle" in launch(name, SETTINGS, RANKS).client}
    assert yielding == {PLAIN, "orterun beside"}


def test_on_nodes_srun_starts_the_daemon_and_the_allocation_names_the_hosts() -> None:
    step = launch("orterun on nodes", SETTINGS, RANKS)
    left, right = (" ".join(step.client)).split(" : ")
    assert step.server == () and "--mca plm slurm --mca plm_slurm_args --mpi=none" in left
    assert "--host +n0 -np 1 -x OWN=v0 /lab" in left and right.startswith("--host +n1 -np 1 -x OWN=v1 /lab")


def test_srun_is_told_another_pmi_and_a_launcher_that_nobody_knows_is_refused() -> None:
    assert "--mpi=pmi2" in launch("srun:pmi2", SETTINGS, RANKS).client
    for name in ("orterun:pmi2", "sh"):
        with pytest.raises(ValueError, match=f"no launcher is called '{name}'"):
            launch(name, SETTINGS, RANKS)


def test_srun_gives_each_task_its_own_environment_and_the_shared_settings() -> None:
    step = launch("srun", SETTINGS, RANKS)
    first, second = step.client[-1].split(";;", 1)
    assert step.client[0] == "srun" and "--mpi=pmix" in step.client
    assert "0) exec env OMPI_MCA_btl=self,tcp OWN=v0 /lab/bin/mpi-pingpong --sizes '64 KiB'" in first
    assert "*) exec env OMPI_MCA_btl=self,tcp OWN=v1 /lab/bin/mpi-pingpong --sizes '64 KiB'" in second
