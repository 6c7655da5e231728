"""How to enter a host: the command by which its Python runs a part of the jobs in there, without a network.

A host sees the checkout read-only, and of the cache the packages alone. It makes the rest by itself, in a cache of its
own: the compiler, the programs, the image, the carried QEMU, its plugin, the frozen machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

from tests.release.hosts.outcomes import SHARED
from tests.release.hosts.roots import debootstrapped, kept, run

from lab.machine.runner import ARCHITECTURES
from lab.places import CACHE, MACHINE, ROOT
from lab.supply import lock
from lab.supply.providers import opened_store

REQUIREMENTS = ROOT / "code" / "setup" / "requirements.txt"
VERSION_HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
LETTERS = 12  # of a digest
LOADED = ("tests.release.hosts.outcomes",)
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
CARRIED = 'python=$(code/setup/carry) && exec "$python" "$@"'
VERSION = "import sys; print('{}.{}'.format(*sys.version_info))"
Enter = Callable[[Sequence[str]], list[str]]
MODULE = ("-m", "tests.release.hosts.outcomes")
GIVEN = ("packages", "hosts/shared")
OWN = CACHE / "hosts" / "caches"
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
WITHOUT_NAMESPACES = ("--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY))
STORAGE = CACHE / "hosts" / "container"
LAB_FOLDER = Path("/lab")
CONTAINER = "lab-hosts"


@dataclass(frozen=True)
class Python:
    """A command, and where things are."""

    command: tuple[str, ...]
    packages: str  # below the checkout

    def environment(self, lab: Path) -> dict[str, str]:
        """Where it finds modules; nothing of this computer's environment."""
        path = f"{lab / 'code'}:{lab}:{lab / self.packages}"
        return {"PATH": PATH, "HOME": "/tmp", "LC_ALL": "C.UTF-8", "PYTHONPATH": path}


def python_of(root: Path) -> Python:
    """The root's own, of any version; pip chooses packages for it out of the checkout's requirements."""
    if root == Path("/"):
        return Python((sys.executable,), packages(VERSION_HERE))
    return Python(("/usr/bin/python3",), packages(run(*shut_in(root), "/usr/bin/python3", "-c", VERSION).strip()))


def shut_in(root: Path) -> list[str]:
    """A root to look into."""
    return ["bwrap", "--ro-bind", str(root), "/", "--proc", "/proc", "--dev", "/dev"]


def carried_python() -> Python:
    """The one that set-up carries to hosts whose own won't do, laid out there."""
    found = lock.read(MACHINE / "packages.lock")
    opened_store(CACHE, print).obtain(found.of(f"python {ARCHITECTURES[platform.machine()]}"), found.date)
    return Python(("sh", "-c", CARRIED, "sh"), packages("3.11"))


def packages(version: str) -> str:
    """The folder of packages for a version of Python, below the checkout: the checkout's own if it is that version."""
    if version == VERSION_HERE:
        return f".venv/lib/python{VERSION_HERE}/site-packages"
    wanted = "".join(of_requirements(needed()))
    name = f"python{version}-{hashlib.sha256(wanted.encode()).hexdigest()[:LETTERS]}"
    return str(kept(SHARED / name, lambda made: install(version, wanted, made)).relative_to(ROOT))


def install(version: str, requirements: str, folder: Path) -> None:
    """By pip and with digests, as setup does; nothing is compiled."""
    wanted = folder / "requirements.txt"
    wanted.write_text(requirements)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--require-hashes", "--no-deps", "--only-binary=:all:"]
    run(*pip, "--python-version", version, "--target", folder, "--requirement", wanted)


def needed() -> set[str]:
    """The distributions of which the jobs load a module, those at their first use included."""
    code = f"import json, sys, {', '.join(LOADED)}; print(json.dumps([each.partition('.')[0] for each in sys.modules]))"
    loaded = set(json.loads(run(sys.executable, "-c", code)))
    return {
        each.lower().replace("_", "-")
        for name, owners in packages_distributions().items()
        if name in loaded
        for each in owners
    }


