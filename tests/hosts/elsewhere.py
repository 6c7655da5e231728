"""Hosts on which nothing of the lab runs but its QEMU: the harness stays on this computer and starts it there."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.compiler import build
from lab.files.store import exclusive, put_folder
from lab.machine import contents, runner
from lab.machine.runner import LOADER, NAME, Runner
from lab.machine.snapshot import Snapshot
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite
from lab.supply import lock
from lab.supply.providers import opened_store

ARM64_QEMU = "qemu-aarch64-static"
ARM64 = CACHE / "hosts" / "arm64"
HOST_SECONDS = (1000.0, 1000.0)  # of a second of the guest, and more: a translated translator is slow


def tell(said: str) -> None:
    """To who watches; what is printed is read by who counts."""
    print(said, file=sys.stderr, flush=True)


class InAnEmptyRoot(Runner):
    """QEMU where its folder is all that can be seen, without network, as a user without namespaces."""

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The same command, in there."""
        inside = super().command(arguments)
        inside[0] = f"/carried/{LOADER}"
        walls = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
        walls += [
            "--uid",
            "65534",
            "--gid",
            "65534",
            "--ro-bind",
            str(self.folder),
            "/carried",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--chdir",
            "/carried",
        ]
        return [*walls, "--", *inside]


class EmulatedArm64(Runner):
    """QEMU's build for arm64, each of its instructions translated by qemu-user."""

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The same command, begun by the translator."""
        return [ARM64_QEMU, *super().command(arguments)]


@dataclass(frozen=True)
class Elsewhere:
    """A runner, the plugin that it can load, and how it is given the frozen machine."""

    runner: Runner
    plugin: Path
    machine: Callable[..., Snapshot] = Snapshot


class WithRunner(ExactSite):
    """This computer's exact site and its frozen machine, restored by another runner."""

    def __init__(self, other: Elsewhere) -> None:
        super().__init__(MACHINE, CACHE, HOST_SECONDS)
        self.other = other

    def verified_snapshot(self) -> Snapshot:
        """The machine with the other runner and its plugin."""
        ours = super().verified_snapshot()
        return self.other.machine(ours.folder, self.other.runner, self.other.plugin, copied=ours.copied)


def empty() -> Elsewhere:
    """What this computer's site uses, shut in."""
    ours = runner.bundled(MACHINE, CACHE, tell)
    return Elsewhere(InAnEmptyRoot(ours.folder), build.built_plugin(MACHINE, CACHE, tell))


def arm64() -> Elsewhere:
    """What an arm64 computer lays out of the same lock, and the plugin compiled for it."""
    with exclusive(ARM64 / "lock"):
        for name, make in (("runner", lay_out_arm64), ("plugin", compile_arm64)):
            with put_folder(ARM64 / name) as folder:
                if folder is not None:
                    make(folder)
    return Elsewhere(EmulatedArm64(ARM64 / "runner"), ARM64 / "plugin" / NAME)


def lay_out_arm64(folder: Path) -> None:
    """The runner of the lock's section for arm64."""
    found, store = lock.read(MACHINE / "packages.lock"), opened_store(CACHE, tell)
    locked = found.of(lock.runner("arm64"))
    store.obtain(locked, found.date)
    runner.unpack([store.file(each) for each in locked], contents.load(MACHINE / "runner.toml"), folder)


def compile_arm64(folder: Path) -> None:
    """The plugin by the lock's cross compiler."""
    (folder / NAME).write_bytes(build.compiled_plugin(MACHINE, CACHE, lock.runner("arm64"), tell))
