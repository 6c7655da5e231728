"""The rings of experiments/all_reduce, over sockets of this host in place of RDMA."""

import socket
import subprocess
from pathlib import Path

import pytest

from lab.places import EXPERIMENTS

SOURCES = EXPERIMENTS / "all_reduce" / "program"
COUNTS = (1, 2, 3, 7, 15, 16, 17, 251, 4099, 20011)  # numbers of a vector: fewer than computers, and with a remainder


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program without RDMA; segments are small, so that a chunk has many."""
    folder = tmp_path_factory.mktemp("ring")
    source = (SOURCES / "ring.c").read_text()
    assert "SEGMENT = 16384" in source
    (folder / "ring.c").write_text(source.replace("SEGMENT = 16384", "SEGMENT = 1024"))
    files = (folder / "ring.c", SOURCES / "measure.c", Path(__file__).with_name("ring_over_sockets.c"))
    checked = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    subprocess.run(["gcc", "-O1", *checked, f"-I{SOURCES}", "-o", folder / "ring", *files], check=True)
    return folder / "ring"


@pytest.mark.parametrize("variant", ["eager", "rendezvous", "pipelined"])
def test_each_of_2_to_16_computers_gets_each_sum_of_any_length(ring: Path, variant: str) -> None:
    for computers in range(2, 17):
        pairs = [socket.socketpair() for _ in range(computers)]  # each with the next one
        sizes = ",".join(str(4 * count) for count in COUNTS)
        command = [str(ring), "-variant", variant, "-iterations", "2", "-sizes", sizes]
        ranks = []
        for rank in range(computers):
            ends = {"NEXT": pairs[rank][0].fileno(), "PREVIOUS": pairs[rank - 1][1].fileno()}
            ranks.append(
                subprocess.Popen(
                    [*command, "-myindex", str(rank), "-list", *map(str, range(computers))],
                    env={name: str(end) for name, end in ends.items()},
                    pass_fds=tuple(ends.values()),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
        printed = [each.communicate() for each in ranks]
        for pair in pairs:
            for end in pair:
                end.close()
        assert [err for _, err in printed] == [""] * computers
        assert printed[0][0].count(" us\n") == len(COUNTS)
