"""Newer versions of QEMU, to which the lab could move: Debian's own restore the machine that the pinned one froze."""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hosts import debian
from tests.hosts.elsewhere import Elsewhere
from tests.hosts.making import run

from lab.compiler.build import PLUGIN_FLAGS
from lab.files.store import exclusive, put_file
from lab.machine.runner import NAME, PROGRAM, Runner
from lab.machine.snapshot import Snapshot
from lab.places import CACHE, MACHINE

HERE = Path(__file__).parent
PAIR = MACHINE / "pair"
PIPE_BYTES = 1 << 20  # what any user may ask for (pipe(7)), and more than a state has
LIBRARIES = "usr/lib/x86_64-linux-gnu"


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
        root = debian.with_qemu(self.suite, self.suite)
        plugin = CACHE / "hosts" / f"plugin-{self.api}" / NAME
        plugin.parent.mkdir(parents=True, exist_ok=True)
        with exclusive(plugin.with_name("lock")), put_file(plugin) as file:
            self.compile(file)
        return Elsewhere(Installed(root), plugin, self.machine)

    def compile(self, plugin: Path) -> None:
        """The plugin for that interface, by this computer's compiler: no result depends on it."""
        flags = [*PLUGIN_FLAGS, f"-DAPI={self.api}", f"-I{PAIR}"]
        with tempfile.TemporaryDirectory() as folder:
            version = Path(folder, "version.o")
            run("gcc", *flags, "-c", "-o", version, HERE / "newer.c")
            run("gcc", *flags, "-include", HERE / "newer.h", "-o", plugin, *sorted(PAIR.glob("*.c")), version)


QEMU_10 = Newer("trixie", 4)
QEMU_11 = Newer("sid", 7, Poured)
