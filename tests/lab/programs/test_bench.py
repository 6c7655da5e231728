"""Commands of Verbyte's programs verbs and tcp, and of the ranks of MPI."""

from dataclasses import replace

import pytest
from tests.lab.programs.cases import ENDS, parse, request, step

from lab.errors import ParseError
from lab.model.parameters import Counts, Scalar
from lab.model.trial import DAEMON, PLAIN
from lab.options import TABLES, Option
from lab.programs.launchers import LAUNCHERS, Rank, starter

COUNTS = (Counts(64, 40, 4), Counts(1, 100, 10))
WRITE = {"operation": "write", "measure": "throughput"}


def test_both_ends_of_verbs_get_the_same_shared_options() -> None:
    both = step(request("verbs", *COUNTS, **WRITE, wait="event", verify=True, post_list=8))
    shared = both.client[1 : both.client.index("--device")]
    assert both.server[1 : 1 + len(shared)] == shared
    assert "64@40/4,1@100/10" in shared and "--verify" in shared
    assert both.server[1 + len(shared) :] == ("--listen", "127.0.0.1", "--device", "rxe1")
    assert both.client[1 + len(shared) :] == ("--device", "rxe0", "127.0.0.1")


def test_rendezvous_of_verbs_uses_the_link_only_without_another_path() -> None:
    both = step(request("verbs", *COUNTS, **WRITE), replace(ENDS, side_channel=ENDS.server.host))
    assert both.server[-4:] == ("--listen", "10.0.0.2", "--device", "rxe1")
    assert both.client[-5:] == ("--source", "10.0.0.1", "--device", "rxe0", "10.0.0.2")
    assert step(request("tcp", *COUNTS)).client[-3:] == ("--source", "10.0.0.1", "10.0.0.2")


@pytest.mark.parametrize(
    ("program", "values", "words"),
    [
        ("tcp", {"until_stable": 1, "stable_window": 3, "rounds_cap": 20}, "--stable-window 3 --rounds-cap 20"),
        ("tcp", {"least_time_s": 2}, "--least-time 2"),
        ("mpi-tcp", {"least_time_s": 2}, "--least-time 2"),
        ("tcp", {"nodelay": True, "send_buffer": "1M"}, "--nodelay"),
        ("verbs", {"relaxed_ordering": "no", "timeout": 10, "rnr_timer": 12}, "--timeout 10 --rnr-timer 12"),
        ("verbs", {"pairs": 8, "completion_queues": "each"}, "--pairs 8 --completion-queues each"),
        ("tcp", {"duration_s": 4}, "--duration 4"),
        ("tcp", {"streams": 4}, "--streams 4"),
        ("verbs", {"both": True}, "--both"),
        ("tcp", {"both": True}, "--both"),
        ("verbs", {"tclass": 104, "sl": 3, "pkey_index": 1}, "--tclass 104 --sl 3 --pkey-index 1"),
    ],
)
def test_options_are_in_the_commands_of_both_ends_only_if_set(
    program: str, values: dict[str, Scalar], words: str
) -> None:
    plain, changed = (step(request(program, *COUNTS, **given)) for given in ({}, values))  # type: ignore[arg-type]
    for argv in filter(None, (changed.server, changed.client)):
        assert words in " ".join(argv)
    assert words.split()[0] not in (*plain.server, *plain.client)


def test_tcp_gets_no_option_of_verbs() -> None:
    assert "depth" not in " ".join(step(request("tcp", *COUNTS)).client)


