"""Files from packages: those that a table names, and the libraries and kernel modules that they need.

A file's needs are read from the file itself, not by the host's ldd: that would find the host's libraries, and run the
program's loader to do so. The packages may be of another architecture than the host.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lab.errors import SiteError
from lab.files import store
from lab.files.store import sha256
from lab.files.toml import read_toml
from lab.machine import cpio
from lab.machine.cpio import Entry
from lab.supply import deb
from lab.supply.lock import Locked
from lab.supply.providers import opened_store
from lab.typed_json import Limits

KERNEL_GLOB = "boot/vmlinuz-*"
MODULE_LIST = "lib/modules/list"
# The guest's init, and the scripts with which it makes its link.
INIT, SCRIPTS = "init", ("one_end", "both_ends", "line_model")
LIBRARY_FOLDERS = ("lib/*-linux-gnu", "usr/lib/*-linux-gnu")  # as Debian's multiarch names them
MOST_LINKS = 8  # on the way to a file
HINT = "code/machine/image.toml or runner.toml"


Names = tuple[Annotated[str, Limits(pattern=r"(?!/)\S+", expected="a name or path without / before it")], ...]


@dataclass(frozen=True)
class Wanted:
    """A table of files: image.toml, runner.toml and others."""

    packages: Names
    programs: Names
    plugins: Names
    files: Names
    libraries: Names
    modules: Names


def load(path: Path) -> Wanted:
    return read_toml(path, Wanted).content


def fill_once(
    target: Path, packages: Sequence[Locked], date: str, cache: Path, tell: Callable[[str], None],
    doing: str, fill: Callable[[list[Path], Path], None], kept: int = 0,
) -> None:  # fmt: skip
    """Fill a folder of the cache from packages if it is missing or damaged; then prune its neighbours."""

    def prepare(fault: str) -> Callable[[Path], None]:
        tell(f"{target}: {fault}: {doing} again" if target.exists() else f"{doing} (once)")
        return unpack

    def unpack(folder: Path) -> None:
        with opened_store(cache, lambda line: tell(f"{doing}: {line}")).lent(packages, date) as files:
            fill(files, folder)

    store.fill_once(target, kept, prepare)


def inputs_digest(sources: Iterable[Path], packages: Iterable[Locked]) -> str:
    """A digest of all that decides such a folder: tables and code, this code included, and packages."""
    code = [Path(module.__file__ or "") for module in (cpio, deb)]
    digests = [*map(sha256, [*sources, Path(__file__), *code]), *(locked.sha256 for locked in packages)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def expand(root: Path, patterns: Iterable[str]) -> list[str]:
    """The paths that globs match; a glob without a match is an error."""
    found = []
    for pattern in patterns:
        matches = sorted(str(path.relative_to(root)) for path in root.glob(pattern))
        if not matches:
            raise SiteError(f"no locked package has /{pattern}", hint=HINT)
        found += matches
    return found


def kernel(root: Path) -> Path:
    """The one kernel among the unpacked packages."""
    (path,) = expand(root, [KERNEL_GLOB])
    return root / path


def paths(root: Path, wanted: Wanted) -> list[str]:
    """The paths of a table's files and of all that they need, except a kernel and its modules."""
    programs = expand(root, wanted.programs)
    linked = programs + expand(root, wanted.plugins) + [library(root, soname) for soname in wanted.libraries]
    loaders = {loader(root, path) for path in programs if needed([inside(root, path)])}
    return sorted({*linked, *loaders, *expand(root, wanted.files), *libraries(root, linked)})


def entries(root: Path, wanted: Wanted, machine: Path) -> dict[str, Entry]:
    """The guest's first file system, with links resolved and modules listed in the order to load them."""
    module_paths = modules(root, wanted.modules)
    sources = {path: inside(root, path) for path in [*paths(root, wanted), *module_paths]}
    files = {path: entry(file) for path, file in sources.items()}
    files |= {name: Entry((machine / name).read_bytes(), executable=name == INIT) for name in (INIT, *SCRIPTS)}
    files[MODULE_LIST] = Entry("".join(f"/{path}\n" for path in module_paths).encode())
    return files


def entry(file: Path) -> Entry:
    return Entry(file.read_bytes(), executable=bool(file.stat().st_mode & 0o100))


def inside(root: Path, path: str) -> Path:
    """The file that a path names under root, as if root were /: packages contain absolute links too."""
    file = root / path
    for _ in range(MOST_LINKS):
        if not file.is_symlink():
            break
        target = file.readlink()
        file = root / target.relative_to("/") if target.is_absolute() else file.parent / target
    if not file.is_file():
        raise SiteError(f"no locked package has /{path}", hint=HINT)
    return file


def library(root: Path, soname: str) -> str:
    """The path at which the tree's loader finds a library."""
    for folders in LIBRARY_FOLDERS:
        for folder in sorted(root.glob(folders)):
            if (folder / soname).exists() or (folder / soname).is_symlink():
                return str((folder / soname).relative_to(root))
    raise SiteError(f"no locked package has the library {soname}", hint=HINT)


def needed(files: Iterable[Path]) -> set[str]:
    """The sonames in the dynamic sections of some files."""
    from elftools.elf.dynamic import DynamicSegment
    from elftools.elf.elffile import ELFFile

    sonames: set[str] = set()
    for path in files:
        with path.open("rb") as file:
            for segment in ELFFile(file).iter_segments("PT_DYNAMIC"):
                assert isinstance(segment, DynamicSegment)
                sonames |= {tag.needed for tag in segment.iter_tags("DT_NEEDED")}  # type: ignore[attr-defined]
    return sonames


def loader(root: Path, path: str) -> str:
    """The path of a program's loader, without / before it."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.segments import InterpSegment

    with inside(root, path).open("rb") as file:
        for segment in ELFFile(file).iter_segments("PT_INTERP"):
            assert isinstance(segment, InterpSegment)
            return segment.get_interp_name().lstrip("/")
    raise SiteError(f"/{path} has no loader", hint=HINT)


def libraries(root: Path, files: Iterable[str]) -> set[str]:
    """The paths of all libraries that some files need, directly or indirectly."""
    found, fresh = set[str](), set(files)
    while fresh:
        sonames = needed(inside(root, path) for path in sorted(fresh))
        fresh = {library(root, name) for name in sonames if not name.startswith("ld-linux")} - found
        found |= fresh
    return found


def modules(root: Path, names: Iterable[str]) -> list[str]:
    """The paths of kernel modules in an order in which each finds its symbols."""
    files = {path.stem.replace("-", "_"): path for path in sorted(root.glob("lib/modules/*/kernel/**/*.ko"))}
    order: dict[str, None] = {}

    def visit(name: str) -> Iterator[str]:
        path = files.get(name.replace("-", "_"))
        if path is None:
            raise SiteError(f"the kernel package has no module {name}", hint=HINT)
        depends = re.search(rb"\0depends=([^\0]*)\0", path.read_bytes())
        for dependency in depends[1].decode().split(",") if depends and depends[1] else ():
            yield from visit(dependency)
        yield str(path.relative_to(root))

    for name in names:
        order |= dict.fromkeys(visit(name))
    return list(order)
