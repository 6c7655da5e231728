"""Debian's userlands in folders: made by debootstrap, which takes root, and kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.hosts.making import kept, run

from lab.errors import LabError
from lab.places import CACHE

ROOTS = CACHE / "hosts" / "roots"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# The mounts of a maker that is killed go with it.
ALONE = ("unshare", "--mount", "--pid", "--fork", "--kill-child")
LAB = "lab"  # where a userland sees the checkout


def mirror(suite: str = "") -> str:
    """Where this computer takes packages of Debian's main part from; or those of one suite of its own."""
    form = "$(ORIGIN)|$(CODENAME)|$(COMPONENT)|$(REPO_URI)"
    lines = (
        line.split("|") for line in run("apt-get", "indextargets", "--format", form, "Created-By: Packages").split("\n")
    )
    found = [words[3] for words in lines if words[0] == "Debian" and words[2] == "main" and suite in words[1]]
    if not found:
        raise LabError(f"this computer's apt has no mirror of Debian's {suite or 'main part'}")
    return found[0]


def userland(name: str, make: Callable[[Path], None]) -> Path:
    """The root of that name."""

    def with_a_place(root: Path) -> None:
        make(root)
        (root / LAB).mkdir(exist_ok=True)

    return kept(ROOTS / name, with_a_place)


def debootstrapped(suite: str, packages: Sequence[str] = ()) -> Path:
    """A suite's smallest userland, and some packages."""

    def make(root: Path) -> None:
        more = [f"--include={','.join(packages)}"] if packages else []
        run(*ALONE, "debootstrap", "--variant=minbase", *more, suite, root, mirror())

    return userland(suite, make)


def with_qemu(suite: str, source: str) -> Path:
    """A suite's userland in which QEMU is installed, out of the suite itself or another source."""

    def make(root: Path) -> None:
        run("cp", "-a", f"{debootstrapped(suite, ['python3'])}/.", root)
        apt = (*ALONE, "chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q")
        if source != suite:
            line = f"deb [signed-by={KEYS}] {mirror(source)} {source} main\n"
            (root / "etc/apt/sources.list.d/qemu.list").write_text(line)
            run(*apt, "update")
        run(*apt, "install", "-y", "--no-install-recommends", "-t", source, "qemu-system-x86")

    return userland(f"{suite}-{source}", make)
