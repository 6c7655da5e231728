"""The toolchain of the lock as one tree: compiler, make, libraries and headers; and bubblewrap, which confines it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.machine import contents, runner
from lab.supply import deb
from lab.supply.lock import COMPILER, KERNEL, SANDBOX, Locked, read

KEPT = 2  # of 200 MB each, of two kinds: with a cross compiler and without
TOP = "usr"  # contains all of it, as on an installed Debian, where /bin and /lib are links into it
# The names that Debian's alternatives give when the packages are installed.
ALTERNATIVES = {"usr/bin/awk": "usr/bin/mawk", "usr/bin/cc": "usr/bin/gcc", "usr/bin/mpicc": "usr/bin/mpicc.openmpi"}
LINKS = ("bin", "lib", "lib64", "sbin")


@dataclass(frozen=True)
class Toolchain:
    """A folder with the tree: nothing of it is installed, and nothing of it runs outside a sandbox or a VM."""

    folder: Path
    bwrap: tuple[str, ...]  # how bubblewrap starts in the folder that follows
    bwrap_folder: Path

    @property
    def tree(self) -> Path:
        """To be seen as /usr."""
        return self.folder / TOP


def unpacked(machine: Path, cache: Path, tell: Callable[[str], None], section: str = "") -> Toolchain:
    """The toolchain of the lock, with one more of its sections, unpacked if it is missing or damaged."""
    target, packages = place(machine, cache, section), _packages(machine, section)

    def fill(files: list[Path], folder: Path) -> None:
        unpack(files, [contents.load(table) for table in _tables(machine, section)], folder)

    date = read(machine / "packages.lock").date
    contents.fill_once(target, packages, date, cache, tell, "unpacking the locked compiler", fill, KEPT)
    return Toolchain(target, *bubblewrap(machine, cache, tell))


def bubblewrap(machine: Path, cache: Path, tell: Callable[[str], None]) -> tuple[tuple[str, ...], Path]:
    """The command and the folder in which it starts: the host's bubblewrap, else the lock's. Ubuntu gives namespaces to
    installed programs only."""
    if shutil.which("bwrap"):
        return ("bwrap",), Path("/")
    folder = runner.unpacked(SANDBOX, machine, cache, tell, "unpacking the bundled bubblewrap")
    return (f"./{runner.LOADER}", "--inhibit-cache", "--library-path", ".", "./bwrap"), folder


def place(machine: Path, cache: Path, section: str = "") -> Path:
    """The folder of the lock's toolchain, named by a digest of all that it is made from."""
    tables = [*_tables(machine, section), Path(__file__)]
    return cache / "compiler" / contents.inputs_digest(tables, _packages(machine, section))


def _tables(machine: Path, section: str) -> list[Path]:
    """The tables of the wanted files."""
    return [machine / f"{name.partition(' ')[0]}.toml" for name in _sections(section)]


def _packages(machine: Path, section: str) -> list[Locked]:
    lock = read(machine / "packages.lock")
    return list(dict.fromkeys(locked for name in _sections(section) for locked in lock.of(name)))


def _sections(section: str) -> list[str]:
    return [COMPILER, KERNEL, *([section] if section else [])]


def unpack(packages: Sequence[Path], wanted: Sequence[contents.Wanted], folder: Path) -> None:
    """Link the wanted files of packages and all that they need; links become the files that they lead to."""
    with deb.unpacked(packages, folder.parent) as root:
        paths = {path: path for table in wanted for path in contents.paths(root, table)}
        for path, source in paths.items() | ALTERNATIVES.items():
            target = folder / merged(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.hardlink_to(contents.inside(root, source))
    for inner in folder.rglob("*/"):
        inner.chmod(0o755)  # the sandbox of root reads it as nobody, whatever root's umask is


def merged(path: str) -> str:
    """The path of a package's file where /bin, /lib and so on are links into /usr."""
    return path if PurePosixPath(path).parts[0] == TOP else f"{TOP}/{path}"
