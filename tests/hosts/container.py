"""A container of Debian 12 by buildah, without a daemon and without a network; its user is nobody in particular."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.hosts.debian import debootstrapped
from tests.hosts.entry import MODULE, NOBODY, Enter, as_nobody, binds, own_cache
from tests.hosts.making import run
from tests.hosts.python import own

from lab.places import CACHE

STORAGE = CACHE / "hosts" / "container"
LAB = Path("/lab")
CONTAINER = "lab-hosts"


def buildah(*words: str) -> list[str]:
    """A command with a storage of its own, which takes nothing of the kernel's."""
    places = ("--root", str(STORAGE / "storage"), "--runroot", str(STORAGE / "run"), "--storage-driver", "vfs")
    return ["env", "BUILDAH_ISOLATION=chroot", "buildah", *places, *words]


def make(root: Path) -> None:
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
    make(root)
    python = own(root)
    shown = [
        f"{source}:{target}:{'ro' if way == '--ro-bind' else 'rw'}"
        for way, source, target in binds(LAB, own_cache(name))
    ]
    volumes = [word for each in shown for word in ("--volume", each)]
    variables = [word for pair in python.environment(LAB).items() for word in ("--env", "=".join(pair))]
    words = buildah("run", "--user", f"{NOBODY}:{NOBODY}", "--workingdir", str(LAB), *volumes, *variables, CONTAINER)
    as_nobody(name, list)  # the cache is his
    return lambda asked: ["unshare", "--net", *words, "--", *python.command, *MODULE, *asked]
