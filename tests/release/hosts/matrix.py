"""The hosts: a new one is an entry here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.release.hosts.entry import (
    WITHOUT_NAMESPACES,
    Enter,
    as_nobody,
    bundled_python,
    by_bwrap,
    python_of,
    runner_elsewhere,
)  # fmt: skip
from tests.release.hosts.roots import debootstrapped, musl, with_qemu

HERE = Path("/")
ROOT = ("debootstrap", "unshare", "bwrap")
DEBOOTSTRAP = "debootstrap --variant=minbase "

Opened = Callable[[str], Enter]


@dataclass(frozen=True)
class Host:
    name: str
    words: str
    made: str  # how its root is made, for people
    opened: Opened  # makes the root, and returns the way into it
    every: bool = False  # whether it runs all trials of all experiments
    needs: tuple[str, ...] = ("bwrap",)  # commands of this host

    @property
    def needs_root(self) -> bool:
        return "debootstrap" in self.needs


def userland(make: Callable[[], Path], *, bundled: bool = False) -> Opened:
    """Enter a userland with its Python or the bundled one."""

    def opened(name: str) -> Enter:
        root = make()
        return by_bwrap(name, root, bundled_python() if bundled else python_of(root))

    return opened


def this_computer(*walls: str) -> Opened:
    """Enter this host's files, with more walls."""
    return lambda name: by_bwrap(name, HERE, python_of(HERE), *walls)


def debian(name: str, words: str, suite: str, *, every: bool = False) -> Host:
    make = userland(lambda: debootstrapped(suite, ["python3"]))
    return Host(name, words, DEBOOTSTRAP + suite, make, every, ROOT)


HOSTS = (
    Host(
        "debian-11", "Debian 11, with the bundled Python", f"{DEBOOTSTRAP}bullseye",
        userland(lambda: debootstrapped("bullseye"), bundled=True), needs=ROOT,
    ),
    Host(
        "debian-12", "Debian 12 with Debian's QEMU installed",
        f"{DEBOOTSTRAP}bookworm; apt-get install qemu-system-x86",
        userland(lambda: with_qemu("bookworm")), every=True, needs=ROOT,
    ),
    debian("debian-13", "Debian 13", "trixie", every=True),
    debian("debian-sid", "Debian sid", "sid"),
    Host(
        "musl", "busybox and musl, with the bundled Python; no glibc is installed", "make CC=musl-gcc busybox",
        userland(musl, bundled=True), needs=("musl-gcc", *ROOT),
    ),
    Host(
        "arm64", "QEMU built for arm64, by qemu-user; the harness is outside", "qemu-aarch64-static",
        lambda _: runner_elsewhere("arm64"), needs=("qemu-aarch64-static",),
    ),
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
        "empty-root", "a root with QEMU's folder alone, where a user gets no namespaces; the harness is outside",
        "bwrap --unshare-all --disable-userns", lambda _: runner_elsewhere("empty"),
    ),
)  # fmt: skip
