"""A build in name spaces of this computer's kernel: no network, no file of this computer but the toolchain's tree."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading

from lab.compiler.compilation import DISK_BYTES, ENVIRONMENT, LARGEST_PROGRAM, NOBODY, WORK, Compilation
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


def walls(toolchain: Toolchain) -> tuple[str, ...]:
    """The command that shuts another one in."""
    tree = ("--ro-bind", str(toolchain.tree), f"/{TOP}")
    return (*(NOT_ROOT if os.geteuid() == 0 else ()), *WALLS, *tree, *NOWHERE_ELSE, "--")


def run(toolchain: Toolchain, task: Compilation) -> tuple[int, bytes]:
    """The status, and the output up to the bound; to kill bwrap ends all its processes."""
    with tempfile.TemporaryFile() as given:
        given.write(task.given)
        given.seek(0)
        with subprocess.Popen(
            (*walls(toolchain), *task.inside), stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/"
        ) as process:
            assert process.stdout is not None
            timer = threading.Timer(task.deadline_s, process.kill)
            timer.start()
            try:
                said = process.stdout.read(LARGEST_PROGRAM + 1)
                if len(said) > LARGEST_PROGRAM:
                    process.kill()
                process.wait()
            finally:
                timer.cancel()
                process.kill()
    return process.returncode, said