def test_new_option_with_its_default_value_changes_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the keys of older records would change."""
    new = Option("peer-seconds", "number", "1", "of no program so far", both_ends=True)
    monkeypatch.setitem(TABLES, "tcp", replace(TABLES["tcp"], options=(*TABLES["tcp"].options, new)))
    for seconds, is_there in ((1, False), (2, True)):
        client = " ".join(step(request("tcp", *COUNTS, peer_seconds=seconds)).client)
        assert ("--peer-seconds 2 --deadline" in client) is is_there


COMMAND = ("/lab/bin/mpi-pingpong", "--sizes", "64 KiB")
RANKS = (Rank("10.0.0.1", (("OWN", "v0"),), COMMAND), Rank("10.0.0.2", (("OWN", "v1"),), COMMAND))
SETTINGS = {"btl": "self,tcp"}


def test_ranks_of_one_host_need_no_daemon_and_no_host_names() -> None:
    step = starter(PLAIN)(SETTINGS, RANKS)
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
    step = starter(launcher)(SETTINGS, RANKS)
    left, right = " ".join(step.client).split(" : ")
    assert step.server == server and words in left
    assert f"--host {names[0]} -np 1 -x OWN=v0 /lab" in left
    assert right.startswith(f"--host {names[1]} -np 1 -x OWN=v1 /lab")


def test_only_ranks_that_share_cpus_yield() -> None:
    yielding = {name for name in LAUNCHERS if "mpi_yield_when_idle" in starter(name)(SETTINGS, RANKS).client}
    assert yielding == {PLAIN, "orterun beside"}


def test_srun_takes_another_pmi_and_unknown_launchers_are_refused() -> None:
    assert "--mpi=pmi2" in starter("srun:pmi2")(SETTINGS, RANKS).client
    for name in ("orterun:pmi2", "sh"):
        with pytest.raises(ValueError, match=f"no launcher is called '{name}'"):
            starter(name)(SETTINGS, RANKS)


def test_srun_gives_each_task_its_environment_and_the_shared_settings() -> None:
    step = starter("srun")(SETTINGS, RANKS)
    first, second = step.client[-1].split(";;", 1)
    assert step.client[:3] == ("env", "SLURM_PMIX_FENCE=tree", "srun") and "--mpi=pmix" in step.client
    assert "0) exec env PMIX_MCA_gds=hash OMPI_MCA_btl=self,tcp OWN=v0 /lab/bin/mpi-pingpong --sizes '64 KiB'" in first
    assert "*) exec env PMIX_MCA_gds=hash OMPI_MCA_btl=self,tcp OWN=v1 /lab/bin/mpi-pingpong --sizes '64 KiB'" in second


ONE_WAY = request("mpi-tcp", Counts(64, 2, 1), measure="one-way", calls="non-blocking", verify=True)
HEAD = "# lab-bench 1\nsize_bytes,sample,index,messages,bytes,time_ns\n"


@pytest.mark.parametrize(
    ("program", "first", "second"),
    [
        ("mpi-tcp", "btl_tcp_if_include=v0", "btl_tcp_if_include=v1"),
        ("mpi-verbs", "UCX_NET_DEVICES=rxe0:1", "UCX_NET_DEVICES=rxe1:1"),
    ],
)
def test_each_rank_gets_its_end_of_the_link_and_the_same_options(program: str, first: str, second: str) -> None:
    launched = step(request(program, Counts(64, 2, 1), measure="one-way", calls="non-blocking", verify=True))
    left, right = " ".join(launched.client).split(" : ")
    assert first in left and second not in left and second in right and first not in right
    options = left.partition("/lab/bin/mpi-pingpong ")[2]
    assert right.endswith(options) and options.endswith("--verify")
    assert options.startswith("--mode one-way --calls non-blocking --sizes 64@2/1")


def test_every_send_needs_a_receive() -> None:
    rows = ["64,send,0,1,64,5", "64,send,1,1,64,5", "64,receive,0,1,64,9", "64,receive,1,1,64,9"]
    texts = [HEAD + "\n".join(rows[:count]) + f"\n# end rows={count}\n" for count in (4, 3)]
    assert len(parse(ONE_WAY, texts[0])) == 4
    with pytest.raises(ParseError, match="receive"):
        parse(ONE_WAY, texts[1])
