"""The ways into a host: the command by which its Python runs a part of the jobs in there, without a network.

A host sees the checkout read-only, and of the cache the packages alone. It makes the rest by itself, in a cache of its
own: the compiler, the programs, the image, the carried QEMU, its plugin, the frozen machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.hosts.jobs import SHARED
from tests.hosts.python import Python

from lab.places import CACHE, ROOT

Enter = Callable[[Sequence[str]], list[str]]

MODULE = ("-m", "tests.hosts.outcomes")
GIVEN = ("packages", "hosts/shared")
OWN = CACHE / "hosts" / "caches"
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
WITHOUT_NAMESPACES = ("--unshare-user", "--disable-userns", "--uid", str(NOBODY), "--gid", str(NOBODY))


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
