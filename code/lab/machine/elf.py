"""The libraries and modules that a program or a kernel module needs, read from the file itself.

Not the host's ldd: that would answer with the host's libraries, and run the program's loader to do so.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.errors import SiteError

LIBRARY_FOLDERS = ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu")
LOADER = "lib64/ld-linux-x86-64.so.2"


class MissingError(SiteError):
    """A file that the image needs is in none of its packages."""


def inside(root: Path, path: str) -> Path:
    """The file that a path names under root, as if root were /: packages hold absolute links too."""
    found = root / path
    for _ in range(8):
        if not found.is_symlink():
            break
        target = found.readlink()
        found = root / target.relative_to("/") if target.is_absolute() else found.parent / target
    if not found.is_file():
        raise MissingError(f"no package of the image has /{path}", hint="code/machine/image.toml")
    return found


def library(root: Path, soname: str) -> str:
    """The path at which the guest's loader finds a library."""
    for folder in LIBRARY_FOLDERS:
        if (root / folder / soname).exists() or (root / folder / soname).is_symlink():
            return f"{folder}/{soname}"
    raise MissingError(f"no package of the image has the library {soname}", hint="code/machine/image.toml")


def needed(files: Iterable[Path]) -> set[str]:
    """The sonames in the dynamic sections of some files."""
    listing = subprocess.run(["readelf", "--dynamic", "--wide", *files], capture_output=True, text=True, check=True)
    return set(re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", listing.stdout))


def libraries(root: Path, paths: Iterable[str]) -> set[str]:
    """All libraries that some files need, directly or not, and the loader."""
    found, fresh = {LOADER}, set(paths)
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
            raise MissingError(f"the kernel package has no module {name}", hint="code/machine/image.toml")
        depends = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for other in depends[1].decode().split(",") if depends and depends[1] else ():
            yield from visit(other)
        yield str(path.relative_to(root))

    for name in wanted:
        order |= dict.fromkeys(visit(name))
    return list(order)
