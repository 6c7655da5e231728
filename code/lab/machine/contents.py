"""The files that are taken from packages: those that a table asks for, and all that they need."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lab.files.toml import read_toml
from lab.machine import elf
from lab.machine.cpio import Entry
from lab.typed_json import Limits

KERNEL_GLOB = "boot/vmlinuz-*"
MODULE_LIST = "lib/modules/list"
# The guest's own: init, and what it reads of the link that its machine has.
INIT, SCRIPTS = "init", ("one_end", "both_ends", "line_model")


Names = tuple[Annotated[str, Limits(pattern=r"(?!/)\S+", expected="a name or path without / before it")], ...]


@dataclass(frozen=True)
class Wanted:
    """The tables of image.toml and of runner.toml."""

    packages: Names
    programs: Names
    plugins: Names
    files: Names
    libraries: Names
    modules: Names


def load(path: Path) -> Wanted:
    """Read one of them."""
    return read_toml(path, Wanted).content


def expand(root: Path, patterns: Iterable[str]) -> list[str]:
    """The paths that globs match; one that matches nothing is an error."""
    found = []
    for pattern in patterns:
        paths = sorted(str(path.relative_to(root)) for path in root.glob(pattern))
        if not paths:
            raise elf.MissingError(f"no locked package has /{pattern}", hint=elf.HINT)
        found += paths
    return found


def kernel(root: Path) -> Path:
    """The one kernel among the unpacked packages."""
    (path,) = expand(root, [KERNEL_GLOB])
    return root / path


def paths(root: Path, wanted: Wanted) -> list[str]:
    """All files that are taken, the loader of programs with them, but for a kernel and its modules."""
    programs = expand(root, wanted.programs)
    linked = programs + expand(root, wanted.plugins) + [elf.library(root, soname) for soname in wanted.libraries]
    started = {elf.loader(root, path) for path in programs if elf.needed([elf.inside(root, path)])}
    return sorted({*linked, *started, *expand(root, wanted.files), *elf.libraries(root, linked)})


def entries(root: Path, wanted: Wanted, machine: Path) -> dict[str, Entry]:
    """The guest's first file system, links resolved, modules listed in the order to load them."""
    modules = elf.modules(root, wanted.modules)
    taken = {path: elf.inside(root, path) for path in [*paths(root, wanted), *modules]}
    files = {
        path: Entry(file.read_bytes(), executable=bool(file.stat().st_mode & 0o100)) for path, file in taken.items()
    }
    files |= {name: Entry((machine / name).read_bytes(), executable=name == INIT) for name in (INIT, *SCRIPTS)}
    files[MODULE_LIST] = Entry("".join(f"/{path}\n" for path in modules).encode())
    return files
