"""A running QEMU: its command line, its monitor and its processors."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import subprocess
import threading
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX
from typing import Protocol, Self

from lab.errors import SiteError, SiteStopped
from lab.machine.die_with_parent import die_with_parent
from lab.machine.runner import PROGRAM, Runner


@contextmanager
def one_processor(allowed: Iterable[int] | None = None) -> Iterator[int | None]:
    """The number of one that no other pair has, in whatever process that runs, of those on which this process may run;
    none if each has its pair."""
    numbers = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        yield next((number for number in numbers if _claims(claim, number)), None)


def _claims(claim: socket.socket, number: int) -> bool:
    """An abstract address (unix(7)) has one owner at a time, and none once that has ended, however it did."""
    try:
        claim.bind(f"\0lab processor {number} of {os.getuid()}")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


class Running:
    """A set of processes that can be ended, and closed for good."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.lock = threading.Lock()
        self.stopped = False
        self.processes: set[Runs] = set()

    @contextmanager
    def watch(self, process: Runs) -> Iterator[None]:
        """Hold a process while it runs, so that stop() can end it."""
        with self.lock:
            self.processes.add(process)
            if self.stopped:
                process.kill()
        try:
            yield
        finally:
            with self.lock:
                self.processes.discard(process)

    @contextmanager
    def stoppable(self) -> Iterator[None]:
        """Turn an error that stop() caused into SiteStopped."""
        try:
            yield
        except MachineError:
            self.require_open()
            raise

    def require_open(self) -> None:
        """Raise SiteStopped where stop() was called."""
        if self.stopped:
            raise SiteStopped(f"the {self.site} site was stopped")

    def stop(self) -> None:
        """End every one of them now, and those that come later at once."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()


Message = dict[str, object]

MEMORY_BYTES = 1 << 30
MAILBOX_BYTES = 64 << 20
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 nokaslr tsc=reliable no_timer_check mitigations=off"

# A card sends by a timer of the guest's clock, not in QEMU's main thread, and announces nothing of its own. The plugin
# makes the wires.
CARD = "virtio-net-pci,netdev={},romfile=,tx=timer,x-txtimer=1,ioeventfd=off,guest_announce=off"

# Guest time is the count of instructions, 1 ns each, and nothing asynchronous is attached: no disk, no clock of the
# host, and network cards whose wires the plugin makes. The processor is a named model, the same in every QEMU, without
# RDRAND (entropy) and without ERMS, whose `rep movsb` would count every copied byte as an instruction.
# QEMU 7.2 leaves the flags of before an older instruction where cmpxchg16b has run, and an interrupt there saves those:
# a trap flag out of nowhere. Without that instruction, the kernel does the same by others.
PROCESSOR, CORES = "Westmere,-cx16", 1
MACHINE = (
    "-machine", "pc-q35-7.2,nvdimm=on,memory-backend=memory",
    "-cpu", PROCESSOR, "-smp", str(CORES), "-m", "1024,slots=1,maxmem=2G",
    "-accel", "tcg,thread=single", "-icount", "shift=0,sleep=off", "-seed", "1",
    "-rtc", "base=2026-01-01,clock=vm",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "ib700", "-action", "watchdog=pause",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1",
    "-device", "nvdimm,memdev=mailbox",
    "-device", CARD.format("link"), "-device", CARD.format("side"),
)  # fmt: skip


class MachineError(SiteError):
    """The machine failed to do its work."""


def arguments() -> str:
    """The arguments that a result depends on, as one line."""
    files = (*memory(0, shared=False), *mailbox(0), *console(0))
    return " ".join((*MACHINE, *files, *copy_number(0), "-append", KERNEL_ARGUMENTS))


def path_of(descriptor: int) -> str:
    """A path by which QEMU opens a file that this process holds open, whatever folder it lies in."""
    return f"/proc/self/fd/{descriptor}"


def memory(descriptor: int, *, shared: bool) -> list[str]:
    """The guest's memory: written through to its file, or a private copy of it."""
    share = "on" if shared else "off"
    backend = f"memory-backend-file,id=memory,size={MEMORY_BYTES},share={share},mem-path={path_of(descriptor)}"
    return ["-object", backend]


def mailbox(descriptor: int) -> list[str]:
    """The memory through which a job comes in and its results go out."""
    backend = f"memory-backend-file,id=mailbox,size={MAILBOX_BYTES},share=on,mem-path={path_of(descriptor)}"
    return ["-object", backend]


def console(descriptor: int) -> list[str]:
    """The guest's console, into a file: the guest would notice a pipe that fills up."""
    return ["-serial", f"file:{path_of(descriptor)}"]


