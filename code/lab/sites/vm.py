"""The exact site's image on the wall clock: two VMs joined by network cards, or one with a cable in it."""

import os
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from lab.errors import SiteError, Tell
from lab.machine import qemu, results
from lab.machine.image import Image, build_image
from lab.machine.job import pack
from lab.machine.link import netem
from lab.machine.results import NAMES, EndResult, Watch, run_all
from lab.machine.runner import Runner, bundled
from lab.machine.snapshot import REHEARSAL
from lab.machine.sparse import anonymous_file
from lab.model.trial import PLAIN, Ends, Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites.agent import computer
from lab.sites.host import alone
from lab.sites.site import Clock, Shared, Traits, silent

KVM_TRIAL_S = 20.0  # a VM boots in two seconds if KVM works
KVM_DEVICE = Path("/dev/kvm")
BOOT_S = 120.0  # under software emulation on a busy host
LATE_S = 10.0  # between the end of a job at its deadline and the end of its VM
# no_timer_check: on a busy host a late timer would make the kernel panic.
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 no_timer_check site=vm"
ARGUMENTS = (
    "-machine", "q35,nvdimm=on,memory-backend=memory", "-m", "1024,slots=1,maxmem=2G",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-device", "nvdimm,memdev=mailbox",
)  # fmt: skip
ALONE = replace(results.ENDS, side_channel="127.0.0.1", launcher=PLAIN)


# How a guest's CPUs run.
KVM, SOFTWARE = "kvm", "software"
ACCELERATION = {KVM: ("-accel", "kvm", "-cpu", "host"), SOFTWARE: ("-accel", "tcg,thread=multi", "-cpu", "max")}


@dataclass(frozen=True)
class Machine:
    image: Image
    runner: Runner
    acceleration: str
    processors: int

    def arguments(self, processors: int) -> list[str]:
        """QEMU's arguments, without files."""
        kernel = ("-kernel", str(self.image.vmlinuz), "-initrd", str(self.image.initrd), "-append", KERNEL_ARGUMENTS)
        return [*ARGUMENTS, *ACCELERATION[self.acceleration], "-smp", str(processors), *kernel]


class VmSite:
    """Boots for every job, and runs one job after the other: two at once would measure each other."""

    name = "vm"
    boots_image = True
    at_once: int | None = 1

    def __init__(self, machine: Path, cache: Path, processors: int) -> None:
        self.folder, self.cache, self.processors, self.joined = machine, cache, processors, processors > 1
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.running = qemu.Running(self.name)
        self.found_machine: Machine | None = None
        self.tell: Tell = silent

    @property
    def ends(self) -> Ends:
        return results.ENDS if self.joined else ALONE

    @property
    def traits(self) -> Traits:
        shared = Shared.HOST if self.joined else Shared.CORE
        return Traits(Clock.WALL, shared, takes_models=True, reachable=False)

    def identity(self) -> dict[str, str]:
        machine = self.machine(silent)
        return {
            "image": machine.image.digest,
            "qemu": machine.runner.version(),
            "acceleration": machine.acceleration,
            "machines": str(1 + self.joined),
            "processors": str(self.processors),
            **{f"host.{name}": value for name, value in computer.identity("", "").items()},
        }

    def prepare(self, progress: Tell) -> None:
        """Build the image, and test whether KVM works here."""
        self.tell = progress
        self.machine(progress)

    def machine(self, progress: Tell) -> Machine:
        """The VM's parts; built on first use."""
        with self.lock:
            if self.found_machine is None:
                image = build_image(self.folder, self.cache, progress)
                runner = bundled(self.folder, self.cache, progress)
                progress("trying KVM")
                software = Machine(image, runner, SOFTWARE, self.processors)
                self.found_machine = replace(software, acceleration=KVM) if self.has_kvm(software) else software
            return self.found_machine

    def has_kvm(self, machine: Machine) -> bool:
        """Whether the VM boots under KVM in time: the device file can exist without a working KVM."""
        if not os.access(KVM_DEVICE, os.R_OK | os.W_OK):
            return False
        try:
            run_alone(replace(machine, acceleration=KVM), REHEARSAL, KVM_TRIAL_S, self.running.watch)
        except qemu.MachineError:
            return False
        return True

    def run(self, job: Job) -> Outcome:
        machine = self.machine(silent)
        run_job = run_joined if self.joined else run_alone
        with self.turn, alone(self.tell), self.running.stoppable():
            return run_job(machine, job, BOOT_S + job.deadline_s + LATE_S, self.running.watch)

    def stop(self) -> None:
        self.running.stop()


def run_joined(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Run a job with each end in its VM; they share the CPUs."""
    started = time.monotonic()
    job = results.apart(job)
    with sockets() as link, sockets() as side:

        def boot_end(end: int, watch: Watch) -> EndResult:
            archive = pack(job, END=str(end), NETEM=" ".join(netem(job.link)))
            cards, processors = [link[end], side[end]], max(1, machine.processors // 2)
            return boot(machine, archive, joints(end, *cards), cards, processors, limit_s, watch)

        client, server = run_all("vm", watch, boot_end)
    return results.joined_outcome(client, server, len(job.steps), time.monotonic() - started)


def run_alone(machine: Machine, job: Job, limit_s: float, watch: Watch) -> Outcome:
    """Run a job with both ends in one VM, and a cable between them."""
    started = time.monotonic()
    archive = pack(job, NETEM=" ".join(netem(job.link)))
    files, console = boot(machine, archive, [], [], machine.processors, limit_s, watch)
    return results.outcome(files, len(job.steps), console, time.monotonic() - started)


def boot(
    machine: Machine, archive: bytes, more: Iterable[str], descriptors: Iterable[int], processors: int,
    limit_s: float, watch: Watch,
) -> EndResult:  # fmt: skip
    """Boot one VM with a job in its mailbox; return its files and the kernel's messages."""
    with (
        anonymous_file("memory", qemu.MEMORY_BYTES) as memory,
        anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
        anonymous_file("console") as console,
    ):
        os.pwrite(mailbox, archive, 0)
        files = [*qemu.memory(memory, shared=True), *qemu.mailbox(mailbox, console)]
        arguments = [*machine.arguments(processors), *files, *more]
        passed = [memory, mailbox, console, *descriptors]
        with qemu.Process(machine.runner, arguments, passed, limit_s) as process, watch(process):
            return results.collect(process, mailbox, console)


def joints(end: int, link: int, side: int) -> list[str]:
    """QEMU's arguments for the end's name and its two network cards, which are connected to the other VM."""
    words = ["-name", NAMES[end]]
    for name, descriptor in (("link", link), ("side", side)):
        words += ["-netdev", f"socket,id={name},fd={descriptor}", "-device", f"virtio-net-pci,netdev={name},romfile="]
    return words


@contextmanager
def sockets() -> Iterator[tuple[int, int]]:
    with ExitStack() as stack:
        first, second = map(stack.enter_context, socket.socketpair())
        yield first.fileno(), second.fileno()


def open(wanted: str = "", _: Path | None = None) -> VmSite:  # noqa: A001 - as every site's module
    """`vm` uses two VMs on a host with two CPUs, `vm:cable` always one."""
    if wanted not in ("", "cable"):
        raise SiteError(f"the vm site has no variant {wanted!r}", hint="--site vm or --site vm:cable")
    processors = len(os.sched_getaffinity(0))
    return VmSite(MACHINE, CACHE, 1 if wanted else processors)
