"""Exact machines behind a switch: each is a fork of an end that waits for jobs, and the switch is its other end.

Their addresses are numbered from 1. Machine 2 is a fork of the server, all others are forks of the client; those from
3 on take addresses of their own when their job begins. The inits, who know one other end, do not talk to each other.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from lab.machine import cpio, link, results
from lab.machine.cpio import Entry
from lab.machine.fork_server import ForkFiles, ForkServer
from lab.machine.job import files as files_of
from lab.machine.link import BASE_NS
from lab.machine.qemu import MAILBOX_BYTES, path_of
from lab.machine.results import CLIENT, SERVER
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Link, Perturbation, Step

LIMIT_S = 300.0  # of the host, for a run on a busy computer
SOURCES = Path(__file__).parents[2] / "code" / "machine" / "switch"
# Far apart, so that the machines seldom wait for each other: each cable takes 10 us.
LINK = Link(mtu=1500, rate_bit_s=10**9, delay_ns=8000)
ALONE = """
end() { kill "-$1" "-$(cat "$2.pid")"; }
step() { settle && visit "$1"; }
"""
KEEPS = "settle() { :; }\n"
MOVES = """
settle() {{ $ip -batch - <<-WORDS
	link set v0 address 02:00:00:00:00:0{number}
	link set side address 02:00:00:00:01:0{number}
	addr del 10.0.0.1/24 dev v0
	addr add 10.0.0.{number}/24 dev v0
	addr del 192.168.7.1/24 dev side
	addr add 192.168.7.{number}/24 dev side
WORDS
}}
"""


@dataclass(frozen=True)
class Left:
    """What a machine left, its console included; what it and its port put on both wires; a digest of its log."""

    files: results.Files
    console: str
    counts: dict[str, int]
    log: str

    @property
    def said(self) -> str:
        """Its program's output."""
        assert self.files["0.client.status"].strip() == "0", self.files
        return self.files["0.client.out"]


@dataclass(frozen=True)
class Switched:
    """A switch, by its words, and the machines of which its own are copies."""

    server: ForkServer
    program: Path
    words: str = ""  # of all ports: rate, queue

    def run(self, commands: Sequence[str], overlay: tuple[Path, ...] = ()) -> list[Left]:
        """Run a shell's command on each machine; what they leave when all have ended."""
        with ExitStack() as stack, ThreadPoolExecutor(len(commands)) as pool:
            shared = [stack.enter_context(link.shared_file()) for _ in commands]
            with self.switch(shared) as switch:
                jobs = [mailbox(number, command, overlay) for number, command in enumerate(commands, 1)]
                left = list(pool.map(self.run_one, range(1, 1 + len(jobs)), jobs, shared))
                assert switch.wait(LIMIT_S) == 0
        return left

    @contextmanager
    def switch(self, shared: Sequence[int]) -> Iterator[subprocess.Popen[bytes]]:
        """The switch, while it runs."""
        words = f"latency={BASE_NS + LINK.delay_ns},{self.words}".rstrip(",")
        with subprocess.Popen([self.program, words, *map(path_of, shared)], pass_fds=shared) as process:
            try:
                yield process
            finally:
                process.kill()

    def run_one(self, number: int, job: bytes, shared: int) -> Left:
        """One machine, for the port of a file."""
        with (
            anonymous_file("mailbox", MAILBOX_BYTES) as mailbox,
            anonymous_file("console") as console,
            anonymous_file("log") as log,
        ):
            os.pwrite(mailbox, job, 0)
            words = f"{link.wire(LINK)},end=0"
            files = ForkFiles(shared, mailbox, console, (log,))
            with self.server.fork(origin_of(number), words, files, LIMIT_S) as fork:
                found, said = results.collect(fork, mailbox, console)
            digest = sha256(os.pread(log, os.fstat(log).st_size, 0)).hexdigest()
            return Left(found, said, link.counts(shared), digest)


def origin_of(number: int) -> int:
    """The end of which a machine is a fork."""
    return SERVER if number == 2 else CLIENT


def mailbox(number: int, command: str, overlay: tuple[Path, ...]) -> bytes:
    """A machine's job: a command, as if it were a client's."""
    step = Step((), ("sh", "-c", command), 0)
    job = Job((step,), LINK, Perturbation(), deadline_s=20, overlay=overlay)
    entries = files_of(job, {"END": str(origin_of(number))})
    more = ALONE + (KEEPS if number <= 2 else MOVES.format(number=number))
    return cpio.archive({**entries, "job": Entry(entries["job"].content + more.encode())})


def built(folder: Path) -> Path:
    """The switch, compiled into a folder."""
    subprocess.run(["make", "-s", "-C", SOURCES, f"OUT={folder}"], check=True)
    return folder / "switch"
