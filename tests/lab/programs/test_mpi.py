import pytest
from tests.lab.programs.cases import parse, request, step

from lab.errors import ParseError
from lab.machine.job import files
from lab.model.parameters import Counts
from lab.model.trial import Job, Link, Perturbation

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


def test_guest_gets_a_launcher_and_a_server_that_ends_at_once() -> None:
    packed = files(Job((step(ONE_WAY),), Link(), Perturbation(), 10), {})
    assert packed["0.server"].content.endswith(b"exec true\n")
    assert b"exec orterun " in packed["0.client"].content


def test_every_send_needs_a_receive() -> None:
    rows = ["64,send,0,1,64,5", "64,send,1,1,64,5", "64,receive,0,1,64,9", "64,receive,1,1,64,9"]
    texts = [HEAD + "\n".join(rows[:count]) + f"\n# end rows={count}\n" for count in (4, 3)]
    assert len(parse(ONE_WAY, texts[0])) == 4
    with pytest.raises(ParseError, match="receive"):
        parse(ONE_WAY, texts[1])
