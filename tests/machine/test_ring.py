"""The rings of experiments/all_reduce and of the kit ring_all_reduce, over sockets of this host in place of RDMA."""

import os
import shutil
import socket
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from lab.places import ASSIGNMENTS, EXPERIMENTS

KIT = ASSIGNMENTS / "ring_all_reduce"
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


class Ended(NamedTuple):
    status: int
    out: str
    err: str


def run_ring(command: list[str], names: list[str], kind: socket.SocketKind = socket.SOCK_STREAM) -> list[Ended]:
    """Run a rank for each name, with a socket to each neighbour."""
    pairs = [socket.socketpair(type=kind) for _ in names]  # each with the next one
    ranks = []
    for rank in range(len(names)):
        ends = {"NEXT": pairs[rank][0].fileno(), "PREVIOUS": pairs[rank - 1][1].fileno()}
        ranks.append(
            subprocess.Popen(
                [*command, "-myindex", str(rank), "-list", *names],
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
    return [Ended(each.returncode, out, err) for each, (out, err) in zip(ranks, printed, strict=True)]


@pytest.mark.parametrize("variant", ["eager", "rendezvous", "pipelined"])
def test_each_of_2_to_16_computers_gets_each_sum_of_any_length(ring: Path, variant: str) -> None:
    for computers in range(2, 17):
        sizes = ",".join(str(4 * count) for count in COUNTS)
        command = [str(ring), "-variant", variant, "-iterations", "2", "-sizes", sizes]
        ended = run_ring(command, [str(rank) for rank in range(computers)])
        assert [each.err for each in ended] == [""] * computers
        assert ended[0].out.count(" us\n") == len(COUNTS)


def works_at_seeds(folder: Path, step: str, file: str, old: str, new: str) -> list[bool]:
    """Run a step of the kit's solution, with one change, at one size and each seed that makes a difference."""
    shutil.copytree(KIT / "solution" / "program", folder)
    course = (KIT / "program" / "course.c").read_text()
    assert "TICKS = 10 " in course and old in (folder / file).read_text()
    (folder / "course.c").write_text(course.replace("TICKS = 10 ", "TICKS = 1000 "))  # this host may be busy
    (folder / file).write_text((folder / file).read_text().replace(old, new))
    options = ("-O1", "-no-pie", "-Wl,--unresolved-symbols=ignore-all", f"-I{folder}", f"-I{KIT / 'program'}")
    files = (folder / "course.c", folder / file, Path(__file__).with_name("kit_over_sockets.c"))
    subprocess.run(["gcc", *options, "-o", folder / "kit", *files], check=True)
    names = [f"127.1.{os.getpid() % 256}.{rank}" for rank in (1, 2, 3)]
    command = [str(folder / "kit"), "-step", step, "-device", "sockets", "-sizes", "512"]
    runs = [run_ring([*command, "-seed", str(seed)], names, socket.SOCK_SEQPACKET) for seed in range(6)]
    return [all(each.status == 0 for each in ended) for ended in runs]


@pytest.mark.parametrize(
    ("step", "file", "old", "new"),
    [
        ("reduce_scatter", "reduce.c", "t, op)", "t, SUM)"),
        ("reduce_scatter", "reduce.c", "size_of(t)", "size_of(INT64)"),
        ("all_gather", "gather.c", "size_of(t)", "size_of(INT32)"),
        ("all_gather", "gather.c", "size_of(t)", "size_of(INT64)"),
    ],
)
def test_half_an_all_reduce_for_one_operation_or_type_works_at_no_seed(
    tmp_path: Path, step: str, file: str, old: str, new: str
) -> None:
    assert all(works_at_seeds(tmp_path / "solution", step, file, old, old))
    assert not any(works_at_seeds(tmp_path / "mistake", step, file, old, new))
