"""A running QEMU: its command line, its monitor and its CPUs."""

import errno
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Self

from lab.errors import SiteError, SiteStopped
from lab.machine.runner import PROGRAM, Runner

# The start of a command that ends with the thread that starts it, even if that is killed: PR_SET_PDEATHSIG of prctl(2).
BIND = "import ctypes, os, sys; ctypes.CDLL(None).prctl(1, 9); os.execv(sys.argv[1], sys.argv[1:])"
DIE_WITH_PARENT = (sys.executable, "-I", "-S", "-c", BIND)


@contextmanager
def one_processor(allowed: Iterable[int] | None = None) -> Iterator[int | None]:
    """Claim an allowed CPU that no other pair of VMs uses, in any process; None if each CPU has its pair."""
    numbers = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as claim:
        yield next((number for number in numbers if _claims(claim, number)), None)


def _claims(claim: socket.socket, number: int) -> bool:
    """Claim an abstract address (unix(7)), which has one owner at a time and is free when its owner has ended."""
    try:
        claim.bind(f"\0lab CPU {number} of {os.getuid()}")
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


class Running:
    """A set of processes that can be killed together; later ones are killed too."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.lock = threading.Lock()
        self.stopped = False
        self.processes: set[Runs] = set()

    @contextmanager
    def watch(self, process: "Runs") -> Iterator[None]:
        """Register a process while it runs, so that stop() can kill it."""
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
        if self.stopped:
            raise SiteStopped(f"the {self.site} site was stopped")

    def stop(self) -> None:
        """Kill all processes, also those that are registered later."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()


Message = dict[str, object]

MEMORY_BYTES = 1 << 30
MAILBOX_BYTES = 64 << 20
KERNEL_ARGUMENTS = "console=ttyS0 quiet panic=-1 nokaslr tsc=reliable no_timer_check mitigations=off"

# A card sends by a timer of the guest's clock, not in QEMU's main thread, and sends no announcements. The plugin makes
# the wires.
CARD = "virtio-net-pci,netdev={},romfile=,tx=timer,x-txtimer=1,ioeventfd=off,guest_announce=off"

# Guest time is the count of instructions, 1 ns each, and nothing asynchronous is attached: no disk, no clock of the
# host, and network cards whose wires the plugin makes. The CPU is a named model, the same in every QEMU, without
# RDRAND (entropy) and without ERMS, whose `rep movsb` would count every copied byte as an instruction.
# QEMU 7.2 keeps outdated flags after cmpxchg16b, and an interrupt there would save a spurious trap flag. Without that
# instruction, the kernel uses others.
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
    files = (*memory(0, shared=False), *mailbox(0, 0), *copy_number(0))
    return " ".join((*MACHINE, *files, "-append", KERNEL_ARGUMENTS))


def path_of(descriptor: int) -> str:
    """A path through which QEMU opens a file that this process has open."""
    return f"/proc/self/fd/{descriptor}"


def memory(descriptor: int, *, shared: bool) -> list[str]:
    """The guest's memory: written through to its file, or a private copy of it."""
    return _backend("memory", MEMORY_BYTES, descriptor, shared=shared)


def mailbox(descriptor: int, console: int) -> list[str]:
    """The memory through which a job comes in and its results go out; and the guest's console, as a file, since a full
    pipe would stop the guest."""
    serial = ["-serial", f"file:{path_of(console)}"]
    return _backend("mailbox", MAILBOX_BYTES, descriptor, shared=True) + serial


def _backend(name: str, size: int, descriptor: int, *, shared: bool) -> list[str]:
    share = "on" if shared else "off"
    return ["-object", f"memory-backend-file,id={name},size={size},share={share},mem-path={path_of(descriptor)}"]


def plugin(descriptor: int, arguments: str) -> list[str]:
    return ["-plugin", f"{path_of(descriptor)},{arguments}"]


def copy_number(number: int) -> list[str]:
    """The number of a copy of the VM: a kernel whose number has changed seeds its random numbers again."""
    return ["-device", f"vmgenid,guid={uuid.UUID(int=number)}"]


class Runs(ABC):
    """A running VM with a limit of its CPU time."""

    pid: int  # of its process

    def __init__(self, name: str, limit_s: float) -> None:
        self.name, self.limit = name, Limit(limit_s, self)

    @abstractmethod
    def kill(self) -> None:
        """Kill it, from any thread."""

    @abstractmethod
    def wait(self) -> int:
        """Wait until it ends; return its exit status, negative for a signal."""

    @abstractmethod
    def ended(self) -> MachineError:
        """The error for a VM that has ended."""


