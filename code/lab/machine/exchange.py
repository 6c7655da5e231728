"""The machine as one file, for courses and computers without network: all that a trial needs goes in and comes out.

What runs on the computer itself is taken only if the repository knows its digest; the guest's own is a course's matter.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.files.digests import SUMS, Digest, folder_digest, sha256
from lab.files.store import exclusive, put_folder, stored
from lab.machine import archive, expected, frozen, plugin, qemu, runner, wire
from lab.machine.archive import ArchiveError
from lab.machine.frozen import Frozen, Recipe
from lab.machine.image import IMPORTED, MANIFEST, MANIFEST_LIMIT, PARTS, Image, declared, opened
from lab.machine.runner import Runner
from lab.machine.sparse import digest_with_holes
from lab.supply.lock import GUEST, RUNNER, Lock, read

SOURCES = "sources"
STATE_LIMIT, FILE_LIMIT = 64 << 20, 64 << 20
VERSION = "the same version of the lab as where it was exported"
OFFER = """\
This file holds programs of Debian, among them QEMU and Linux under the GNU General Public License. Their sources are
Debian's, unchanged: the source package is the last folder of each path below; mirrors of Debian and its archive of old
versions (as of {date}) have it. Who gave you this file will also give you these sources, for three years and for no
more than the cost of copying, to whoever asks. The lab's own parts are in the lab's repository.

"""

Tell = Callable[[str], None]


def export(whole: Frozen, recipe: Recipe, lock: Lock, programs: Path, file: Path) -> int:
    """Write a whole machine and the programs under test as one file; its bytes."""
    with tempfile.TemporaryDirectory(prefix="lab-export-") as name:
        offer = Path(name) / SOURCES
        offer.write_text(offer_of(lock))
        files = {SOURCES: offer, "plugin/" + plugin.NAME: recipe.plugin}
        files |= {f"image/{each}": recipe.image.folder / each for each in (MANIFEST, *PARTS)}
        files |= {f"runner/{each.name}": each for each in recipe.runner.folder.iterdir() if each.name != SUMS}
        files |= {"frozen/memory": whole.memory, "frozen/state": whole.state}
        built = (each for each in programs.rglob("*") if each.is_file() and each.name != SUMS)
        files |= {f"programs/{each.relative_to(programs)}": each for each in built}
        about = {"recipe": recipe.digest, "host": runner.architecture(), "programs": programs.name}
        return archive.write(file, files, about)


def offer_of(lock: Lock) -> str:
    """Where the sources of all programs are, as their licences ask for."""
    wanted = {*lock.of(GUEST), *(each for section in lock.kind(RUNNER).values() for each in section)}
    return OFFER.format(date=lock.date) + "".join(f"{each.named} {each.path}\n" for each in sorted(wanted))


def limit(name: str) -> int:
    """The most bytes that a member may have; none for a name that no machine has."""
    folder, _, rest = name.partition("/")
    image = {**PARTS, MANIFEST: MANIFEST_LIMIT}
    own = {SOURCES: 1 << 20, "frozen/memory": qemu.MEMORY_BYTES, "frozen/state": STATE_LIMIT}
    if folder == "image":
        return image.get(rest, 0)
    return FILE_LIMIT if folder in ("runner", "plugin", "programs") and rest else own.get(name, 0)


def require_exported(file: Path) -> None:
    """Asked before it is handed on: what is no machine would fail for everybody, and only there."""
    with tempfile.TemporaryDirectory(prefix="lab-image-") as folder:
        archive.unpack(file, limit, Path(folder))
        checked_image(Path(folder) / "image")


def bring(file: Path, machine: Path, cache: Path, programs: Path, tell: Tell) -> Image:
    """Take a machine that a course published: its image is used from then on, and nothing need be fetched, frozen or
    compiled. Programs of other sources than this checkout's stay where they are; all of them run in the guest only."""
    with stored(cache):
        cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="import-", dir=cache) as name:
        came = Path(name)
        about = archive.unpack(file, limit, came).about
        try:
            host, recipe = _checked(came, about, machine, cache, tell)
        except ArchiveError as error:
            raise ArchiveError(error.what, str(file), error.hint) from error
        host.take(recipe)
        if about.get("programs") == programs.name and (came / "programs").is_dir():
            _place(came / "programs", programs)
        _place(came / "frozen", frozen.folder_of(recipe, cache), digest=digest_with_holes)
        return _take_image(came / "image", cache)


