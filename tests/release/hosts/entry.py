"""How to enter a host: the command with which its Python runs a part of the jobs there, without a network.

A host sees the checkout read-only, and of the cache the packages alone. It builds the rest in another cache: compiler,
programs, image, the bundled QEMU, its plugin and the snapshot.
"""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.release.hosts.outcomes import SHARED
from tests.release.hosts.roots import kept, run

from lab.machine.runner import ARCHITECTURES
from lab.places import CACHE, MACHINE, ROOT
from lab.supply import lock
from lab.supply.providers import opened_store

REQUIREMENTS = ROOT / "code" / "setup" / "requirements.txt"
VERSION_HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
LETTERS = 12  # of a digest
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
BUNDLED = 'python=$(code/setup/carry) && exec "$python" "$@"'
VERSION = "import sys; print('{}.{}'.format(*sys.version_info))"
JOBS = "tests.release.hosts.outcomes"
Enter = Callable[[Sequence[str]], list[str]]
MODULE = ("-m", JOBS)
SHOWN = ("packages", "hosts/shared")
CACHES = CACHE / "hosts" / "caches"
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
WITHOUT_NAMESPACES = ("--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY))


@dataclass(frozen=True)
class Python:
    """A command, and the folder of its packages."""

    command: tuple[str, ...]
    packages: str  # below the checkout

    def environment(self, lab: Path) -> dict[str, str]:
        path = f"{lab / 'code'}:{lab}:{lab / self.packages}"
        return {"PATH": PATH, "HOME": "/tmp", "LC_ALL": "C.UTF-8", "PYTHONPATH": path}


def python_of(root: Path) -> Python:
    """The root's Python, of any version, with packages that pip chooses from the checkout's requirements."""
    if root == Path("/"):
        return Python((sys.executable,), packages(VERSION_HERE))
    return Python(("/usr/bin/python3",), packages(run(*look_into(root), "/usr/bin/python3", "-c", VERSION).strip()))


def look_into(root: Path) -> list[str]:
    """The start of a command that reads a root."""
    return ["bwrap", "--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"]


def bundled_python() -> Python:
    """The Python that set-up unpacks on hosts whose Python is too old."""
    locked = lock.read(MACHINE / "packages.lock")
    opened_store(CACHE, print).obtain(locked.of(f"python {ARCHITECTURES[platform.machine()]}"), locked.date)
    return Python(("sh", "-c", BUNDLED, "sh"), packages("3.11"))


def packages(version: str) -> str:
    """The folder of packages for a version of Python, below the checkout: .venv's if it has that version."""
    if version == VERSION_HERE:
        return f".venv/lib/python{VERSION_HERE}/site-packages"
    wanted = "".join(of_requirements(needed()))
    name = f"python{version}-{hashlib.sha256(wanted.encode()).hexdigest()[:LETTERS]}"
    return str(kept(SHARED / name, lambda made: install(version, wanted, made)).relative_to(ROOT))


def install(version: str, requirements: str, folder: Path) -> None:
    """Install packages by pip and with digests, as set-up does; compile nothing."""
    wanted = folder / "requirements.txt"
    wanted.write_text(requirements)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:"]
    run(*pip, "--python-version", version, "--target", folder, "--requirement", wanted)


def needed() -> set[str]:
    """The distributions of which the jobs load a module."""
    lazily = "urllib3, elftools.elf.elffile"  # imported where a job unpacks its VM
    code = f"import sys, {lazily}, {JOBS}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    loaded, owners = run(sys.executable, "-c", code).split(), packages_distributions()
    return {owner.lower().replace("_", "-") for name in loaded for owner in owners.get(name, ())}


def of_requirements(names: set[str]) -> list[str]:
    """The lines of the checkout's requirements for some distributions."""
    blocks = re.findall(r"^[a-z].*(?:\n .*)*\n", REQUIREMENTS.read_text(), re.MULTILINE)
    return [block for block in blocks if block.partition("==")[0] in names]


def here(words: Sequence[str]) -> list[str]:
    return [sys.executable, *MODULE, *words]


def runner_elsewhere(runner: str) -> Enter:
    """Run the harness here, which starts QEMU on another kind of host."""
    return lambda words: [*here(words), runner]


def by_bwrap(name: str, root: Path, python: Python, *walls: str) -> Enter:
    """Enter a root; this host's root is read-only."""
    lab = ROOT if root == Path("/") else Path("/lab")
    shut = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-net", *walls]
    shut += ["--ro-bind" if root == Path("/") else "--bind", str(root), "/", "--dev", "/dev", "--proc", "/proc"]
    shut += ["--tmpfs", "/tmp", *(word for pair in binds(lab, cache_of(name)) for word in pair)]
    variables = python.environment(lab).items()
    shut += ["--chdir", str(lab), "--clearenv", *(word for pair in variables for word in ("--setenv", *pair))]
    return lambda words: [*shut, "--", *python.command, *MODULE, *words]


def as_nobody(name: str, enter: Enter) -> Enter:
    """Enter as a user without rights, if this process is root's."""
    if os.getuid():
        return enter
    for each in (cache_of(name), *cache_of(name).rglob("*")):
        os.lchown(each, NOBODY, NOBODY)
    return lambda words: [*AS_NOBODY, *enter(words)]


def binds(lab: Path, cache: Path) -> list[tuple[str, str, str]]:
    shown = [("--ro-bind", str(CACHE / each), str(lab / ".cache" / each)) for each in SHOWN]
    return [("--ro-bind", str(ROOT), str(lab)), ("--bind", str(cache), str(lab / ".cache")), *shown]


def cache_of(name: str) -> Path:
    """The host's cache, with folders for what is shown to it."""
    cache = CACHES / name
    for each in SHOWN:
        (cache / each).mkdir(parents=True, exist_ok=True)
    SHARED.mkdir(parents=True, exist_ok=True)
    return cache