def plugin(descriptor: int, words: str) -> list[str]:
    """The plugin that makes the clock exact, and the wires; no result depends on its compiler."""
    return ["-plugin", f"{path_of(descriptor)},{words}"]


def copy_number(number: int) -> list[str]:
    """The number of a copy of the machine: a kernel that finds another one draws from a new seed."""
    return ["-device", f"vmgenid,guid={uuid.UUID(int=number)}"]


def failure(status: int, said: str, limit_s: float | None) -> MachineError:
    """The error for a QEMU that has ended, with its own words; a limit if that was what ended it."""
    if limit_s is not None:
        return MachineError(f"it ran longer than {limit_s:.0f} s")
    if status < 0:
        return MachineError(f"QEMU was killed by {signal.Signals(-status).name}")
    return MachineError(f"QEMU ended with status {status}" + (f": {said}" if said else ""))


class Runs(Protocol):
    """A machine while it runs."""

    name: str

    @property
    def pid(self) -> int:
        """The number of its process."""

    def kill(self) -> None:
        """End it now, from another thread."""

    def wait(self) -> int:
        """Wait until it ends by itself; its exit status, negative for a signal."""

    def ended(self) -> MachineError:
        """The error for one that has ended."""


class Process:
    """A QEMU, and its monitor protocol on its standard input and output. Leaving the block ends it."""

    def __init__(
        self, runner: Runner, arguments: Iterable[str], descriptors: Iterable[int], limit_s: float = TIMEOUT_MAX
    ) -> None:
        # It ends with the thread that starts it; Ctrl-C in a terminal does not reach it.
        command = die_with_parent(runner.command([*arguments, "-qmp", "stdio"]))
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, pass_fds=list(descriptors), start_new_session=True, cwd=runner.folder, env=runner.environment,
        )  # fmt: skip
        self.name = PROGRAM
        self.limit_s = limit_s
        self.expired = False
        self.timer = threading.Timer(limit_s, self.expire)
        self.timer.daemon = True

    @property
    def pid(self) -> int:
        """The number of its process."""
        return self.popen.pid

    def __enter__(self) -> Self:
        self.timer.start()
        try:
            self.message()
            self.execute("qmp_capabilities")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        self.popen.kill()
        self.popen.communicate()

    def expire(self) -> None:
        """Kill a QEMU that has run for too long; the thread that waits for it then sees its end."""
        self.expired = True
        self.popen.kill()

    def kill(self) -> None:
        """End it now, from another thread."""
        self.popen.kill()

    def message(self) -> Message:
        """The next reply or event."""
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        if not line:
            raise self.ended()
        message: Message = json.loads(line)
        return message

    def ended(self) -> MachineError:
        """The error for a QEMU that has ended."""
        status = self.popen.wait()
        assert self.popen.stderr is not None
        said = self.popen.stderr.read().strip() if status >= 0 else ""
        return failure(status, said, self.limit_s if self.expired else None)

    def execute(self, command: str, **arguments: object) -> None:
        """Give a command and wait until it is done."""
        assert self.popen.stdin is not None
        try:
            self.popen.stdin.write(json.dumps({"execute": command, "arguments": arguments}) + "\n")
            self.popen.stdin.flush()
        except BrokenPipeError as error:
            raise self.ended() from error
        while "return" not in (message := self.message()):
            if "error" in message:
                raise MachineError(f"QEMU refused {command}: {message['error']}")

    def await_event(self, name: str, **data: object) -> None:
        """Wait for an event that has these data."""
        while True:
            message = self.message()
            found = message.get("data", {})
            if found == {"status": "failed"}:
                raise MachineError("QEMU could not save or load the machine's state")
            if message.get("event") == name and isinstance(found, dict) and data.items() <= found.items():
                return

    def leave_memory_in_place(self) -> None:
        """Save and restore all but the memory, which is a file already; tell when a save or restore is done."""
        capabilities = [{"capability": name, "state": True} for name in ("events", "x-ignore-shared")]
        self.execute("migrate-set-capabilities", capabilities=capabilities)

    def save(self, state: int) -> None:
        """Write all but the memory to a file that this process holds open."""
        self.leave_memory_in_place()
        self.execute("migrate", uri=f"exec:cat >/proc/{os.getpid()}/fd/{state}")
        self.await_event("MIGRATION", status="completed")

    def restore(self, state: int) -> None:
        """Load what was saved, and let the guest go on. QEMU announces nothing of its own to a network."""
        self.leave_memory_in_place()
        self.execute("migrate-set-parameters", **{"announce-rounds": 0})
        self.execute("migrate-incoming", uri=f"fd:{state}")
        self.await_event("MIGRATION", status="completed")
        self.execute("cont")

    def wait(self) -> int:
        """Wait until it ends by itself; its exit status, negative for a signal."""
        return self.popen.wait()