def of_requirements(names: set[str]) -> list[str]:
    """The lines of the checkout's requirements for some distributions."""
    blocks = re.findall(r"^[a-z].*(?:\n .*)*\n", REQUIREMENTS.read_text(), re.MULTILINE)
    return [block for block in blocks if block.partition("==")[0] in names]


def here(words: Sequence[str]) -> list[str]:
    """The reference: this checkout as it is."""
    return [sys.executable, *MODULE, *words]


def runner_elsewhere(runner: str) -> Enter:
    """The harness stays here, and starts QEMU on another kind of host."""
    return lambda words: [*here(words), runner]


def by_bwrap(name: str, root: Path, python: Python, *walls: str) -> Enter:
    """A root; this computer's own is seen read-only."""
    lab = ROOT if root == Path("/") else Path("/lab")
    shut = ["bwrap", "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-net", *walls]
    shut += ["--ro-bind" if root == Path("/") else "--bind", str(root), "/", "--dev", "/dev", "--proc", "/proc"]
    shut += ["--tmpfs", "/tmp", *(word for pair in binds(lab, own_cache(name)) for word in pair)]
    variables = python.environment(lab).items()
    shut += ["--chdir", str(lab), "--clearenv", *(word for pair in variables for word in ("--setenv", *pair))]
    return lambda words: [*shut, "--", *python.command, *MODULE, *words]


def as_nobody(name: str, enter: Enter) -> Enter:
    """The same by a user without any rights, if this is root's process."""
    if os.getuid():
        return enter
    for each in (own_cache(name), *own_cache(name).rglob("*")):
        os.lchown(each, NOBODY, NOBODY)
    return lambda words: [*AS_NOBODY, *enter(words)]


def binds(lab: Path, cache: Path) -> list[tuple[str, str, str]]:
    """The checkout as a host sees it."""
    given = [("--ro-bind", str(CACHE / each), str(lab / ".cache" / each)) for each in GIVEN]
    return [("--ro-bind", str(ROOT), str(lab)), ("--bind", str(cache), str(lab / ".cache")), *given]


def own_cache(name: str) -> Path:
    """The host's own cache; it is kept, with the places for what it is given."""
    cache = OWN / name
    for each in GIVEN:
        (cache / each).mkdir(parents=True, exist_ok=True)
    SHARED.mkdir(parents=True, exist_ok=True)
    return cache


def buildah(*words: str) -> list[str]:
    """A command with a storage of its own, which takes nothing of the kernel's."""
    places = ("--root", str(STORAGE / "storage"), "--runroot", str(STORAGE / "run"), "--storage-driver", "vfs")
    return ["env", "BUILDAH_ISOLATION=chroot", "buildah", *places, *words]


def make_container(root: Path) -> None:
    """The container, from nothing but a userland. Its storage cannot be moved: what is half made is removed."""
    done = STORAGE / "done"
    if not done.exists():
        shutil.rmtree(STORAGE, ignore_errors=True)
        run(*buildah("from", "--name", CONTAINER, "scratch"))
        run(*buildah("copy", "--quiet", CONTAINER, str(root), "/"))
        done.touch()


def container(name: str) -> Enter:
    """The way into it."""
    root = debootstrapped("bookworm", ["python3"])
    make_container(root)
    python = python_of(root)
    shown = [
        f"{source}:{target}:{'ro' if way == '--ro-bind' else 'rw'}"
        for way, source, target in binds(LAB_FOLDER, own_cache(name))
    ]
    volumes = [word for each in shown for word in ("--volume", each)]
    variables = [word for pair in python.environment(LAB_FOLDER).items() for word in ("--env", "=".join(pair))]
    words = buildah(
        "run", "--user", f"{NOBODY}:{NOBODY}", "--workingdir", str(LAB_FOLDER), *volumes, *variables, CONTAINER
    )
    as_nobody(name, list)  # the cache is his
    return lambda asked: ["unshare", "--net", *words, "--", *python.command, *MODULE, *asked]
