"""The image: a kernel and its first file system, built from packages or imported."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.errors import SiteError
from lab.files.store import damage_of, sha256
from lab.machine import contents, cpio
from lab.supply import deb
from lab.supply.lock import GUEST, Locked, read

FORMAT = "lab-image 1"
# Files of an image, and the most bytes that each may have when it is imported.
PARTS = {"vmlinuz": 64 << 20, "initrd": 512 << 20}
MANIFEST, MANIFEST_LIMIT = "manifest.json", 1 << 20
PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+ [A-Za-z0-9.+:~-]+ [0-9a-f]{64}", re.ASCII)
KEPT = 2  # images of 40 MB each; there is no imported one beside them
IMPORTED = "imported"


@dataclass(frozen=True)
class Image:
    """A whole image in a folder."""

    folder: Path
    digest: str

    @property
    def packages(self) -> frozenset[str]:
        """Name, version and sha256 of each package that it is made of."""
        return frozenset(json.loads((self.folder / MANIFEST).read_bytes())["packages"])

    @property
    def vmlinuz(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initrd(self) -> Path:
        """The first file system; never compressed, since compressors differ between hosts."""
        return self.folder / "initrd"


def opened(folder: Path) -> Image:
    """The image in a folder whose digests were checked."""
    manifest = (folder / MANIFEST).read_bytes()
    return Image(folder, hashlib.sha256(manifest).hexdigest())


def build_image(machine: Path, cache: Path, tell: Callable[[str], None]) -> Image:
    """The image to use: the imported one, else that of the lock, built if it is missing or damaged."""
    images, lock = cache / "image", read(machine / "packages.lock")
    locked, imported = lock.of(GUEST), images / IMPORTED
    if imported.exists():
        if fault := damage_of(imported):  # an image that a course published cannot be built here
            hint = "lab image import FILE, once more"
            raise SiteError(f"the imported image is damaged: {fault}", str(imported), hint)
        image = opened(imported)
    else:
        tables = [machine / name for name in ("image.toml", contents.INIT, *contents.SCRIPTS)]
        built = images / contents.inputs_digest([*tables, Path(__file__)], locked)

        fill = partial(assemble, machine, locked)
        contents.fill_once(built, locked, lock.date, cache, tell, "building the machine's image", fill, KEPT)
        image = opened(built)
    if fault := _difference(frozenset(map(_named, locked)), image.packages):
        tell(f"the image is not the lock's, so its identity differs: it has {fault}")
    return image


def assemble(machine: Path, locked: Sequence[Locked], packages: Sequence[Path], folder: Path) -> None:
    """Unpack the packages, and write kernel, first file system and manifest into a folder."""
    with deb.unpacked(packages, folder.parent) as root:
        files = contents.entries(root, contents.load(machine / "image.toml"), machine)
        (folder / "vmlinuz").write_bytes(contents.kernel(root).read_bytes())
        (folder / "initrd").write_bytes(cpio.archive(files))
    (folder / MANIFEST).write_bytes(manifest_of(folder, locked))


def manifest_of(folder: Path, packages: Iterable[Locked]) -> bytes:
    """The manifest of an image: the digests of its files, and their packages."""
    digests = {part: sha256(folder / part) for part in PARTS}
    described = {"format": FORMAT, "sha256": digests, "packages": [_named(locked) for locked in packages]}
    return json.dumps(described, indent=1, sort_keys=True).encode() + b"\n"


def _named(locked: Locked) -> str:
    return f"{locked.named} {locked.sha256}"


def _difference(locked: frozenset[str], image: frozenset[str]) -> str:
    """The packages that the image has instead of the lock's; empty if they are equal."""
    names = [", ".join(line.rpartition(" ")[0] for line in sorted(lines)) for lines in (image - locked, locked - image)]
    return f"{names[0] or 'nothing'} in place of {names[1] or 'nothing'}" if locked != image else ""


def declared(manifest: Path) -> dict[str, str]:
    """The digests that a manifest declares; raise for an untrusted manifest that is not valid."""
    where, hint = str(manifest), "lab image export FILE"
    try:
        described = json.loads(manifest.read_bytes())
        if not all(PACKAGE.fullmatch(line) for line in described["packages"]):
            raise SiteError("its manifest names an invalid package", where, hint)
        if described["format"] != FORMAT:
            raise SiteError(f"expected the format {FORMAT!r}, not {described['format']!r}", where, hint)
        return {part: str(described["sha256"][part]) for part in PARTS}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SiteError("its manifest cannot be read", where, hint) from error
