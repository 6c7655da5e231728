"""Three or four VMs behind a switch: all but VM 2 send to it over TCP at once.

Each VM is a fork of an end that waits for jobs; the switch is its peer. VM 2 is a fork of the server, the others are
forks of the client; those from 3 on get new addresses when their job starts. Their inits do not talk to each other.
"""

import os
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import md5, sha256
from pathlib import Path

import pytest

from lab.machine import cpio, link, results
from lab.machine.cpio import Entry
from lab.machine.fork_server import ForkFiles, ForkServer
from lab.machine.job import files as files_of
from lab.machine.link import BASE_NS
from lab.machine.qemu import MAILBOX_BYTES, MachineError, path_of
from lab.machine.results import CLIENT, SERVER
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Link, Perturbation, Step
from lab.sites.exact import ExactSite

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
SIZE = 1 << 20  # that each sends
GIGABIT = f"rate={LINK.rate_bit_s}"
DEEP, SHALLOW = GIGABIT, f"{GIGABIT},queue=65536"
# A sender prints how many segments it sent again; the receiver a digest for each sender.
SEND = """
yes {0} | head -c {1} >/tmp/data
until nc 10.0.0.2 700{0} </tmp/data; do :; done
awk '/^Tcp:/ {{ again = $13 }} END {{ print again }}' /proc/net/snmp
"""
RECEIVE = """
cd /tmp; mkfifo open; exec 9<>open # nc ends at the end of its input
for number in {0}; do nc -l -p 700$number <&9 | md5sum >got.$number & done
wait; cat {1}
"""
Behind = Callable[[str], "Switched"]


@dataclass(frozen=True)
class Left:
    """The files and the console of a VM, the counters of its two links, and a digest of its log."""

    files: results.Files
    console: str
    counts: dict[str, int]
    log: str

    @property
    def output(self) -> str:
        """Its program's output."""
        assert self.files["0.client.status"].strip() == "0", self.files
        return self.files["0.client.out"]


@dataclass(frozen=True)
class Switched:
    """A switch with some options, and the fork server of its VMs."""

    server: ForkServer
    program: Path
    words: str = ""  # of all ports: rate, queue

    def run(self, commands: Sequence[str]) -> list[Left]:
        """Run a shell command in each VM until all have ended."""
        with ExitStack() as stack, ThreadPoolExecutor(len(commands)) as pool:
            shared = [stack.enter_context(link.shared_file()) for _ in commands]
            with self.switch(shared) as switch:
                jobs = [mailbox(number, command) for number, command in enumerate(commands, 1)]
                left = list(pool.map(self.run_one, range(1, 1 + len(jobs)), jobs, shared))
                assert switch.wait(LIMIT_S) == 0
        return left

    @contextmanager
    def switch(self, shared: Sequence[int]) -> Iterator[subprocess.Popen[bytes]]:
        words = f"latency={BASE_NS + LINK.delay_ns},{self.words}".rstrip(",")
        with subprocess.Popen([self.program, words, *map(path_of, shared)], pass_fds=shared) as process:
            try:
                yield process
            finally:
                process.kill()

    def run_one(self, number: int, job: bytes, shared: int) -> Left:
        """Run one VM at a port."""
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
    """The end of which a VM is a fork."""
    return SERVER if number == 2 else CLIENT


def mailbox(number: int, command: str) -> bytes:
    """The job of a VM: a command, as if it were a client's."""
    step = Step((), ("sh", "-c", command), 0)
    job = Job((step,), LINK, Perturbation(), deadline_s=20)
    entries = files_of(job, {"END": str(origin_of(number))})
    more = ALONE + (KEEPS if number <= 2 else MOVES.format(number=number))
    return cpio.archive({**entries, "job": Entry(entries["job"].content + more.encode())})


def built(folder: Path) -> Path:
    """Compile the switch into a folder."""
    subprocess.run(["make", "-s", "-C", SOURCES, f"OUT={folder}"], check=True)
    return folder / "switch"


@pytest.fixture(scope="module")
def behind(exact: ExactSite, tmp_path_factory: pytest.TempPathFactory) -> Behind:
    """VMs behind a switch with some options."""
    program = built(tmp_path_factory.mktemp("switch"))
    return lambda words: Switched(exact.fork_server(exact.verified_snapshot()), program, words)


def incast(machines: Switched, *senders: int) -> list[Left]:
    commands = {number: SEND.format(number, SIZE) for number in senders}
    commands[2] = RECEIVE.format(" ".join(map(str, senders)), " ".join(f"got.{number}" for number in senders))
    return machines.run([commands[number] for number in sorted(commands)])


def received(machines: list[Left]) -> list[str]:
    return [line.split()[0] for line in machines[1].output.splitlines()]


def content(*senders: int) -> list[str]:
    return [md5((f"{number}\n".encode() * SIZE)[:SIZE]).hexdigest() for number in senders]


def dropped(machines: list[Left]) -> list[int]:
    """By the queue of each port."""
    return [each.counts["link1.dropped"] for each in machines]


def sent_again(machines: list[Left]) -> int:
    return sum(int(each.output) for number, each in enumerate(machines, 1) if number != 2)


@pytest.fixture(scope="module")
def shallow(behind: Behind) -> list[Left]:
    return incast(behind(SHALLOW), 1, 3)


def test_all_data_arrives_although_the_receivers_queue_drops_frames(shallow: list[Left]) -> None:
    assert received(shallow) == content(1, 3)
    one, receiver, three = dropped(shallow)
    assert one == three == 0 < receiver <= sent_again(shallow)


def test_second_run_leaves_the_same_bytes(behind: Behind, shallow: list[Left]) -> None:
    assert incast(behind(SHALLOW), 1, 3) == shallow


def test_deep_queue_drops_no_frame_of_three_senders(behind: Behind) -> None:
    machines = incast(behind(DEEP), 1, 3, 4)
    assert (received(machines), dropped(machines)) == (content(1, 3, 4), [0, 0, 0, 0])


def test_both_networks_connect_all_vms(behind: Behind) -> None:
    ping = "ping -c 1 10.0.0.{0} && ping -c 1 192.168.7.{0}; sleep 1"
    machines = behind("").run([ping.format(number) for number in (3, 1, 2)])
    assert [len(re.findall(" 0% packet loss", each.output)) for each in machines] == [2, 2, 2]
    for each in machines:
        assert each.counts["link0.frames"] > 1 and each.counts["side0.frames"] > 1


def test_vm_that_powers_off_ends_all_and_is_named(behind: Behind) -> None:
    with pytest.raises(MachineError, match="at port 2, the client's machine ended with status 0"):
        behind("").run(["sleep 15", "sleep 15", "poweroff -f"])


def test_switch_that_cannot_fork_ends_all_machines(tmp_path: Path) -> None:
    library, source = tmp_path / "nofork.so", "#include <errno.h>\nint fork(void) { errno = EAGAIN; return -1; }"
    command = ("gcc", "-shared", "-fPIC", "-x", "c", "-o", library, "-")
    subprocess.run(command, input=source, text=True, check=True)
    with link.shared_file() as one, link.shared_file() as other:
        done = subprocess.run(
            [built(tmp_path), "latency=1000", path_of(one), path_of(other)],
            pass_fds=(one, other),
            env={**os.environ, "LD_PRELOAD": str(library)},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        reasons = [os.pread(shared, link.END_BYTES, link.END_BYTES)[8:] for shared in (one, other)]
    assert (done.returncode, done.stderr) == (1, "switch: fork: Resource temporarily unavailable\n")
    assert all(reason.startswith(b"the switch ended by itself") for reason in reasons)
