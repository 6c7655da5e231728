"""The hosts: adding one is one entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.release.hosts.entry import (
    WITHOUT_NAMESPACES,
    Enter,
    as_nobody,
    by_bwrap,
    carried_python,
    container,
    python_of,
    runner_elsewhere,
)  # fmt: skip
from tests.release.hosts.roots import debootstrapped, musl, with_qemu

HERE = Path("/")
ROOT = ("debootstrap", "unshare", "bwrap")
DEBOOTSTRAP = "debootstrap --variant=minbase "
OUTSIDE = "; the harness is outside"

Opened = Callable[[str], Enter]


@dataclass(frozen=True)
class Host:
    """A row of the table."""

    name: str
    words: str
    made: str  # how its root is made, for people
    opened: Opened  # makes what it needs
    every: bool = False  # whether it runs all trials of all experiments
    needs: tuple[str, ...] = ("bwrap",)  # commands of this computer

    @property
    def needs_root(self) -> bool:
        """Whether only root can make it."""
        return "debootstrap" in self.needs


def userland(make: Callable[[], Path]) -> Opened:
    """Enter a userland by its own Python."""

    def opened(name: str) -> Enter:
        root = make()
        return by_bwrap(name, root, python_of(root))

    return opened


def without_python(make: Callable[[], Path]) -> Opened:
    """Enter a userland by the carried Python."""
    return lambda name: by_bwrap(name, make(), carried_python())


def this_computer(*walls: str) -> Opened:
    """Enter this computer's own files, with more walls."""
    return lambda name: by_bwrap(name, HERE, python_of(HERE), *walls)


def debian(name: str, words: str, suite: str, *, every: bool = False) -> Host:
    """A suite of Debian with its Python."""
    make = userland(lambda: debootstrapped(suite, ["python3"]))
    return Host(name, words, DEBOOTSTRAP + suite, make, every, ROOT)


def with_own_qemu(name: str, words: str, source: str, apt: str, *, every: bool = False) -> Host:
    """Debian 12 in which another QEMU is installed, which nothing may depend on."""
    made = f"{DEBOOTSTRAP}bookworm; apt-get install {apt}qemu-system-x86"
    return Host(name, words, made, userland(lambda: with_qemu("bookworm", source)), every, ROOT)


def newer_qemu(number: int, release: str, suite: str) -> Host:
    """A newer QEMU restores the machine that the carried one froze."""
    name = f"qemu-{number}"
    words = f"QEMU {number} of Debian {release} in place of the carried one{OUTSIDE}"
    made = f"{DEBOOTSTRAP}{suite}; apt-get install qemu-system-x86"
    return Host(name, words, made, lambda _: runner_elsewhere(name), needs=("gcc", *ROOT))


HOSTS = (
    Host(
        "debian-11", "Debian 11, with the carried Python", f"{DEBOOTSTRAP}bullseye",
        without_python(lambda: debootstrapped("bullseye")), needs=ROOT,
    ),
    with_own_qemu("debian-12", "Debian 12 in which its own QEMU is installed", "bookworm", "", every=True),
    with_own_qemu(
        "debian-12-security", "Debian 12 in which the QEMU of its security updates is installed",
        "bookworm-security", "-t bookworm-security ",
    ),
    debian("debian-13", "Debian 13", "trixie", every=True),
    debian("debian-sid", "Debian sid", "sid"),
    Host(
        "musl", "busybox and musl, with the carried Python; no glibc is installed", "make CC=musl-gcc busybox",
        without_python(musl), needs=("musl-gcc", *ROOT),
    ),
    Host(
        "container", "container of Debian 12, as an ordinary user",
        f"{DEBOOTSTRAP}bookworm; buildah from scratch; buildah copy", container, every=True, needs=("buildah", *ROOT),
    ),
    Host(
        "arm64", f"QEMU built for arm64, by qemu-user{OUTSIDE}", "qemu-aarch64-static",
        lambda _: runner_elsewhere("arm64"), needs=("qemu-aarch64-static",),
    ),
    newer_qemu(10, "13", "trixie"),
    newer_qemu(11, "sid", "sid"),
    Host(
        "ordinary-user", "this computer, as the user nobody", "setpriv --reuid=65534; bwrap",
        lambda name: as_nobody(name, this_computer()(name)),
    ),
    Host(
        "no-namespaces", "this computer, where a user gets no namespaces", "bwrap --unshare-user --disable-userns",
        this_computer(*WITHOUT_NAMESPACES),
    ),
    Host("no-network", "this computer, without a network", "bwrap --unshare-net", this_computer()),
    Host(
        "empty-root", f"a root with QEMU's folder alone, where a user gets no namespaces{OUTSIDE}",
        "bwrap --unshare-all --disable-userns", lambda _: runner_elsewhere("empty"),
    ),
)  # fmt: skip
