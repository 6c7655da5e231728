"""The libraries and modules that a program or a kernel module needs, read from the file itself.

Not the host's ldd: that would answer with the host's libraries, and run the program's loader to do so. The tree may be
of another architecture than the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from elftools.elf.dynamic import DynamicSegment
from elftools.elf.elffile import ELFFile
from elftools.elf.segments import InterpSegment

from lab.errors import SiteError

LIBRARY_FOLDERS = ("lib/*-linux-gnu", "usr/lib/*-linux-gnu")  # as Debian's multiarch names them
HINT = "code/machine/image.toml or runner.toml"


class MissingError(SiteError):
    """A file that is needed is in none of the locked packages."""


def inside(root: Path, path: str) -> Path:
    """The file that a path names under root, as if root were /: packages hold absolute links too."""
    found = root / path
    for _ in range(8):
        if not found.is_symlink():
            break
        target = found.readlink()
        found = root / target.relative_to("/") if target.is_absolute() else found.parent / target
    if not found.is_file():
        raise MissingError(f"no locked package has /{path}", hint=HINT)
    return found


def library(root: Path, soname: str) -> str:
    """The path at which the tree's loader finds a library."""
    for folders in LIBRARY_FOLDERS:
        for folder in sorted(root.glob(folders)):
            if (folder / soname).exists() or (folder / soname).is_symlink():
                return str((folder / soname).relative_to(root))
    raise MissingError(f"no locked package has the library {soname}", hint=HINT)


def needed(files: Iterable[Path]) -> set[str]:
    """The sonames in the dynamic sections of some files."""
    found: set[str] = set()
    for path in files:
        with path.open("rb") as file:
            for segment in ELFFile(file).iter_segments("PT_DYNAMIC"):
                assert isinstance(segment, DynamicSegment)
                found |= {tag.needed for tag in segment.iter_tags("DT_NEEDED")}  # type: ignore[attr-defined]
    return found


def loader(root: Path, path: str) -> str:
    """The loader that a program asks for, without / before it."""
    with inside(root, path).open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_INTERP"):
            assert isinstance(segment, InterpSegment)
            return segment.get_interp_name().lstrip("/")
    raise MissingError(f"/{path} is no program that a loader starts", hint=HINT)


def libraries(root: Path, paths: Iterable[str]) -> set[str]:
    """All libraries that some files need, directly or indirectly."""
    found, fresh = set[str](), set(paths)
    while fresh:
        sonames = needed(inside(root, path) for path in sorted(fresh))
        fresh = {library(root, name) for name in sonames if not name.startswith("ld-linux")} - found
        found |= fresh
    return found


def modules(root: Path, wanted: Iterable[str]) -> list[str]:
    """Paths of kernel modules in an order in which each finds its symbols."""
    known = {path.stem.replace("-", "_"): path for path in sorted(root.glob("lib/modules/*/kernel/**/*.ko"))}
    order: dict[str, None] = {}

    def visit(name: str) -> Iterator[str]:
        path = known.get(name.replace("-", "_"))
        if path is None:
            raise MissingError(f"the kernel package has no module {name}", hint=HINT)
        depends = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for other in depends[1].decode().split(",") if depends and depends[1] else ():
            yield from visit(other)
        yield str(path.relative_to(root))

    for name in wanted:
        order |= dict.fromkeys(visit(name))
    return list(order)
