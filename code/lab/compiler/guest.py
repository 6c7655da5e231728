"""A build in a guest of the carried QEMU: no rights, no name spaces, and any architecture of the host.

The guest boots the image's kernel with the toolchain's tree and the sources in its first file system. It is not frozen,
its clock is the host's, and nothing of it is kept.
"""

from __future__ import annotations

import os
import resource
import shlex
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.compiler.compilation import DISK_BYTES, ENVIRONMENT, LARGEST_PROGRAM, NOBODY, OVERTIME, Compilation
from lab.compiler.toolchain import Toolchain
from lab.machine import cpio, qemu, results
from lab.machine.cpio import Entry
from lab.machine.image import Image
from lab.machine.runner import Runner
from lab.machine.sparse import anonymous_file

INIT = "compile"
TREE, HEADER_BYTES = "tree", 512
PROCESSORS = 2
# The deadline is the processor's time in QEMU, so that a busy computer fails nobody; what sleeps has a few times that.
WAITING = 3
MACHINE = (
    "-machine", "q35,nvdimm=on", "-accel", "tcg,thread=multi", "-cpu", qemu.PROCESSOR, "-m", "1536,slots=1,maxmem=4G",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-device", "nvdimm,memdev=mailbox",
    "-append", "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off",
)  # fmt: skip


@dataclass(frozen=True)
class Guest:
    """The parts of a guest that compiles."""

    image: Image
    runner: Runner
    init: bytes
    processors: int = PROCESSORS

    def run(self, toolchain: Toolchain, task: Compilation) -> tuple[int, bytes]:
        """The status, and the output up to the bound."""
        with (
            anonymous_file("initrd") as initrd,
            anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
            anonymous_file("console") as console,
        ):
            write_all(initrd, [self.image.initrd.read_bytes(), cpio.archive(self.files(toolchain, task))])
            arguments = [*MACHINE, "-smp", str(self.processors), "-kernel", str(self.image.vmlinuz)]
            arguments += ["-initrd", qemu.path_of(initrd), *qemu.mailbox(mailbox), *qemu.console(console)]
            held = [initrd, mailbox, console]
            with qemu.Process(self.runner, arguments, held, WAITING * task.deadline_s) as process:
                status = finish(process, int(task.deadline_s))
                if status == results.DONE:
                    return answer(mailbox)
                if status == -signal.SIGXCPU or process.expired:
                    return OVERTIME, b""
                raise results.failure(process, os.pread(console, results.CONSOLE_LIMIT, 0).decode(errors="replace"))

    def files(self, toolchain: Toolchain, task: Compilation) -> dict[str, Entry]:
        """What comes into the guest on top of the image: its init, the tree, the job."""
        names = (each for each in toolchain.tree.rglob("*") if each.is_file())
        tree = {f"{TREE}/{each.relative_to(toolchain.folder)}": entry(each) for each in names}
        job = f"disk_bytes={DISK_BYTES}\nrun() {{\n{shlex.join(shut_in(task))}\n}}\n"
        mine = {"init": Entry(self.init, executable=True), "job": Entry(job.encode()), "given": Entry(task.given)}
        return tree | mine


def entry(file: Path) -> Entry:
    """A file as an archive has it."""
    return Entry(file.read_bytes(), executable=bool(file.stat().st_mode & 0o100))


def shut_in(task: Compilation) -> list[str]:
    """The words that init runs: its own chroot takes no user, that of the tree does."""
    user = ("/usr/sbin/chroot", f"--userspec={NOBODY}:{NOBODY}", "--groups=", "/")
    variables = (f"{name}={value}" for name, value in ENVIRONMENT.items())
    return ["chroot", f"/{TREE}", *user, "/usr/bin/env", "-i", *variables, *task.inside]


def write_all(descriptor: int, archives: Iterable[bytes]) -> None:
    """One after the other: the kernel takes several archives for one, and of two files of a name the later."""
    with os.fdopen(os.dup(descriptor), "wb") as file:
        for each in archives:
            file.write(each)


def finish(process: qemu.Process, processor_s: int) -> int:
    """The status with which QEMU ends, at the latest when it has used so much time of the processor."""
    resource.prlimit(process.popen.pid, resource.RLIMIT_CPU, (processor_s, processor_s + 1))
    return process.wait()


def answer(mailbox: int) -> tuple[int, bytes]:
    """What init wrote."""
    status, size = os.pread(mailbox, HEADER_BYTES, 0).decode().split()
    return int(status), os.pread(mailbox, min(int(size), LARGEST_PROGRAM + 1), HEADER_BYTES)
