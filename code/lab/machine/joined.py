"""Two machines joined by a network card each: one end of the link in each, and neither goes on without the other."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from lab.machine import qemu, results
from lab.machine.guest import Watch
from lab.machine.job import pack
from lab.machine.qemu import MachineError
from lab.machine.results import Files
from lab.machine.running import Running
from lab.machine.wall import Machine, boot
from lab.model.launcher import DAEMON, ECHO
from lab.model.trial import Job, Outcome, Step

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")  # as init knows them: no ARP request asks for them
CARD_MTU = 4200
CLIENT, SERVER = 0, 1
NAMES = ("client", "server")
DAEMON_PORT = 18700
ASK = "/lab/ask"  # the launcher's remote shell: host and command are its words
# What the launcher asks for goes over the link to a shell that waits for it: nobody stands between two machines. The
# daemon looks for the remote shell too, and ends without one (Open MPI 4.1, plm_rsh_component.c).
WRITE_ASK = """
printf '#!/bin/sh\nshift\necho "ln -s /bin/sh $0; exec $*" | nc %s %s\n' "$1" "$2" >$0
chmod +x $0 && shift 2 && exec "$@"
"""


def run(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Each end in a machine of its own; they share the processors."""
    started = time.monotonic()
    job = replace(job, steps=tuple(over_the_link(step) for step in job.steps))
    processors = max(1, machine.processors // 2)
    both = Both(watch)
    with sockets() as cards, sockets() as lines, ThreadPoolExecutor(2) as pool:

        def boot_end(end: int) -> tuple[Files, str]:
            archive = pack(job, f"END={end}\n{machine.one_end}")
            descriptors = [cards[end], lines[end]]
            with both.bound(end):
                return boot(machine, archive, joints(end, *descriptors), descriptors, processors, limit_s, both.watch)

        (client, said), (server, also_said) = both.results(pool.map(boot_end, (CLIENT, SERVER)))
    return results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)


class Both:
    """Two machines of which neither goes on without the other."""

    def __init__(self, watch: Watch) -> None:
        self.watch_outside, self.running = watch, Running("vm")
        self.error: MachineError | None = None

    @contextmanager
    def watch(self, process: qemu.Process) -> Iterator[None]:
        """Register a QEMU with the site and with the other machine."""
        with self.watch_outside(process), self.running.watch(process):
            yield

    @contextmanager
    def bound(self, end: int) -> Iterator[None]:
        """One machine's life: if it fails, the other is ended at once."""
        try:
            yield
        except MachineError as error:
            self.error = self.error or MachineError(error.what, where=f"the {NAMES[end]}'s machine", hint=error.hint)
            self.running.stop()
            raise

    def results(self, ended: Iterable[tuple[Files, str]]) -> list[tuple[Files, str]]:
        """The results of both, or the error of the one that failed first."""
        try:
            return list(ended)
        except MachineError:
            assert self.error is not None
            raise self.error from None


def joints(end: int, card: int, line: int) -> list[str]:
    """A network card and a serial line whose other ends are in the other machine."""
    return [
        "-netdev", f"socket,id=card,fd={card}",
        "-device", f"virtio-net-pci,netdev=card,mac={MACS[end]},host_mtu={CARD_MTU},romfile=",
        "-chardev", f"socket,id=line,fd={line}", "-serial", "chardev:line",
    ]  # fmt: skip


def over_the_link(step: Step) -> Step:
    """A step whose launcher makes the other machine start its daemon."""
    if step.server != DAEMON:
        return step
    host = step.client[step.client.index("--host", step.client.index(":")) + 1]
    client = [ASK if word == ECHO else word for word in step.client]
    listen = ("nc", "-l", "-p", str(DAEMON_PORT), "-e", "/bin/sh")
    return Step(listen, ("sh", "-c", WRITE_ASK, ASK, host, str(DAEMON_PORT), *client), DAEMON_PORT)


@contextmanager
def sockets() -> Iterator[tuple[int, int]]:
    """Two ends of a private connection."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(each) for each in socket.socketpair())
        yield one.fileno(), other.fileno()
