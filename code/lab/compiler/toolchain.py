"""The toolchain of the lock: compiler, make, headers and libraries, laid out of packages as one tree."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.files.store import damage_of, exclusive, prune, put_folder, sha256
from lab.machine import contents, elf
from lab.supply import deb
from lab.supply.lock import COMPILER, read
from lab.supply.providers import opened_store

KEPT = 4  # of two kinds: with a cross compiler and without
TOP = "usr"  # all of it lies there, as on an installed Debian, where /bin and /lib are links into it
# The names that Debian's alternatives give when the packages are installed.
ALTERNATIVES = {"usr/bin/awk": "usr/bin/mawk", "usr/bin/cc": "usr/bin/gcc", "usr/bin/mpicc": "usr/bin/mpicc.openmpi"}
LINKS = ("bin", "lib", "lib64", "sbin")


@dataclass(frozen=True)
class Toolchain:
    """A folder that holds the tree: nothing of it is installed, and nothing of it runs outside of walls."""

    folder: Path

    @property
    def tree(self) -> Path:
        """To be seen as /usr."""
        return self.folder / TOP

    @property
    def digest(self) -> str:
        """A digest of all that it is made from."""
        return self.folder.name


def laid(machine: Path, cache: Path, tell: Callable[[str], None], more: str = "") -> Toolchain:
    """The toolchain of the lock, one more section of it included, laid out if it is not there yet or damaged."""
    lock, target, sections = read(machine / "packages.lock"), place(machine, cache, more), of(more)
    if said := damage_of(target):
        tell(f"{target}: {said}: laying it out again" if target.exists() else "laying out the locked compiler")
        locked, store = [each for section in sections for each in lock.of(section)], opened_store(cache, tell)
        store.obtain(locked, lock.date)
        with exclusive(target.with_name("lock")), put_folder(target, replace=bool(damage_of(target))) as folder:
            if folder is not None:
                wanted = [contents.load(table(machine, section)) for section in sections]
                lay_out([store.file(each) for each in dict.fromkeys(locked)], wanted, folder)
        prune(target.parent, KEPT)
    return Toolchain(target)


def of(more: str) -> list[str]:
    """The sections of a toolchain."""
    return [COMPILER, more] if more else [COMPILER]


def table(machine: Path, section: str) -> Path:
    """The table that says what is taken of a section's packages."""
    return machine / f"{section.partition(' ')[0]}.toml"


def place(machine: Path, cache: Path, more: str = "") -> Path:
    """The folder of the lock's toolchain, named by the digests of all that it is made from."""
    lock, code = read(machine / "packages.lock"), [Path(each.__file__ or "") for each in (contents, deb, elf)]
    digests = [sha256(each) for each in (*(table(machine, each) for each in of(more)), Path(__file__), *code)]
    digests += [each.sha256 for section in of(more) for each in lock.of(section)]
    return cache / "compiler" / hashlib.sha256("".join(digests).encode()).hexdigest()


def lay_out(packages: Sequence[Path], wanted: Sequence[contents.Wanted], folder: Path) -> None:
    """Take out of packages what is wanted and what that needs; links become the files that they lead to."""
    with deb.unpacked(packages, folder.parent) as root:
        taken = {path for each in wanted for path in contents.paths(root, each)}
        for path, source in {path: path for path in taken}.items() | ALTERNATIVES.items():
            target = folder / merged(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(elf.inside(root, source), target)


def merged(path: str) -> str:
    """The place of a package's file where /bin, /lib and so on are links into /usr."""
    return path if PurePosixPath(path).parts[0] == TOP else f"{TOP}/{path}"
