"""The exact site's image in wall-clock time: two machines joined by network cards, or one with a cable in it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lab.errors import SiteError
from lab.machine import qemu, results, wall
from lab.machine.image import build_image
from lab.machine.qemu import Running
from lab.machine.runner import carried
from lab.machine.snapshot import REHEARSAL
from lab.machine.wall import KVM, SOFTWARE, Machine
from lab.model.trial import PLAIN, Ends, Job, Outcome
from lab.places import CACHE, MACHINE
from lab.sites.agent import computer
from lab.sites.host import alone
from lab.sites.site import Clock, Shared, Tell, Traits, silent

KVM_TRIAL_S = 20.0  # a machine boots in two seconds if KVM works
KVM_DEVICE = Path("/dev/kvm")
LATE_S = 10.0  # between the end of a job at its deadline and the end of its machine

ALONE = replace(results.ENDS, side_channel="127.0.0.1", launcher=PLAIN)


class VmSite:
    """Boots for every job: one job after the other, since two at once would measure each other."""

    name = "vm"
    boots_image = True
    at_once: int | None = 1

    def __init__(self, machine: Path, cache: Path, processors: int) -> None:
        self.folder, self.cache, self.processors = machine, cache, processors
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.running = Running(self.name)
        self.known: Machine | None = None
        self.tell: Tell = silent

    @property
    def joined(self) -> bool:
        """Whether client and server are two machines."""
        return self.processors > 1

    @property
    def ends(self) -> Ends:
        """Addresses and devices, as init makes them."""
        return results.ENDS if self.joined else ALONE

    @property
    def traits(self) -> Traits:
        """The traits: the machine has its own cable, whatever runs it."""
        shared = Shared.HOST if self.joined else Shared.CORE
        return Traits(Clock.WALL, shared, takes_models=True, reachable=False)

    def identity(self) -> dict[str, str]:
        """The image, how QEMU runs it, and the computer underneath."""
        machine = self.made(silent)
        return {
            "image": machine.image.digest,
            "qemu": machine.runner.version(),
            "acceleration": machine.acceleration.name,
            "machines": str(1 + self.joined),
            "processors": str(self.processors),
            **{f"host.{name}": value for name, value in computer.identity("", "").items()},
        }

    def prepare(self, progress: Callable[[str], None]) -> None:
        """Build the image, and find out whether KVM works here."""
        self.tell = progress
        self.made(progress)

    def made(self, progress: Callable[[str], None]) -> Machine:
        """The machine, looked up once."""
        with self.lock:
            if self.known is None:
                image = build_image(self.folder, self.cache, progress)
                runner = carried(self.folder, self.cache, progress)
                software = Machine(image, runner, SOFTWARE, self.processors)
                progress("trying KVM")
                self.known = with_kvm(software) if self.has_kvm(software) else software
            return self.known

    def has_kvm(self, machine: Machine) -> bool:
        """Whether a machine boots under KVM in time: its device file may be there and nothing behind it."""
        if not os.access(KVM_DEVICE, os.R_OK | os.W_OK):
            return False
        try:
            wall.run_alone(with_kvm(machine), REHEARSAL, KVM_TRIAL_S, self.running.watch)
        except qemu.MachineError:
            return False
        return True

    def run(self, job: Job) -> Outcome:
        """Boot, run the job, and leave nothing behind."""
        machine = self.made(silent)
        limit_s = wall.BOOT_S + job.deadline_s + LATE_S
        with self.turn, alone(self.tell), self.running.stoppable():
            boot = wall.run if self.joined else wall.run_alone
            return boot(machine, job, limit_s, self.running.watch)

    def stop(self) -> None:
        """End every QEMU of this site now."""
        self.running.stop()


def with_kvm(machine: Machine) -> Machine:
    """The same machine, its processors run by the host's."""
    return replace(machine, acceleration=KVM)


def open(wanted: str = "", _: Path | None = None) -> VmSite:  # noqa: A001 - as every site's module
    """`vm` takes two machines where there are two processors, `vm:cable` one."""
    if wanted not in ("", "cable"):
        raise SiteError(f"the vm site has no {wanted!r}", hint="--site vm or --site vm:cable")
    processors = len(os.sched_getaffinity(0))
    return VmSite(MACHINE, CACHE, 1 if wanted else processors)
