"""The image in wall-clock time: a machine with both ends of a cable, or two machines joined by a network card each."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from lab.machine import guest, qemu, results
from lab.machine.frozen import anonymous_file
from lab.machine.guest import Watch
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.qemu import MachineError
from lab.machine.results import Files
from lab.machine.running import Running
from lab.trial import DAEMON, ECHO, Job, Outcome, Step

BOOT_S = 120.0  # under software emulation on a busy computer
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 site=vm"
MACHINE = (
    "-machine", "q35,nvdimm=on,memory-backend=memory", "-m", "1024,slots=1,maxmem=2G",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-device", "nvdimm,memdev=mailbox",
)  # fmt: skip
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")  # as init knows them: nothing asks for them
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


@dataclass(frozen=True)
class Acceleration:
    """How a guest's processors run."""

    name: str
    arguments: tuple[str, ...]


KVM = Acceleration("kvm", ("-accel", "kvm", "-cpu", "host"))
SOFTWARE = Acceleration("software", ("-accel", "tcg,thread=multi", "-cpu", "max"))


@dataclass(frozen=True)
class Machine:
    """What every run of a site has in common."""

    image: Image
    acceleration: Acceleration
    processors: int
    one_end: str  # the script that makes a machine one of two

    def arguments(self, processors: int) -> list[str]:
        """QEMU's, without files."""
        kernel = ("-kernel", str(self.image.vmlinuz), "-initrd", str(self.image.initrd), "-append", KERNEL_ARGUMENTS)
        return [*MACHINE, *self.acceleration.arguments, "-smp", str(processors), *kernel]


def run_alone(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Both ends in one machine, with the cable between them."""
    started = time.monotonic()
    files, console = boot(machine, pack(job), [], [], machine.processors, limit_s, watch)
    return results.outcome(files, len(job.steps), console, time.monotonic() - started)


def run_joined(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Each end in a machine of its own; they share the processors."""
    started = time.monotonic()
    job = replace(job, steps=tuple(over_the_link(step) for step in job.steps))
    processors = max(1, machine.processors // 2)
    both = Both(watch)
    with sockets() as cards, sockets() as lines, ThreadPoolExecutor(2) as pool:

        def boot_end(end: int) -> tuple[Files, str]:
            archive = pack(job, f"END={end}\n{machine.one_end}")
            joints = [cards[end], lines[end]]
            with both.or_none(end):
                return boot(machine, archive, joined(end, *joints), joints, processors, limit_s, both.watch)

        (client, said), (server, also_said) = both.results(pool.map(boot_end, (CLIENT, SERVER)))
    return results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)


class Both:
    """Two machines of which neither goes on without the other."""

    def __init__(self, watch: Watch) -> None:
        self.watch_outside, self.running = watch, Running("vm")
        self.error: MachineError | None = None

    @contextmanager
    def watch(self, process: qemu.Process) -> Iterator[None]:
        """Known to the site, and to the other machine."""
        with self.watch_outside(process), self.running.watch(process):
            yield

    @contextmanager
    def or_none(self, end: int) -> Iterator[None]:
        """One machine's life: if it fails, the other is ended at once."""
        try:
            yield
        except MachineError as error:
            self.error = self.error or MachineError(error.what, where=f"the {NAMES[end]}'s machine", hint=error.hint)
            self.running.stop()
            raise

    def results(self, ended: Iterable[tuple[Files, str]]) -> list[tuple[Files, str]]:
        """What both left, or how the first one failed."""
        try:
            return list(ended)
        except MachineError:
            assert self.error is not None
            raise self.error from None


def joined(end: int, card: int, line: int) -> list[str]:
    """A network card and a serial line whose other ends are in the other machine."""
    return [
        "-netdev", f"socket,id=card,fd={card}",
        "-device", f"virtio-net-pci,netdev=card,mac={MACS[end]},host_mtu={CARD_MTU},romfile=",
        "-chardev", f"socket,id=line,fd={line}", "-serial", "chardev:line",
    ]  # fmt: skip


def over_the_link(step: Step) -> Step:
    """A step whose launcher has its daemon started by the other machine."""
    if step.server != DAEMON:
        return step
    host = step.client[step.client.index("--host", step.client.index(":")) + 1]
    client = [ASK if word == ECHO else word for word in step.client]
    listen = ("nc", "-l", "-p", str(DAEMON_PORT), "-e", "/bin/sh")
    return Step(listen, ("sh", "-c", WRITE_ASK, ASK, host, str(DAEMON_PORT), *client), DAEMON_PORT)


@contextmanager
def sockets() -> Iterator[tuple[int, int]]:
    """Two ends of a connection that nobody else can reach."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(each) for each in socket.socketpair())
        yield one.fileno(), other.fileno()


def boot(
    machine: Machine, archive: bytes, more: Iterable[str], descriptors: Iterable[int], processors: int,
    limit_s: float, watch: Watch,
) -> tuple[Files, str]:  # fmt: skip
    """Boot one machine with a job in its mailbox; what it left, and what its kernel said."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, archive, 0)
        files = [*qemu.memory(memory, shared=True), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments = [*machine.arguments(processors), *files, *more]
        with qemu.Process(arguments, [memory, mailbox, console, *descriptors], limit_s) as process, watch(process):
            return guest.finish(process, mailbox, console)
