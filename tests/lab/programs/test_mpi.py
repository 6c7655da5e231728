import pytest

from lab.errors import ParseError
from lab.machine.job import files
from lab.model.parameters import Counts, Parameters
from lab.model.trial import End, Ends, Job, Link, Perturbation, StepOutcome
from lab.programs import PROGRAMS
from lab.programs.program import Request

ENDS = Ends(End("10.0.0.1", "rxe0", "v0"), End("10.0.0.2", "rxe1", "v1"), "127.0.0.1")
VALUES = Parameters().with_values({"calls": "non-blocking", "verify": True})
ONE_WAY = Request("mpi-tcp", "send", "one-way", (Counts(64, 2, 1),), VALUES)
HEAD = "# lab-bench 1\nsize_bytes,sample,index,messages,bytes,time_ns\n"


def test_each_rank_knows_only_its_own_end_of_the_cable() -> None:
    for transport, first, second in (
        ("tcp", "btl_tcp_if_include=v0", "btl_tcp_if_include=v1"),
        ("verbs", "UCX_NET_DEVICES=rxe0:1", "UCX_NET_DEVICES=rxe1:1"),
    ):
        (step,) = PROGRAMS[f"mpi-{transport}"].steps(ONE_WAY, ENDS)
        left, right = (" ".join(step.client)).split(" : ")
        assert first in left and second not in left
        assert second in right and first not in right


def test_both_ranks_get_the_same_options() -> None:
    (step,) = PROGRAMS["mpi-tcp"].steps(ONE_WAY, ENDS)
    left, right = (" ".join(step.client)).split(" : ")
    options = left.partition("/lab/bin/mpi-pingpong ")[2]
    assert right.endswith(options)
    assert options.startswith("--mode one-way --calls non-blocking --sizes 64@2/1")
    assert options.endswith("--verify")


def test_the_guest_gets_a_launcher_and_a_server_that_is_done_at_once() -> None:
    steps = PROGRAMS["mpi-tcp"].steps(ONE_WAY, ENDS)
    packed = files(Job(steps, Link(), Perturbation(), 10), {})
    assert packed["0.server"].content.endswith(b"exec true\n")
    assert b"exec orterun " in packed["0.client"].content


def test_a_receive_for_every_send_is_asked_for() -> None:
    rows = ["64,send,0,1,64,5", "64,send,1,1,64,5", "64,receive,0,1,64,9", "64,receive,1,1,64,9"]
    for count in (3, 4):
        text = HEAD + "\n".join(rows[:count]) + f"\n# end rows={count}\n"
        outcome = (StepOutcome(text, "", "", "", 0, 0, 0, 1),)
        if count == 4:
            assert len(PROGRAMS["mpi-tcp"].parse(ONE_WAY, outcome).samples) == 4
            continue
        with pytest.raises(ParseError, match="receive"):
            PROGRAMS["mpi-tcp"].parse(ONE_WAY, outcome)
