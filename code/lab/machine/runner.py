"""The program that runs QEMU with its plugin, and ends with its parent."""

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
from lab.files.store import damage_of, exclusive, folder_digest, prune, put_folder, sha256, sums_of
from lab.machine import contents, elf
from lab.supply import deb
from lab.supply.lock import RUNNER, read, runner
from lab.supply.providers import opened_store

PAIR, PROFILE = "pair", "profile"  # a folder of sources for each
NAME = f"{PAIR}.so"


def built(machine: Path, cache: Path, compiled: Callable[[], bytes], which: str = PAIR) -> Path:
    """A plugin of this source for this host's QEMU, compiled if it is missing or damaged."""
    file = plugin_place(machine, cache, which)
    target = file.parent
    if damage_of(target):
        with exclusive(target.with_name("lock")):
            if damage_of(target):
                with put_folder(target, replace=True) as folder:
                    assert folder is not None
                    (folder / file.name).write_bytes(compiled())
    return file


def plugin_place(machine: Path, cache: Path, which: str = PAIR) -> Path:
    """Where a plugin is, or will be."""
    texts = {name: hashlib.sha256(content).hexdigest() for name, content in plugin_sources(machine, which).items()}
    made_from = f"{section()}\n".encode() + sums_of(texts)
    return cache / "plugin" / hashlib.sha256(made_from).hexdigest() / f"{which}.so"


def plugin_sources(machine: Path, which: str = PAIR) -> dict[str, bytes]:
    """All that it is compiled from, by name."""
    files = sorted(machine.glob(f"{which}/*.[ch]"))
    return {str(file.relative_to(machine)): file.read_bytes() for file in files}


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
        """The command that starts it from within its folder: a loader would take some paths of that folder for two."""
        loader = [str(self.folder / LOADER), "--inhibit-cache", "--library-path", ".", "--argv0", PROGRAM]
        return [*loader, f"./{PROGRAM}", "-L", ".", *arguments]

    @property
    def environment(self) -> dict[str, str]:
        """Without what would have the loader load more. QEMU looks for modules beside the program that runs, which is
        the loader, unless told otherwise."""
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "GLIBC_", "QEMU_"))}
        return {**ours, "QEMU_MODULE_DIR": ".", "LC_ALL": "C"}

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
    """This host's, by Debian's name."""
    return ARCHITECTURES.get(machine, machine)


def section() -> str:
    """The lock's, for this host; the lock refuses an architecture that it has no runner for."""
    return runner(architecture())


def carried(machine: Path, cache: Path, tell: Callable[[str], None]) -> Runner:
    """The runner of the lock for this host, laid out if it is not there yet or damaged."""
    lock, target = read(machine / "packages.lock"), place(machine, cache)
    if said := damage_of(target):
        tell(f"{target}: {said}: laying it out again" if target.exists() else "laying out the carried QEMU")
        locked, store = lock.of(section()), opened_store(cache, tell)
        store.obtain(locked, lock.date)
        with exclusive(target.with_name("lock")), put_folder(target, replace=bool(damage_of(target))) as folder:
            if folder is not None:
                lay_out([store.file(each) for each in locked], contents.load(machine / "runner.toml"), folder)
        prune(target.parent, KEPT)
    return Runner(target, lock.digest(RUNNER))


def place(machine: Path, cache: Path) -> Path:
    """The folder of the lock's runner for this host, named by the digests of all that it is made from."""
    locked = read(machine / "packages.lock").of(section())
    code = [Path(each.__file__ or "") for each in (contents, deb, elf)]
    digests = [*map(sha256, (machine / "runner.toml", Path(__file__), *code)), *(each.sha256 for each in locked)]
    return cache / "runner" / hashlib.sha256("".join(digests).encode()).hexdigest()


def digests(machine: Path, cache: Path, tell: Callable[[str], None]) -> dict[str, str]:
    """A digest of the runner for each kind of computer, as it would be laid out there."""
    lock, store, found = read(machine / "packages.lock"), opened_store(cache, tell), dict[str, str]()
    for name, locked in lock.kind(RUNNER).items():
        store.obtain(locked, lock.date)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            lay_out([store.file(each) for each in locked], contents.load(machine / "runner.toml"), Path(folder))
            found[name] = folder_digest(Path(folder))
    return found


def lay_out(packages: Sequence[Path], wanted: contents.Wanted, folder: Path) -> None:
    """Take out of packages what is wanted and what that needs; all of it into one folder, flat."""
    with deb.unpacked(packages, folder.parent) as root:
        (program,) = wanted.programs
        loader = elf.loader(root, program)
        for path in contents.paths(root, wanted):
            shutil.copy(elf.inside(root, path), folder / (LOADER if path == loader else Path(path).name))
