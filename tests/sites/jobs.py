"""Jobs for every site, and functions that look at the processes that they leave."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lab.model.trial import Ends, Job, Link, Perturbation, Step
from lab.plan.builds import kept_binary

SITES = ("exact", "host", "vm", "ssh", "slurm")  # each with a fixture open_NAME
PORT = 18600
LISTENING = f"exec iperf3 -s -p {PORT}"  # a server that stays, for a shell
# Other runs of the tests on this computer have other numbers in their commands.
ENDLESS = f"1M@{2_000_000 + os.getpid()}/1"  # sizes of a trial that only a fault ends
LONG_S = 1_000_000 + os.getpid()
LONG = f"sleep {LONG_S}"  # and two decimals, of the test
AMPLE_S = 100  # for two programs to meet: on a busy computer seconds pass before the second runs
LATE_S = 60  # after its deadline of a few seconds a job has ended, on a busy computer too
PATIENCE_S = 300  # how long a test waits for what must come soon: on a busy computer soon takes longer
# A program beside which a command runs as soon as a column of its interface's counters has risen by a million bytes.
FLOWING = """
bytes() { awk -v column="$0" -v name="$1:" '$1 == name { print $column }' /proc/net/dev; }
before=$(bytes "$1") interface=$1 command=$2
shift 2
"$@" & program=$!
until [ $(($(bytes "$interface") - before)) -gt 1000000 ]; do sleep 0.1; done
eval "$command"
wait $program
"""
RECEIVED, SENT = "2", "10"  # columns
# The arguments are a site, its file of hosts, and the seconds that the client sleeps or its line for a shell: running()
# would find `sleep` and a number in the arguments.
HARNESS = f"""
import sys
from pathlib import Path
from lab.model.trial import Job, Link, Perturbation, Step
from lab.sites.site import open_site
_, site, hosts, client = sys.argv
words = ("sleep", client) if client[0].isdigit() else ("sh", "-c", client)
step = Step(("sh", "-c", "{LISTENING}"), words, {PORT})
open_site(site, Path(hosts)).run(Job((step,), Link(), Perturbation(), 600))
"""


@dataclass(frozen=True)
class Jobs:
    ends: Ends
    programs: dict[Path, str]

    def pair(self, server: tuple[str, ...], client: tuple[str, ...], **other: Any) -> Job:
        """One step of any two commands, with the programs under test."""
        overlay = tuple(kept_binary(file.name, digest) for file, digest in self.programs.items())
        job = Job((Step(server, client, PORT),), Link(), Perturbation(), AMPLE_S, (("LAB_TOKEN", "t"),), overlay)
        return replace(job, **other)

    def shell(self, server: str, client: str, **other: Any) -> Job:
        """One step of two lines for a shell."""
        return self.pair(("sh", "-c", server), ("sh", "-c", client), **other)

    def together(self, *lines: str, **link: Any) -> Job:
        """A line for a shell on each of several computers, all at once."""
        ranks = tuple(("sh", "-c", line) for line in lines)
        step, model = Step((), ranks[0], 0, ranks=ranks), Link(mtu=1500, computers=len(lines), **link)
        return self.pair((), (), steps=(step,), link=model)

    def beside_flow(self, column: str, interface: str, command: str, program: tuple[str, ...]) -> tuple[str, ...]:
        """The program, and the shell's command once its data flow; $program is its process."""
        return ("sh", "-c", FLOWING, column, interface, command, *program)

    def tcp(self, sizes: str, deadline_s: int = AMPLE_S) -> tuple[tuple[str, ...], tuple[str, ...]]:
        shared = ("--sizes", sizes, "--wait", "event", "--deadline", str(deadline_s))
        server = ("/lab/bin/tcp-server", *shared, "--listen", self.ends.server.host)
        client = ("/lab/bin/tcp-client", *shared, "--source", self.ends.client.host, self.ends.server.host)
        return server, client


def harness_of(site: str, client: str, hosts: Path | None = None) -> subprocess.Popen[bytes]:
    """Another process that runs one job with a server that stays."""
    return subprocess.Popen([sys.executable, "-c", HARNESS, site, str(hosts), client])


def running(words: str) -> list[str]:
    """Processes of this computer whose command holds the words."""
    listed = subprocess.run(["ps", "-wweo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if words in line]


def await_none_running(words: str) -> None:
    """Wait until processes that were killed are gone."""
    await_true(lambda: not running(words))


def everyone() -> list[int]:
    return [int(each.name) for each in Path("/proc").glob("[0-9]*")]


def namespaces(processes: Iterable[int]) -> set[str]:
    """Their network namespaces."""
    found = set()
    for process in processes:
        with suppress(OSError):
            found.add(str(Path(f"/proc/{process}/ns/net").readlink()))
    return found


def await_true(condition: Callable[[], object], seconds: float = PATIENCE_S, nap: float = 0.02) -> None:
    """Poll for something that other processes do."""
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it never came"
        time.sleep(nap)
