"""A new lock: the packages that guest, runners and compilers really use, in the versions that the mirrors have now."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from lab.files.storage import write_text
from lab.files.store import sha256
from lab.machine import contents, elf
from lab.supply import deb, indices
from lab.supply.indices import Indices
from lab.supply.lock import COMPILER, GUEST, KERNEL, Lock, Locked, cross, python, runner, text_of
from lab.supply.packages import Packages, SupplyError

# The kernel's name, and that of its headers, hold its ABI, so that a newer one has another name.
METAPACKAGES = {
    "linux-image-amd64": re.compile(r"linux-image-\d"),
    "linux-headers-amd64": re.compile(r"linux-headers-\d"),
}
GUEST_ARCHITECTURE = "amd64"
HOST_ARCHITECTURES = ("amd64", "arm64")
# What each section is made of: its name, the table that says so, the architecture.
SECTIONS = (
    (GUEST, "image.toml", GUEST_ARCHITECTURE),
    *((runner(architecture), "runner.toml", architecture) for architecture in HOST_ARCHITECTURES),
    *((python(architecture), "python.toml", architecture) for architecture in HOST_ARCHITECTURES),
    (COMPILER, "compiler.toml", GUEST_ARCHITECTURE),
    *((cross(other), "cross.toml", GUEST_ARCHITECTURE) for other in HOST_ARCHITECTURES if other != GUEST_ARCHITECTURE),
    (KERNEL, "kernel.toml", GUEST_ARCHITECTURE),
)


def renew(machine: Path, cache: Path, tell: Callable[[str], None]) -> Lock:
    """Write packages.lock anew."""
    date = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    store, asked = Packages(cache / "packages", list), dict[str, Indices]()
    sections = {}
    for section, table, architecture in SECTIONS:
        if architecture not in asked:
            tell(f"asking the mirrors for packages of {architecture}")
            asked[architecture] = indices.private(cache / "apt" / architecture, architecture)
        tell(f"choosing the packages of {section}")
        wanted = contents.load(machine / table)
        sections[section] = used(closure(asked[architecture], wanted.packages), wanted, store, asked[architecture])
    lock = Lock(date, sections)
    write_text(machine / "packages.lock", text_of(lock))
    return lock


def concrete(offers: Indices, packages: Iterable[str]) -> dict[str, str]:
    """Names and versions to take: for the kernel's metapackages, the kernel or the headers that they stand for."""
    versions = offers.preferred(packages)
    for name in versions.keys() & METAPACKAGES.keys():
        (meta,) = offers.stanzas({name: versions.pop(name)})
        versions |= offers.preferred(each for each in indices.dependencies(meta) if METAPACKAGES[name].match(each))
    return versions


def closure(offers: Indices, packages: Iterable[str]) -> list[Locked]:
    """The packages and all that they depend on, in the versions that a new lock takes."""
    found: dict[str, Locked] = {}
    fresh = concrete(offers, packages)
    while fresh:
        stanzas = offers.stanzas(fresh)
        found |= {stanza["Package"]: indices.locked(stanza) for stanza in stanzas}
        names = set[str]().union(*(indices.dependencies(stanza) for stanza in stanzas))
        fresh = offers.preferred(names - found.keys())
    return sorted(found.values())


def used(packages: Sequence[Locked], wanted: contents.Wanted, store: Packages, offers: Indices) -> tuple[Locked, ...]:
    """Those that hold one of the files that are taken."""
    download(packages, store, offers)
    with tempfile.TemporaryDirectory(dir=store.folder) as name:
        root = Path(name)
        held = {package: set(deb.unpack(store.file(package), root)) for package in packages}
        taken = taken_files(root, wanted)
    return tuple(package for package in packages if held[package] & taken)


def download(packages: Iterable[Locked], store: Packages, offers: Indices) -> None:
    """Bring packages into the store by apt, which knows this computer's mirrors best."""
    store.folder.mkdir(parents=True, exist_ok=True)
    missing = [package for package in packages if not store.has(package)]
    with tempfile.TemporaryDirectory(dir=store.folder) as folder:
        if missing:
            offers.download(missing, Path(folder))
        came = {sha256(file): file for file in Path(folder).glob("*.deb")}
        for package in missing:
            if package.sha256 not in came:
                raise SupplyError(f"apt brought other bytes of {package.named} than its index says")
            came[package.sha256].rename(store.file(package))


def taken_files(root: Path, wanted: contents.Wanted) -> set[str]:
    """The files of the unpacked packages that are taken, and the links to them: another package may hold those."""
    paths = [*contents.paths(root, wanted), *elf.modules(root, wanted.modules)]
    return {*paths, *(str(elf.inside(root, path).relative_to(root)) for path in paths)}
