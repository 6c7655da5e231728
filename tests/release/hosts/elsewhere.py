"""Hosts on which only QEMU runs: the harness stays outside and starts the carried QEMU, or a newer one, there."""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.release.hosts.roots import run, with_qemu

from lab.compiler import build
from lab.files.store import exclusive, put_file, put_folder
from lab.machine import contents, runner
from lab.machine.runner import LOADER, NAME, PROGRAM, Runner
from lab.machine.snapshot import Snapshot
from lab.places import CACHE, MACHINE
from lab.sites.exact import ExactSite
from lab.supply import lock
from lab.supply.providers import opened_store

ARM64_QEMU = "qemu-aarch64-static"
ARM64 = CACHE / "hosts" / "arm64"
HOST_SECONDS = (1000.0, 1000.0)  # of a second of the guest, and more: a translated translator is slow
PAIR = MACHINE / "pair"
PIPE_BYTES = 1 << 20  # what any user may ask for (pipe(7)), and more than a state has
LIBRARIES = "usr/lib/x86_64-linux-gnu"


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
        walls += ["--uid", "65534", "--gid", "65534", "--ro-bind", str(self.folder), "/carried"]
        walls += ["--proc", "/proc", "--dev", "/dev", "--chdir", "/carried"]
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


HOSTS_FOLDER = Path(__file__).parent


class Installed(Runner):
    """A userland's QEMU, started from outside by the loader and the libraries of that userland."""

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command, from the userland's folder."""
        loader = [str(self.folder / "lib64/ld-linux-x86-64.so.2"), "--inhibit-cache", "--library-path", LIBRARIES]
        roms = ["-L", "usr/share/qemu", "-L", "usr/share/seabios"]
        return [*loader, "--argv0", PROGRAM, f"usr/bin/{PROGRAM}", *roms, *arguments]

    @property
    def environment(self) -> dict[str, str]:
        """As the carried one's, and its modules lie elsewhere."""
        return {**super().environment, "QEMU_MODULE_DIR": f"{LIBRARIES}/qemu"}


class Poured(Snapshot):
    """QEMU 11 takes a pipe and no file for a state that comes by a descriptor."""

    @property
    def state(self) -> Path:
        """A new pipe with all of it; it lasts as long as this process."""
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(super().state.read_bytes())
        return Path(f"/proc/self/fd/{reading}")


@dataclass(frozen=True)
class Newer:
    """A version of QEMU, by the suite of Debian that has it."""

    suite: str
    api: int  # of the plugin interface, which the version takes
    machine: Callable[..., Snapshot] = Snapshot

    def __call__(self) -> Elsewhere:
        """Made if it is missing."""
        root = with_qemu(self.suite, self.suite)
        plugin = CACHE / "hosts" / f"plugin-{self.api}" / NAME
        plugin.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(plugin.with_name("lock")), put_file(plugin) as file:
            self.compile(file)
        return Elsewhere(Installed(root), plugin, self.machine)

    def compile(self, plugin: Path) -> None:
        """The plugin for that interface, by this computer's compiler: no result depends on it."""
        flags = [*build.PLUGIN_FLAGS, f"-DAPI={self.api}", f"-I{PAIR}"]
        with tempfile.TemporaryDirectory() as folder:
            version = Path(folder, "version.o")
            run("gcc", *flags, "-c", "-o", version, HOSTS_FOLDER / "newer.c")
            run("gcc", *flags, "-include", HOSTS_FOLDER / "newer.h", "-o", plugin, *sorted(PAIR.glob("*.c")), version)


QEMU_10 = Newer("trixie", 4)
QEMU_11 = Newer("sid", 7, Poured)
