"""The image: a kernel and its first file system, built from packages or imported."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SiteError
from lab.files.store import damage_of, exclusive, put_folder, sha256
from lab.machine import contents, cpio, elf
from lab.supply import deb
from lab.supply.lock import GUEST, Locked, read
from lab.supply.packages import Packages
from lab.supply.providers import opened_store

FORMAT = "lab-image 1"
# Files of an image and the most bytes that each may have when it comes from outside.
PARTS = {"vmlinuz": 64 << 20, "initrd": 512 << 20}
MANIFEST, MANIFEST_LIMIT = "manifest.json", 1 << 20
PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+ [A-Za-z0-9.+:~-]+ [0-9a-f]{64}", re.ASCII)
IMPORTED = "imported"


class ImageError(SiteError):
    """An image that cannot be built or must not be trusted."""


@dataclass(frozen=True)
class Image:
    """A whole image in a folder."""

    folder: Path
    digest: str

    @property
    def packages(self) -> frozenset[str]:
        """The packages that it was made of: name, version and sha256 of each."""
        return frozenset(json.loads((self.folder / MANIFEST).read_bytes())["packages"])

    @property
    def vmlinuz(self) -> Path:
        """The kernel."""
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        """The first file system; never compressed, since compressors differ between computers."""
        return self.folder / "initrd"


def opened(folder: Path) -> Image:
    """The image in a folder whose digests were checked."""
    manifest = (folder / MANIFEST).read_bytes()
    return Image(folder, hashlib.sha256(manifest).hexdigest())


def manifest_of(folder: Path, packages: Iterable[Locked]) -> bytes:
    """The manifest of an image: the digests of its files, and where they came from."""
    digests = {part: sha256(folder / part) for part in PARTS}
    described = {"format": FORMAT, "sha256": digests, "packages": [_named(locked) for locked in packages]}
    return json.dumps(described, indent=1, sort_keys=True).encode() + b"\n"


def _named(locked: Locked) -> str:
    return f"{locked.named} {locked.sha256}"


def inputs_digest(machine: Path, locked: Iterable[Locked]) -> str:
    """A digest of all that an image is built from, so that none is built twice."""
    code = [Path(each.__file__ or "") for each in (contents, cpio, deb, elf)]
    own = (machine / name for name in ("image.toml", contents.INIT, *contents.SCRIPTS))
    sources = (*own, Path(__file__), *code)
    digests = [*map(sha256, sources), *(each.sha256 for each in locked)]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def assemble(machine: Path, locked: Sequence[Locked], store: Packages, folder: Path) -> None:
    """Unpack the packages, and write kernel, first file system and manifest into a folder."""
    with deb.unpacked(map(store.file, locked), folder.parent) as root:
        files = contents.entries(root, contents.load(machine / "image.toml"), machine)
        (folder / "vmlinuz").write_bytes(contents.kernel(root).read_bytes())
        (folder / "initrd").write_bytes(cpio.archive(files))
    (folder / MANIFEST).write_bytes(manifest_of(folder, locked))


def build_image(machine: Path, cache: Path, tell: Callable[[str], None]) -> Image:
    """The image to use: the imported one, else that of the lock, built if it is missing or damaged."""
    images, lock = cache / "image", read(machine / "packages.lock")
    locked = lock.of(GUEST)
    imported, built = images / IMPORTED, images / inputs_digest(machine, locked)
    if imported.exists():
        require_whole(imported)
    elif said := damage_of(built):
        tell(f"{built}: {said}: building it again" if built.exists() else "building the machine's image")
        with exclusive(images / "lock"), put_folder(built, replace=bool(damage_of(built))) as folder:
            if folder is not None:
                store = opened_store(cache, tell)
                store.obtain(locked, lock.date)
                assemble(machine, locked, store, folder)
    image = opened(imported if imported.exists() else built)
    if said := difference(frozenset(map(_named, locked)), image.packages):
        tell(f"the image is not the lock's, so its identity differs: it has {said}")
    return image


def difference(wanted: frozenset[str], found: frozenset[str]) -> str:
    """The packages of a lock that an image lacks, and those it has instead; empty if they are equal."""
    names = [", ".join(line.rpartition(" ")[0] for line in sorted(some)) for some in (found - wanted, wanted - found)]
    return f"{names[0] or 'nothing'} in place of {names[1] or 'nothing'}" if wanted != found else ""


def require_whole(folder: Path) -> None:
    """Refuse a damaged imported image: one that a course published cannot be built here."""
    if said := damage_of(folder):
        raise ImageError(f"the imported image is damaged: {said}", str(folder), "lab image import FILE, once more")


def declared(manifest: Path) -> dict[str, str]:
    """The digests that a manifest declares; an error for a stranger's that cannot be believed."""
    where, hint = str(manifest), "lab image export FILE"
    try:
        described = json.loads(manifest.read_bytes())
        if not all(PACKAGE.fullmatch(line) for line in described["packages"]):
            raise ImageError("its manifest names what is no package", where, hint)
        if described["format"] != FORMAT:
            raise ImageError(f"expected the format {FORMAT!r}, not {described['format']!r}", where, hint)
        return {part: str(described["sha256"][part]) for part in PARTS}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ImageError("its manifest cannot be read", where, hint) from error
