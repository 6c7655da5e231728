"""Hosts on which only QEMU runs: the harness stays outside and starts the bundled QEMU there."""

import sys
from collections.abc import Sequence
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


def tell(sentence: str) -> None:
    """Print progress to stderr: a program reads stdout."""
    print(sentence, file=sys.stderr, flush=True)


class InAnEmptyRoot(Runner):
    """QEMU in a root that contains its folder alone, without network, as a user without namespaces."""

    def command(self, arguments: Sequence[str]) -> list[str]:
        inside = super().command(arguments)
        inside[0] = f"/qemu/{LOADER}"
        walls = ["bwrap", "--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent"]
        walls += ["--uid", "65534", "--gid", "65534", "--ro-bind", str(self.folder), "/qemu"]
        walls += ["--proc", "/proc", "--dev", "/dev", "--chdir", "/qemu"]
        return [*walls, "--", *inside]


class EmulatedArm64(Runner):
    """QEMU's build for arm64, each of its instructions translated by qemu-user."""

    def command(self, arguments: Sequence[str]) -> list[str]:
        return [ARM64_QEMU, *super().command(arguments)]


class WithRunner(ExactSite):
    """This host's exact site and its snapshot, restored by another runner that loads another plugin."""

    host_seconds = (1000.0, 1000.0)  # QEMU itself is emulated

    def __init__(self, other: Runner, plugin: Path) -> None:
        super().__init__(MACHINE, CACHE)
        self.other, self.plugin = other, plugin

    def verified_snapshot(self) -> Snapshot:
        ours = super().verified_snapshot()
        return Snapshot(ours.folder, self.other, self.plugin)


def empty() -> WithRunner:
    """The runner and the plugin of this host, in an empty root."""
    return WithRunner(
        InAnEmptyRoot(runner.bundled(MACHINE, CACHE, tell).folder), build.built_plugin(MACHINE, CACHE, tell)
    )


def arm64() -> WithRunner:
    """The runner that an arm64 host unpacks from the same lock, and the plugin compiled for it."""
    with exclusive(ARM64 / "lock"):
        for name, make in (("runner", unpack_arm64), ("plugin", compile_arm64)):
            with put_folder(ARM64 / name) as folder:
                if folder is not None:
                    make(folder)
    return WithRunner(EmulatedArm64(ARM64 / "runner"), ARM64 / "plugin" / NAME)


def unpack_arm64(folder: Path) -> None:
    packages, store = lock.read(MACHINE / "packages.lock"), opened_store(CACHE, tell)
    locked = packages.of(lock.section(lock.RUNNER, "arm64"))
    store.obtain(locked, packages.date)
    runner.unpack([store.file(each) for each in locked], contents.load(MACHINE / "runner.toml"), folder)


def compile_arm64(folder: Path) -> None:
    (folder / NAME).write_bytes(build.compiled_plugin(MACHINE, CACHE, lock.section(lock.RUNNER, "arm64"), tell))
