"""The lock: which version of which Debian package the image is made of."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError
from lab.files.digests import sha256
from lab.machine import contents, debian, elf

HEADER = """\
# Debian packages that make the machine's image: name, version, sha256. Written by `make lock`.
"""
KERNEL = re.compile(r"linux-image-\d")  # the name holds the kernel's ABI, so a newer kernel has another name
KERNEL_METAPACKAGE = "linux-image-amd64"
LINE = re.compile(r"([a-z0-9][a-z0-9+.-]+) ([A-Za-z0-9.+:~-]+) ([0-9a-f]{64})")


class LockError(SiteError):
    """A lock file that cannot be read."""


@dataclass(frozen=True, order=True)
class Locked:
    """One package of the image."""

    package: str
    version: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.package} {self.version} {self.sha256}"


def parse(text: str, where: str) -> tuple[Locked, ...]:
    """Read a lock; an error names a line that cannot be read."""
    locked = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise LockError(f"expected `package version sha256`, not {line!r}", f"{where}:{number}", "make lock")
        locked.append(Locked(*match.groups()))
    return tuple(sorted(locked))


def read(path: Path) -> tuple[Locked, ...]:
    """The lock of a file."""
    return parse(path.read_text(encoding="utf-8"), str(path))


def write(path: Path, packages: Iterable[Locked]) -> None:
    """Write a lock, sorted, so that a renewal shows as a small diff."""
    path.write_text(HEADER + "".join(f"{locked}\n" for locked in sorted(packages)), encoding="utf-8")


def archive_of(locked: Locked, store: Path) -> Path:
    """Where the store keeps a package."""
    return store / f"{locked.sha256}.deb"


def is_there(locked: Locked, store: Path) -> bool:
    """Whether the store has a package, unchanged since it was fetched."""
    archive = archive_of(locked, store)
    return archive.is_file() and sha256(archive) == locked.sha256


def concrete(packages: Iterable[str]) -> dict[str, str]:
    """Names and versions to download: for the kernel's metapackage, the kernel that it stands for."""
    versions = debian.preferred(packages)
    if KERNEL_METAPACKAGE in versions:
        names = debian.dependencies({KERNEL_METAPACKAGE: versions.pop(KERNEL_METAPACKAGE)})
        versions |= debian.preferred(name for name in names if KERNEL.match(name))
    return versions


def fetch(versions: dict[str, str], store: Path) -> list[Locked]:
    """Download some versions into the store, whatever their digests, and return what came."""
    store.mkdir(parents=True, exist_ok=True)
    fetched = []
    with tempfile.TemporaryDirectory(dir=store) as folder:
        for archive in debian.download(versions, Path(folder)):
            locked = Locked(*debian.name_and_version(archive), sha256(archive))
            archive.rename(archive_of(locked, store))
            fetched.append(locked)
    return sorted(fetched)


def obtain(packages: Iterable[Locked], store: Path) -> list[Locked]:
    """Bring the locked packages into the store, or the mirrors' versions in their place."""
    wanted = sorted(packages)
    missing = {locked.package: locked for locked in wanted if not is_there(locked, store)}
    got = fetch(versions_now(missing), store) if missing else []
    return sorted([locked for locked in wanted if locked.package not in missing] + got)


def versions_now(missing: dict[str, Locked]) -> dict[str, str]:
    """For each package the locked version if a mirror has it, else the version that a new lock would take."""
    offered, versions = debian.offered(missing), {}
    for package, locked in missing.items():
        if any(candidate.version == locked.version for candidate in offered.get(package, ())):
            versions[package] = locked.version
            continue
        now = concrete([KERNEL_METAPACKAGE if KERNEL.match(package) else package])
        if not now:
            raise debian.PackageError(f"no mirror of this computer has {package}", hint="sudo apt-get update")
        versions |= now
    return versions


def difference(locked: Iterable[Locked], there: Iterable[Locked]) -> str:
    """The differences of two locks in words; empty if they are equal."""
    wanted, found = set(locked), set(there)
    names = [
        ", ".join(f"{one.package} {one.version}" for one in sorted(some)) for some in (found - wanted, wanted - found)
    ]
    return f"{names[0] or 'nothing'} in place of {names[1] or 'nothing'}" if wanted != found else ""


def closure(packages: Iterable[str], store: Path) -> list[Locked]:
    """The packages and all that they depend on, in the versions that a new lock takes."""
    fresh = concrete(packages)
    found: dict[str, str] = {}
    while fresh:
        found |= fresh
        fresh = debian.preferred(debian.dependencies(fresh) - found.keys())
    return fetch(found, store)


def used(package: Locked, store: Path, taken: set[str]) -> bool:
    """Whether a package holds one of the files that the image takes."""
    with tempfile.TemporaryDirectory(dir=store) as name:
        debian.unpack(archive_of(package, store), Path(name))
        return any((Path(name) / path).is_file() for path in taken)


def taken_files(root: Path, wanted: contents.Wanted) -> set[str]:
    """The files of the unpacked packages that the image takes, links followed."""
    paths = [*contents.paths(root, wanted), *elf.modules(root, wanted.modules)]
    return {str(elf.inside(root, path).relative_to(root)) for path in paths}


def renew(machine: Path, cache: Path) -> tuple[Locked, ...]:
    """Write packages.lock anew: the packages that the image really uses, in the versions that the mirrors have now."""
    store, wanted = cache / "packages", contents.load(machine / "image.toml")
    packages = closure(wanted.packages, store)
    with tempfile.TemporaryDirectory(dir=store) as name:
        for package in packages:
            debian.unpack(archive_of(package, store), Path(name))
        taken = taken_files(Path(name), wanted)
    locked = tuple(package for package in packages if used(package, store, taken))
    write(machine / "packages.lock", locked)
    return locked
