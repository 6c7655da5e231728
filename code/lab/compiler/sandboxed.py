"""A build in name spaces of this computer's kernel: no network, no file of this computer but the toolchain's tree."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from functools import partial
from io import FileIO

from lab.compiler import memory
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
from lab.compiler.forbidden import bpf_filter
from lab.compiler.toolchain import LINKS, TOP, Toolchain

PATIENCE_S = 60  # for a sandbox with nothing in it, on a busy computer
WALLS = (
    *("bwrap", "--unshare-all", "--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY), "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *(word for name, value in ENVIRONMENT.items() for word in ("--setenv", name, value)),
    *(word for name in LINKS for word in ("--symlink", f"{TOP}/{name}", f"/{name}")),
    *("--proc", "/proc", "--dev", "/dev", "--size", str(DISK_BYTES), "--tmpfs", "/tmp"),
    *("--size", str(DISK_BYTES), "--tmpfs", WORK),
)
NOWHERE_ELSE = ("--remount-ro", "/dev", "--remount-ro", "/")  # bwrap's own folders are in memory, and have no bound
FIRST_INSIDE = re.compile(rb'"child-pid": (\d+)')  # what bwrap tells of itself before it lets its first process go
LARGEST_NOTE = 4096
# The kernel counts no processes of root, so root becomes another user first.
NOT_ROOT = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")


def refusal(toolchain: Toolchain) -> str:
    """The reason why this user cannot have a sandbox in which the toolchain runs; empty if there is none."""
    try:
        done = subprocess.run([*walls(toolchain), "true"], capture_output=True, timeout=PATIENCE_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return "bwrap is not installed" if isinstance(error, FileNotFoundError) else str(error)
    said = done.stderr.decode(errors="replace").strip()[:200]
    return said or f"bwrap ends with status {done.returncode}" if done.returncode else ""


def walls(toolchain: Toolchain, *more: str) -> tuple[str, ...]:
    """The command that shuts another one in."""
    tree = ("--ro-bind", str(toolchain.tree), f"/{TOP}")
    return (*(NOT_ROOT if os.geteuid() == 0 else ()), *WALLS, *tree, *NOWHERE_ELSE, *more, "--")


def run(toolchain: Toolchain, task: Compilation) -> tuple[int, bytes]:
    """The status, and the output up to the bound."""
    told, telling = os.pipe()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as forbidden,
        os.fdopen(told, "rb", buffering=0) as about,
    ):
        for file, content in ((given, task.given), (forbidden, bpf_filter())):
            file.write(content)
            file.seek(0)
        rules = ("--info-fd", str(telling), "--seccomp", str(forbidden.fileno()))
        command = (*walls(toolchain, *rules), *task.inside)
        try:
            process = subprocess.Popen(
                command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/",
                pass_fds=(telling, forbidden.fileno()), start_new_session=True,
            )  # fmt: skip
        finally:
            os.close(telling)
        with process:
            return _output(process, about, task.deadline_s)


def _output(process: subprocess.Popen[bytes], about: FileIO, deadline_s: float) -> tuple[int, bytes]:
    assert process.stdout is not None
    timer = threading.Timer(deadline_s, _end, (process, about))
    timer.start()
    watch = memory.Watch(process.pid, MEMORY_BYTES, partial(_end, process, about))
    try:
        said = process.stdout.read(LARGEST_PROGRAM + 1)
        if len(said) > LARGEST_PROGRAM:
            _end(process, about)
        process.wait()
    finally:
        timer.cancel()
        timer.join()
        watch.close()
        _end(process, about)
    return OVERMEMORY if watch.exceeded else process.returncode, said


def _end(process: subprocess.Popen[bytes], about: FileIO) -> None:
    """Ends all of it: to kill bwrap is enough only once its processes have begun.

    Who still waits for it to be let go is of its group, and whom it lets go it has named before.
    """
    if process.poll() is not None:
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    os.set_blocking(about.fileno(), False)
    if inside := FIRST_INSIDE.search(about.read(LARGEST_NOTE) or b""):
        with suppress(ProcessLookupError):
            os.kill(int(inside[1]), signal.SIGKILL)
