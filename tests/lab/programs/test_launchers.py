import pytest

from lab.model.trial import DAEMON, PLAIN
from lab.programs.launchers import LAUNCHERS, Rank, launch

COMMAND = ("/lab/bin/mpi-pingpong", "--sizes", "64 KiB")
RANKS = (Rank("10.0.0.1", (("OWN", "v0"),), COMMAND), Rank("10.0.0.2", (("OWN", "v1"),), COMMAND))
SETTINGS = {"btl": "self,tcp"}


def test_ranks_of_one_host_need_no_daemon_and_no_host_names() -> None:
    step = launch(PLAIN, SETTINGS, RANKS)
    assert step.server == () and "--host" not in step.client and "isolated" in step.client


@pytest.mark.parametrize(
    ("launcher", "server", "words", "names"),
    [
        ("orterun apart", DAEMON, "plm_rsh_agent /bin/echo", ("10.0.0.1", "10.0.0.2")),
        ("orterun on nodes", (), "--mca plm slurm --mca plm_slurm_args --mpi=none", ("+n0", "+n1")),
    ],
)
def test_rank_at_each_end_has_its_host_and_its_environment(
    launcher: str, server: tuple[str, ...], words: str, names: tuple[str, str]
) -> None:
    step = launch(launcher, SETTINGS, RANKS)
    left, right = " ".join(step.client).split(" : ")
    assert step.server == server and words in left
    assert f"--host {names[0]} -np 1 -x OWN=v0 /lab" in left
    assert right.startswith(f"--host {names[1]} -np 1 -x OWN=v1 /lab")


def test_only_ranks_that_share_cpus_yield() -> None:
    yielding = {name for name in LAUNCHERS if "mpi_yield_when_idle" in launch(name, SETTINGS, RANKS).client}
    assert yielding == {PLAIN, "orterun beside"}


def test_srun_takes_another_pmi_and_unknown_launchers_are_refused() -> None:
    assert "--mpi=pmi2" in launch("srun:pmi2", SETTINGS, RANKS).client
    for name in ("orterun:pmi2", "sh"):
        with pytest.raises(ValueError, match=f"no launcher is called '{name}'"):
            launch(name, SETTINGS, RANKS)


def test_srun_gives_each_task_its_environment_and_the_shared_settings() -> None:
    step = launch("srun", SETTINGS, RANKS)
    first, second = step.client[-1].split(";;", 1)
    assert step.client[0] == "srun" and "--mpi=pmix" in step.client
    assert "0) exec env OMPI_MCA_btl=self,tcp OWN=v0 /lab/bin/mpi-pingpong --sizes '64 KiB'" in first
    assert "*) exec env OMPI_MCA_btl=self,tcp OWN=v1 /lab/bin/mpi-pingpong --sizes '64 KiB'" in second
