"""Two VMs by the wall clock, joined by a socket."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from lab.machine import qemu, results
from lab.machine.image import Image
from lab.machine.job import pack
from lab.machine.link import netem
from lab.machine.results import NAMES, Both, Files, Left, Watch, apart
from lab.machine.runner import Runner
from lab.machine.sparse import anonymous_file
from lab.model.trial import Job, Link, Outcome


def run(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Each end in a machine of its own; they share the processors."""
    started = time.monotonic()
    job = apart(job)
    processors = max(1, machine.processors // 2)
    both = Both("vm", watch)
    with sockets() as link, sockets() as side:

        def boot_end(end: int) -> Left:
            archive = pack(job, END=str(end), **shaped(job.link))
            cards = [link[end], side[end]]
            return boot(machine, archive, joints(end, *cards), cards, processors, limit_s, both.watch)

        (client, said), (server, also_said) = both.run(boot_end)
    return results.joined_outcome(client, server, len(job.steps), said + also_said, time.monotonic() - started)


def joints(end: int, link: int, side: int) -> list[str]:
    """A name, and two network cards whose other ends are in the other machine."""
    return ["-name", NAMES[end], *card("link", link), *card("side", side)]


def card(name: str, descriptor: int) -> list[str]:
    """A network card, and the socket that is its wire."""
    return ["-netdev", f"socket,id={name},fd={descriptor}", "-device", f"virtio-net-pci,netdev={name},romfile="]


@contextmanager
def sockets() -> Iterator[tuple[int, int]]:
    """Two ends of a private connection."""
    with ExitStack() as stack:
        one, other = (stack.enter_context(each) for each in socket.socketpair())
        yield one.fileno(), other.fileno()


BOOT_S = 120.0  # under software emulation on a busy computer
# On a busy computer the kernel takes a timer that is late for a broken one, and panics: no_timer_check.
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 no_timer_check site=vm"
MACHINE = (
    "-machine", "q35,nvdimm=on,memory-backend=memory", "-m", "1024,slots=1,maxmem=2G",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-device", "nvdimm,memdev=mailbox",
)  # fmt: skip


@dataclass(frozen=True)
class Acceleration:
    """How a guest's processors run."""

    name: str
    arguments: tuple[str, ...]


KVM = Acceleration("kvm", ("-accel", "kvm", "-cpu", "host"))
SOFTWARE = Acceleration("software", ("-accel", "tcg,thread=multi", "-cpu", "max"))


@dataclass(frozen=True)
class Machine:
    """The parts that all runs of a site share."""

    image: Image
    runner: Runner
    acceleration: Acceleration
    processors: int

    def arguments(self, processors: int) -> list[str]:
        """QEMU's arguments, without files."""
        kernel = ("-kernel", str(self.image.vmlinuz), "-initrd", str(self.image.initrd), "-append", KERNEL_ARGUMENTS)
        return [*MACHINE, *self.acceleration.arguments, "-smp", str(processors), *kernel]


def run_alone(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Both ends in one machine, with the cable between them."""
    started = time.monotonic()
    files, console = boot(machine, pack(job, **shaped(job.link)), [], [], machine.processors, limit_s, watch)
    return results.outcome(files, len(job.steps), console, time.monotonic() - started)


def shaped(link: Link) -> dict[str, str]:
    """What init's kernel needs to know of the link, since nothing else makes it what its model says."""
    return {"NETEM": " ".join(netem(link))}


def boot(
    machine: Machine, archive: bytes, more: Iterable[str], descriptors: Iterable[int], processors: int,
    limit_s: float, watch: Watch,
) -> tuple[Files, str]:  # fmt: skip
    """Boot one machine with a job in its mailbox; its files, and the kernel's messages."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, archive, 0)
        files = [*qemu.memory(memory, shared=True), *qemu.mailbox(mailbox), *qemu.console(console)]
        arguments = [*machine.arguments(processors), *files, *more]
        held = [memory, mailbox, console, *descriptors]
        with qemu.Process(machine.runner, arguments, held, limit_s) as process, watch(process):
            return results.finish(process, mailbox, console)
