"""The hosts: adding one is one entry here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.hosts import debian, python
from tests.hosts.container import container
from tests.hosts.entry import WITHOUT_NAMESPACES, Enter, as_nobody, by_bwrap, runner_elsewhere
from tests.hosts.musl import musl

HERE = Path("/")


@dataclass(frozen=True)
class Host:
    """A row of the table."""

    name: str
    words: str
    made: str  # how its root is made, for people
    opened: Callable[[str], Enter]  # makes what it needs
    every: bool = False  # whether it runs all trials of all experiments
    needs: tuple[str, ...] = ("bwrap",)  # commands of this computer

    @property
    def needs_root(self) -> bool:
        """Whether only root can make it."""
        return "debootstrap" in self.needs


def own(make: Callable[[], Path]) -> Callable[[str], Enter]:
    """A userland with its own Python."""

    def opened(name: str) -> Enter:
        root = make()
        return by_bwrap(name, root, python.own(root))

    return opened


def carried(make: Callable[[], Path]) -> Callable[[str], Enter]:
    """A userland without a Python that the lab takes."""
    return lambda name: by_bwrap(name, make(), python.carried())


def computer(*walls: str) -> Callable[[str], Enter]:
    """This computer, with more walls."""
    return lambda name: by_bwrap(name, HERE, python.own(HERE), *walls)


def suite(name: str) -> Callable[[], Path]:
    """A suite with its Python."""
    return lambda: debian.debootstrapped(name, ["python3"])


def qemu_of(source: str) -> Callable[[], Path]:
    """Debian 12 with a QEMU of its own."""
    return lambda: debian.with_qemu("bookworm", source)


ROOT = ("debootstrap", "unshare", "bwrap")
HOSTS = (
    Host(
        "debian-11",
        "Debian 11, with the carried Python",
        "debootstrap --variant=minbase bullseye",
        carried(lambda: debian.debootstrapped("bullseye")),
        needs=ROOT,
    ),
    Host(
        "debian-12",
        "Debian 12 in which its own QEMU is installed",
        "debootstrap --variant=minbase bookworm; apt-get install qemu-system-x86",
        own(qemu_of("bookworm")),
        every=True,
        needs=ROOT,
    ),
    Host(
        "debian-12-security",
        "Debian 12 in which the QEMU of its security updates is installed",
        "debootstrap --variant=minbase bookworm; apt-get install -t bookworm-security qemu-system-x86",
        own(qemu_of("bookworm-security")),
        needs=ROOT,
    ),
    Host(
        "debian-13",
        "Debian 13",
        "debootstrap --variant=minbase trixie",
        own(suite("trixie")),
        every=True,
        needs=ROOT,
    ),
    Host(
        "debian-sid",
        "Debian sid",
        "debootstrap --variant=minbase sid",
        own(suite("sid")),
        needs=ROOT,
    ),
    Host(
        "musl",
        "busybox and musl, with the carried Python; no glibc is installed",
        "make CC=musl-gcc busybox",
        carried(musl),
        needs=("musl-gcc", *ROOT),
    ),
    Host(
        "container",
        "container of Debian 12, as an ordinary user",
        "debootstrap --variant=minbase bookworm; buildah from scratch; buildah copy",
        container,
        every=True,
        needs=("buildah", *ROOT),
    ),
    Host(
        "arm64",
        "QEMU built for arm64, by qemu-user; the harness is outside",
        "qemu-aarch64-static",
        lambda _: runner_elsewhere("arm64"),
        needs=("qemu-aarch64-static",),
    ),
    Host(
        "qemu-10",
        "QEMU 10 of Debian 13 in place of the carried one; the harness is outside",
        "debootstrap --variant=minbase trixie; apt-get install qemu-system-x86",
        lambda _: runner_elsewhere("qemu-10"),
        needs=("gcc", *ROOT),
    ),
    Host(
        "qemu-11",
        "QEMU 11 of Debian sid in place of the carried one; the harness is outside",
        "debootstrap --variant=minbase sid; apt-get install qemu-system-x86",
        lambda _: runner_elsewhere("qemu-11"),
        needs=("gcc", *ROOT),
    ),
    Host(
        "ordinary-user",
        "this computer, as the user nobody",
        "setpriv --reuid=65534; bwrap",
        lambda name: as_nobody(name, computer()(name)),
    ),
    Host(
        "no-namespaces",
        "this computer, where a user gets no namespaces",
        "bwrap --unshare-user --disable-userns",
        computer(*WITHOUT_NAMESPACES),
    ),
    Host("no-network", "this computer, without a network", "bwrap --unshare-net", computer()),
    Host(
        "empty-root",
        "a root with QEMU's folder alone, where a user gets no namespaces; the harness is outside",
        "bwrap --unshare-all --disable-userns",
        lambda _: runner_elsewhere("empty"),
    ),
)
