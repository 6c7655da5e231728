"""A build in a VM of the bundled QEMU, which needs no rights, no namespaces and no particular architecture of the host.

The VM boots the image's kernel with the toolchain's tree and the sources in its first file system, on the wall clock.
"""

import os
import resource
import shlex
import signal
from dataclasses import dataclass

from lab.compiler.compilation import DISK_BYTES, ENVIRONMENT, LARGEST_PROGRAM, NOBODY, OVERTIME, Compilation
from lab.compiler.toolchain import Toolchain
from lab.machine import contents, cpio, qemu, results
from lab.machine.cpio import Entry
from lab.machine.image import Image
from lab.machine.runner import Runner
from lab.machine.sparse import anonymous_file

INIT = "compile"
TREE, HEADER_BYTES = "tree", 512
PROCESSORS = 2
# The deadline is for QEMU's CPU time, so that no build fails on a busy host; a build that sleeps has a multiple of it.
WAITING = 3
MACHINE = (
    "-machine", "q35,nvdimm=on", "-accel", "tcg,thread=multi", "-cpu", qemu.PROCESSOR, "-m", "1536,slots=1,maxmem=4G",
    "-nodefaults", "-nic", "none", "-display", "none", "-no-reboot", "-no-user-config",
    "-device", "isa-debug-exit,iobase=0xf4,iosize=1", "-device", "nvdimm,memdev=mailbox",
    "-append", "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off",
)  # fmt: skip


@dataclass(frozen=True)
class Guest:
    image: Image
    runner: Runner
    init: bytes
    processors: int = PROCESSORS

    def run(self, toolchain: Toolchain, task: Compilation) -> tuple[int, bytes]:
        with (
            anonymous_file("initrd") as initrd,
            anonymous_file("mailbox", qemu.MAILBOX_BYTES) as mailbox,
            anonymous_file("console") as console,
        ):
            with os.fdopen(os.dup(initrd), "wb") as file:  # the kernel unpacks one archive after the other
                file.writelines([self.image.initrd.read_bytes(), cpio.archive(self.files(toolchain, task))])
            arguments = [*MACHINE, "-smp", str(self.processors), "-kernel", str(self.image.vmlinuz)]
            arguments += ["-initrd", qemu.path_of(initrd), *qemu.mailbox(mailbox, console)]
            held = [initrd, mailbox, console]
            with qemu.Process(self.runner, arguments, held, WAITING * task.deadline_s) as process:
                cpu_s = int(task.deadline_s)
                resource.prlimit(process.pid, resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
                status = process.wait()
                if status == results.DONE:
                    return answer(mailbox)
                if status == -signal.SIGXCPU or process.limit.expired:
                    return OVERTIME, b""
                raise results.failure(process, os.pread(console, results.CONSOLE_LIMIT, 0).decode(errors="replace"))

    def files(self, toolchain: Toolchain, task: Compilation) -> dict[str, Entry]:
        files = (file for file in toolchain.tree.rglob("*") if file.is_file())
        tree = {f"{TREE}/{file.relative_to(toolchain.folder)}": contents.entry(file) for file in files}
        job = f"disk_bytes={DISK_BYTES}\nrun() {{\n{shlex.join(sandboxed(task))}\n}}\n"
        mine = {"init": Entry(self.init, executable=True), "job": Entry(job.encode()), "given": Entry(task.archive)}
        return tree | mine


def sandboxed(task: Compilation) -> list[str]:
    """The command for init: busybox's chroot, then the tree's chroot, which can change the user."""
    user = ("/usr/sbin/chroot", f"--userspec={NOBODY}:{NOBODY}", "--groups=", "/")
    variables = (f"{name}={value}" for name, value in ENVIRONMENT.items())
    return ["chroot", f"/{TREE}", *user, "/usr/bin/env", "-i", *variables, *task.inside]


def answer(mailbox: int) -> tuple[int, bytes]:
    status, size = os.pread(mailbox, HEADER_BYTES, 0).decode().split()
    return int(status), os.pread(mailbox, min(int(size), LARGEST_PROGRAM + 1), HEADER_BYTES)
