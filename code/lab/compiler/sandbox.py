"""The sandbox for untrusted programs: namespaces, forbidden system calls, bounded memory."""

import errno
import os
import re
import signal
import stat
import struct
import subprocess
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import FileIO
from pathlib import Path

from lab.compiler.compilation import (
    DISK_BYTES,
    ENVIRONMENT,
    LARGEST_PROGRAM,
    MEMORY_BYTES,
    NOBODY,
    OVERMEMORY,
    WORK,
    Compilation,
)
from lab.compiler.toolchain import LINKS, TOP, Toolchain

X86_64 = 0xC000003E  # AUDIT_ARCH_X86_64: other calling conventions have other numbers
OTHER_CONVENTION = 0x40000000  # the mark of x32's numbers
# From arch/x86/entry/syscalls/syscall_64.tbl of Linux.
FORBIDDEN = {
    "shmget": 29, "msgget": 68, "mount": 165, "add_key": 248, "keyctl": 250, "unshare": 272, "setns": 308,
    "memfd_create": 319, "bpf": 321, "userfaultfd": 323, "io_uring_setup": 425, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "mount_setattr": 442, "memfd_secret": 447,
}  # fmt: skip
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_JMP|JGE|K, BPF_RET|K
NUMBER, ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000


def bpf_filter() -> bytes:
    """The program for bwrap's --seccomp: an array of struct sock_filter."""
    tests = [(EQUAL, number) for number in FORBIDDEN.values()]
    tests.append((AT_LEAST, OTHER_CONVENTION))
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, X86_64), (RETURN, 0, 0, KILL), (LOAD, 0, 0, NUMBER)]
    lines += [(code, len(tests) - place, 0, number) for place, (code, number) in enumerate(tests)]
    lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, REFUSE)]
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


POLL_S = 0.1
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
PARENT, RESIDENT = 1, 21  # in /proc/PID/stat behind the name


@contextmanager
def watched(first: int, most_bytes: int, end: Callable[[], None]) -> Iterator[threading.Event]:
    """End a process that uses more memory than a bound, together with its descendants; the event is set then."""
    over, exceeded = threading.Event(), threading.Event()

    def watch() -> None:
        while not over.wait(POLL_S):
            if held_bytes(first) > most_bytes:
                exceeded.set()
                end()
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield exceeded
    finally:
        over.set()
        thread.join()


def held_bytes(first: int) -> int:
    """The memory of a process and its descendants; shared memory counts for each of them."""
    children, held = defaultdict(list), dict[int, int]()
    for process, parent, resident in _processes():
        children[parent].append(process)
        held[process] = resident
    total, waiting = 0, [first]
    while waiting:
        process = waiting.pop()
        total += held.get(process, 0)
        waiting += children[process]
    return total


def _processes() -> Iterator[tuple[int, int, int]]:
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            values = file.read_text().rpartition(")")[2].split()
            yield int(file.parent.name), int(values[PARENT]), int(values[RESIDENT]) * PAGE_BYTES


PATIENCE_S = 60  # for an empty sandbox on a busy host
WALLS = (
    *("--unshare-all", "--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
    *(word for name in LINKS for word in ("--symlink", f"{TOP}/{name}", f"/{name}")),
    *("--proc", "/proc", "--dev", "/dev", "--size", str(DISK_BYTES), "--tmpfs", "/tmp"),
    *("--size", str(DISK_BYTES), "--tmpfs", WORK, "--chdir", "/"),
)
NOWHERE_ELSE = ("--remount-ro", "/dev", "--remount-ro", "/")  # bwrap's folders in memory have no bound
FIRST_INSIDE = re.compile(rb'"child-pid": (\d+)')  # from bwrap, before it starts its first process
LARGEST_NOTE = 4096
# The kernel does not limit the processes of root, so root becomes another user first. If only root can enter a folder
# above the tree, as /root, root binds the tree over /sys before that, in a mount namespace of the sandbox's processes.
NOT_ROOT = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
STAGE = "/sys"  # on every host, and unused by bwrap
STAGED = ("unshare", "--mount", "sh", "-c", f'mount --bind "$1" {STAGE} && shift && exec "$@"', "sh")


def refusal(toolchain: Toolchain) -> str:
    """The reason why the toolchain cannot run in a sandbox here; empty if it can."""
    try:
        done = subprocess.run(
            [*walls(toolchain), "true"],
            cwd=toolchain.bwrap_folder,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    messages = done.stderr.decode(errors="replace").strip()[:200]
    return messages or f"bwrap ends with status {done.returncode}" if done.returncode else ""


def walls(toolchain: Toolchain, *more: str) -> tuple[str, ...]:
    """The start of a command in the sandbox."""
    tree, before = toolchain.tree.resolve(), tuple[str, ...]()
    source = str(tree)
    if os.geteuid() == 0:
        before = NOT_ROOT
        if not all(folder.stat().st_mode & stat.S_IXOTH for folder in tree.parents):
            before, source = (*STAGED, source, *NOT_ROOT), STAGE
    return (*before, *toolchain.bwrap, *WALLS, "--ro-bind", source, f"/{TOP}", *NOWHERE_ELSE, *more, "--")


def run(toolchain: Toolchain, task: Compilation) -> tuple[int, bytes]:
    info, info_end = os.pipe()
    with (
        tempfile.TemporaryFile() as archive,
        tempfile.TemporaryFile() as forbidden,
        os.fdopen(info, "rb", buffering=0) as about,
    ):
        for file, content in ((archive, task.archive), (forbidden, bpf_filter())):
            file.write(content)
            file.seek(0)
        rules = ("--info-fd", str(info_end), "--seccomp", str(forbidden.fileno()))
        command = (*walls(toolchain, *rules), *task.inside)
        try:
            process = subprocess.Popen(
                command, stdin=archive, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=toolchain.bwrap_folder,
                pass_fds=(info_end, forbidden.fileno()), start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(info_end)
        with process:
            return _output(process, about, task.deadline_s)


def _output(process: subprocess.Popen[bytes], about: FileIO, deadline_s: float) -> tuple[int, bytes]:
    assert process.stdout is not None
    timer = threading.Timer(deadline_s, _end, (process, about))
    timer.start()
    try:
        with watched(process.pid, MEMORY_BYTES, partial(_end, process, about)) as exceeded:
            output = process.stdout.read(LARGEST_PROGRAM + 1)
            if len(output) > LARGEST_PROGRAM:
                _end(process, about)
            process.wait()
    finally:
        timer.cancel()
        timer.join()
        _end(process, about)
    return OVERMEMORY if exceeded.is_set() else process.returncode, output


def _end(process: subprocess.Popen[bytes], about: FileIO) -> None:
    """End the whole build. To kill bwrap is enough only once its processes have started; before, they are in its group,
    and their first process is the one that bwrap has reported."""
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    os.set_blocking(about.fileno(), False)
    if inside := FIRST_INSIDE.search(about.read(LARGEST_NOTE) or b""):
        with suppress(ProcessLookupError):
            os.kill(int(inside[1]), signal.SIGKILL)