IDLE, LEAST_S = 0.01, 2.0  # a VM that gets less of a CPU has hung, if it was watched for so long


class Limit:
    """Kills a VM that has used its CPU seconds, since on a busy host a VM waits long for a CPU; or one that has hung,
    which used hardly any for as long."""

    def __init__(self, seconds: float, vm: Runs) -> None:
        self.seconds, self.expired, self.over = seconds, False, threading.Event()
        threading.Thread(target=self._watch, args=[vm], daemon=True).start()

    def cancel(self) -> None:
        self.over.set()

    def _watch(self, vm: Runs) -> None:
        used_s, wait_s = 0.0, self.seconds
        while not self.over.wait(wait_s):
            before_s, used_s = used_s, _cpu_s(vm.pid)
            if used_s >= self.seconds or used_s - before_s <= IDLE * wait_s:
                self.expired = True
                vm.kill()
                return
            wait_s = max(self.seconds - used_s, LEAST_S)


def _cpu_s(pid: int) -> float:
    """The CPU seconds of all threads of a process; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime of proc(5)


def failure(status: int, messages: str, limit: Limit) -> MachineError:
    """The error for a QEMU that has ended: with its messages, or with the limit that ended it."""
    if limit.expired:
        return MachineError(f"it ran longer than {limit.seconds:.0f} s")
    if status < 0:
        return MachineError(f"QEMU was killed by {signal.Signals(-status).name}")
    return MachineError(f"QEMU ended with status {status}" + (f": {messages}" if messages else ""))


class Process(Runs):
    """A QEMU with its monitor protocol on standard input and output. Leaving the block kills it."""

    def __init__(
        self, runner: Runner, arguments: Iterable[str], descriptors: Iterable[int], limit_s: float = TIMEOUT_MAX
    ) -> None:
        # Ctrl-C in a terminal does not reach it.
        command = [*DIE_WITH_PARENT, *runner.command([*arguments, "-qmp", "stdio"])]
        self.popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, pass_fds=list(descriptors), start_new_session=True, cwd=runner.folder, env=runner.environment,
        )  # fmt: skip
        self.pid = self.popen.pid
        super().__init__(PROGRAM, limit_s)

    def __enter__(self) -> Self:
        try:
            self.message()
            self.execute("qmp_capabilities")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.limit.cancel()
        self.popen.kill()
        self.popen.communicate()

    def kill(self) -> None:
        self.popen.kill()

    def message(self) -> Message:
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        if not line:
            raise self.ended()
        message: Message = json.loads(line)
        return message

    def ended(self) -> MachineError:
        status = self.popen.wait()
        assert self.popen.stderr is not None
        messages = self.popen.stderr.read().strip() if status >= 0 else ""
        return failure(status, messages, self.limit)

    def execute(self, command: str, **arguments: object) -> None:
        """Run a command of the monitor and wait until it is done."""
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
        while True:
            message = self.message()
            event_data = message.get("data", {})
            if event_data == {"status": "failed"}:
                raise MachineError("QEMU could not save or load the VM's state")
            if message.get("event") == name and isinstance(event_data, dict) and data.items() <= event_data.items():
                return

    def leave_memory_in_place(self) -> None:
        """Exclude the memory, which is a file, from a save or restore, and report its end by an event."""
        capabilities = [{"capability": name, "state": True} for name in ("events", "x-ignore-shared")]
        self.execute("migrate-set-capabilities", capabilities=capabilities)

    def save(self, state: int) -> None:
        """Write all but the memory to a file that this process has open."""
        self.leave_memory_in_place()
        self.execute("migrate", uri=f"exec:cat >/proc/{os.getpid()}/fd/{state}")
        self.await_event("MIGRATION", status="completed")

    def restore(self, state: int) -> None:
        """Load a saved state, and resume the guest without announcements to its networks."""
        self.leave_memory_in_place()
        self.execute("migrate-set-parameters", **{"announce-rounds": 0})
        self.execute("migrate-incoming", uri=f"fd:{state}")
        self.await_event("MIGRATION", status="completed")
        self.execute("cont")

    def wait(self) -> int:
        return self.popen.wait()