def _checked(
    came: Path, about: Mapping[str, str], machine: Path, cache: Path, tell: Tell
) -> tuple[HostPrograms, Recipe]:
    """What came, once nothing of it can be wrong any more."""
    checked_image(came / "image")
    known, lock = expected.read(machine), read(machine / "packages.lock")
    host = HostPrograms(came, known.host if known else {}, about.get("host", ""), tell)
    host.require_known()
    carried = Runner(runner.place(machine, cache), lock.digest(RUNNER))
    recipe = Recipe(opened(came / "image"), carried, plugin.place(machine, cache), wire.digest(machine), known)
    _require_frozen(came / "frozen", recipe, about.get("recipe", ""))
    return host, recipe


@dataclass(frozen=True)
class HostPrograms:
    """What of a file runs on the computer itself."""

    came: Path
    known: Mapping[str, str]
    architecture: str
    tell: Tell

    @property
    def fits(self) -> bool:
        """Whether it was made for a computer like this one."""
        return self.architecture == runner.architecture()

    def require_known(self) -> None:
        """Refuse programs that the repository does not know: they would run with all rights of this user."""
        if not self.fits:
            self.tell(
                f"its QEMU is for computers of {self.architecture[:20] or 'no kind'}: another one will be fetched"
            )
            return
        for name, folder in (("runner", self.came / "runner"), ("plugin", self.came / "plugin")):
            if not folder.is_dir() or folder_digest(folder) != self.known.get(f"{name} {self.architecture}"):
                raise ArchiveError(f"its {name} is not the one that this lab knows, and is not run here", hint=VERSION)

    def take(self, recipe: Recipe) -> None:
        """Lay QEMU and its plugin where they would have been made."""
        if self.fits:
            _place(self.came / "runner", recipe.runner.folder, mode=0o755)
            _place(self.came / "plugin", recipe.plugin.parent)


def checked_image(folder: Path) -> None:
    """Refuse an image whose manifest says something else than its files."""
    if not all((folder / each).is_file() for each in (MANIFEST, *PARTS)):
        raise ArchiveError("it holds no image", hint="lab image export FILE")
    digests = declared(folder / MANIFEST)
    for part in PARTS:
        if sha256(folder / part) != digests[part]:
            raise ArchiveError(f"its image's {part} is not what the manifest says", hint="fetch the file again")


def _take_image(came: Path, cache: Path) -> Image:
    target = cache / "image" / IMPORTED
    _place(came, target, replace=True)
    return opened(target)


def _require_frozen(came: Path, recipe: Recipe, named: str) -> None:
    """A frozen machine of this very recipe."""
    if named != recipe.digest or not all((came / name).is_file() for name in ("memory", "state")):
        raise ArchiveError("its frozen machine is not of this version of the lab", hint=VERSION)
    if name := frozen.unexpected(recipe, came):
        raise ArchiveError(f"its frozen machine has another {name} than the one that this lab knows", hint=VERSION)


def _place(came: Path, target: Path, *, replace: bool = False, mode: int = 0o644, digest: Digest = sha256) -> None:
    """Move files to where they would have been made, unless they are there."""
    with exclusive(target.parent / "lock"), put_folder(target, replace=replace, digest=digest) as folder:
        if folder is not None:
            for each in came.iterdir():
                if each.is_file():
                    each.chmod(mode)
                each.rename(folder / each.name)
