"""The bundled QEMU and its plugin: where they are in the cache, and how they start."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError
from lab.files.storage import refusal
from lab.files.store import folder_digest, sums_of
from lab.machine import contents
from lab.supply import deb
from lab.supply.lock import RUNNER, read
from lab.supply.providers import opened_store

PAIR, PROFILE = "pair", "profile"  # a folder of sources for each plugin
NAME = f"{PAIR}.so"
PROGRAM, LOADER = "qemu-system-x86_64", "ld.so"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}  # as the kernel and as Debian call a host's
KEPT = 2


class RunnerError(SiteError):
    """QEMU cannot be started here."""


@dataclass(frozen=True)
class Runner:
    """A folder with QEMU and all that it opens: libraries, a module, ROMs."""

    folder: Path
    packages: str = ""  # a digest of the lock's packages of QEMU, for hosts of all architectures

    def command(self, arguments: Sequence[str]) -> list[str]:
        """The command that starts QEMU in its folder: a loader would split some absolute paths of that folder."""
        loader = [str(self.folder / LOADER), "--inhibit-cache", "--library-path", ".", "--argv0", PROGRAM]
        return [*loader, f"./{PROGRAM}", "-L", ".", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        """The environment without variables of the loader. QEMU looks for modules beside the running program, which is
        the loader, unless a variable names their folder."""
        safe = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "GLIBC_", "QEMU_"))}
        return {**safe, "QEMU_MODULE_DIR": ".", "LC_ALL": "C"}

    def version(self) -> str:
        """QEMU's version line, Debian's revision included."""
        try:
            printed = subprocess.check_output(
                self.command(["--version"]), cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            what, hint = refusal(error)
            raise RunnerError(f"QEMU does not start: {what}", str(error.filename or self.folder), hint) from error
        except subprocess.CalledProcessError as error:
            raise RunnerError(f"QEMU does not start: {error.stderr.strip()}", str(self.folder)) from error
        return printed.splitlines()[0].removeprefix("QEMU emulator version ")


def architecture(machine: str = platform.machine()) -> str:
    """This host's architecture, by Debian's name."""
    return ARCHITECTURES.get(machine, machine)


def section(kind: str = RUNNER) -> str:
    """The lock's section of a kind for this host; the lock refuses an architecture that it has none for."""
    return f"{kind} {architecture()}"


def bundled(machine: Path, cache: Path, tell: Callable[[str], None]) -> Runner:
    """The runner of the lock for this host, unpacked if it is missing or damaged."""
    folder = unpacked(RUNNER, machine, cache, tell, "unpacking the bundled QEMU")
    return Runner(folder, read(machine / "packages.lock").digest(RUNNER))


def unpacked(kind: str, machine: Path, cache: Path, tell: Callable[[str], None], doing: str) -> Path:
    """A folder with a bundled program for this host, unpacked if it is missing or damaged."""
    lock, target = read(machine / "packages.lock"), place(machine, cache, kind)

    def fill(packages: list[Path], folder: Path) -> None:
        unpack(packages, contents.load(machine / f"{kind}.toml"), folder)

    contents.fill_once(target, lock.of(section(kind)), lock.date, cache, tell, doing, fill, KEPT)
    return target


def place(machine: Path, cache: Path, kind: str = RUNNER) -> Path:
    """The folder of a bundled program for this host."""
    locked = read(machine / "packages.lock").of(section(kind))
    return cache / kind / contents.inputs_digest((machine / f"{kind}.toml", Path(__file__)), locked)


def digests(machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """A digest of the runner for each kind of host, as it would be unpacked there."""
    lock, store, found = read(machine / "packages.lock"), opened_store(cache, tell), dict[str, str]()
    for name, locked in lock.kind(RUNNER).items():
        store.obtain(locked, lock.date)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            unpack([store.file(each) for each in locked], contents.load(machine / "runner.toml"), Path(folder))
            found[name] = folder_digest(Path(folder))
    return found


def unpack(packages: Sequence[Path], wanted: contents.Wanted, folder: Path) -> None:
    """Copy the wanted files of packages and all that they need into one folder, flat."""
    with deb.unpacked(packages, folder.parent) as root:
        (program,) = wanted.programs
        loader = contents.loader(root, program)
        for path in contents.paths(root, wanted):
            shutil.copy(contents.inside(root, path), folder / (LOADER if path == loader else Path(path).name))


def plugin_place(machine: Path, cache: Path, which: str = PAIR) -> Path:
    """The file of a plugin for this host's QEMU, in a folder named by its sources."""
    texts = {name: hashlib.sha256(content).hexdigest() for name, content in plugin_sources(machine, which).items()}
    inputs = f"{section()}\n".encode() + sums_of(texts)
    return cache / "plugin" / hashlib.sha256(inputs).hexdigest() / f"{which}.so"


def plugin_sources(machine: Path, which: str = PAIR) -> dict[str, bytes]:
    """The sources of a plugin, by name."""
    files = sorted(machine.glob(f"{which}/*.[ch]"))
    return {str(file.relative_to(machine)): file.read_bytes() for file in files}
