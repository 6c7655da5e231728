"""A stranger's build command in a sandbox: no network, no writable file of this computer, bounds on time and memory.

The sources go in and the programs come out as archives through pipes; the sandbox has files in memory only.
"""

from __future__ import annotations

import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from lab.errors import LabError
from lab.files import tarball

DEADLINE_S = 120
MEMORY_BYTES, DISK_BYTES, LARGEST_PROGRAM = 2 * 2**30, 256 * 2**20, 50 * 2**20
LIMITS = (
    "prlimit",
    f"--as={MEMORY_BYTES}",
    f"--fsize={DISK_BYTES}",
    f"--cpu={DEADLINE_S}",
    "--nproc=128",
    "--nofile=256",
    "--core=0",
)
# The folders of this computer that a compiler reads; /etc/alternatives leads to the chosen compiler.
TREE = ("--ro-bind", "/usr", "/usr", "--ro-bind-try", "/etc/alternatives", "/etc/alternatives")
LINKS = tuple(word for name in ("bin", "sbin", "lib", "lib64") for word in ("--symlink", f"usr/{name}", f"/{name}"))
WALLS = (
    *("bwrap", "--unshare-all", "--unshare-user", "--uid", "65534", "--gid", "65534", "--cap-drop", "ALL"),
    *("--die-with-parent", "--new-session", "--clearenv"),
    *("--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/w"),
    *(*TREE, *LINKS, "--proc", "/proc", "--dev", "/dev", "--size", str(DISK_BYTES), "--tmpfs", "/tmp"),
    *("--size", str(DISK_BYTES), "--tmpfs", "/w", "--chdir", "/w"),
)
# The kernel counts no processes of root, so root becomes another user first.
NOT_ROOT = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
# The arguments are the names of the wanted files, then the command. Its output replaces the files if it fails.
SCRIPT = """tar -x || exit 2
names=$1; shift
"$@" >/tmp/said 2>&1 </dev/null || { tail -c 2000 /tmp/said; exit 3; }
exec tar -c -- $names
"""
LAST_LINES = 4
FAILED, KILLED = 3, (137, -9)  # the script's status, and what `timeout --signal=KILL` ends with


class BuildRefused(LabError):
    """The sources of a hand-in don't give its programs."""


class SandboxMissing(LabError):
    """This computer has no sandbox for a build: no fault of the hand-in."""


def build_shut_in(files: Mapping[str, bytes], command: Iterable[str], wanted: Iterable[str]) -> dict[str, bytes]:
    """The programs that the command makes of the files."""
    require_sandbox()
    words, names = tuple(command), tuple(wanted)
    inside = (*LIMITS, "sh", "-c", SCRIPT, "sh", " ".join(names), *words)
    status, said = _run((*_walls(), *inside), tarball.pack(files))
    if status in KILLED:
        raise BuildRefused(f"{' '.join(words)} did not end within {DEADLINE_S} s")
    if status == FAILED:
        lines = said.decode(errors="replace").strip().splitlines()[-LAST_LINES:]
        raise BuildRefused(f"{' '.join(words)}: {' / '.join(lines)[:300] or 'failed'}")
    return _programs(said, names)


def require_sandbox() -> None:
    """Whether the kernel lets this user make a sandbox: as root, or with name spaces for users."""
    try:
        done = subprocess.run([*_walls(), "true"], capture_output=True, timeout=DEADLINE_S, check=False)
    except OSError as error:
        raise SandboxMissing("bwrap is not installed", hint="make setup") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip()[:200]
        raise SandboxMissing(f"nothing can be compiled safely here: {said}", hint="a kernel with user name spaces")


def _walls() -> tuple[str, ...]:
    return (*(NOT_ROOT if os.geteuid() == 0 else ()), *WALLS, "--")


def _run(command: tuple[str, ...], given: bytes) -> tuple[int, bytes]:
    """The status, and the output up to the bound; to kill bwrap ends all its processes."""
    with tempfile.TemporaryFile() as stdin:
        stdin.write(given)
        stdin.seek(0)
        limited = ("timeout", "--signal=KILL", str(DEADLINE_S), *command)
        with subprocess.Popen(
            limited, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/"
        ) as process:
            assert process.stdout is not None
            content = process.stdout.read(LARGEST_PROGRAM + 1)
            if len(content) > LARGEST_PROGRAM:
                process.terminate()  # timeout passes it on
                raise BuildRefused(f"the programs are larger than {LARGEST_PROGRAM} bytes")
    return process.returncode, content


def _programs(content: bytes, names: tuple[str, ...]) -> dict[str, bytes]:
    """The files with the wanted names only."""
    try:
        found = tarball.unpack(io.BytesIO(content), LARGEST_PROGRAM)
    except tarfile.TarError as error:
        raise BuildRefused(f"no programs came out: {error}") from error
    for name in names:
        if name not in found:
            raise BuildRefused(f"the sources don't give {Path(name).name}")
    return {name: found[name] for name in names}
