"""Export and import of the machine as one file."""

from __future__ import annotations

import io
import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import zstandard

from lab.errors import SiteError
from lab.files.store import SUMS, Digest, exclusive, folder_digest, put_file, put_folder, sha256, stored
from lab.machine import link, qemu, runner, snapshot
from lab.machine.image import IMPORTED, MANIFEST, MANIFEST_LIMIT, PARTS, Image, declared, opened
from lab.machine.runner import Runner
from lab.machine.snapshot import Frozen, Recipe
from lab.machine.sparse import NOTHING, digest_with_holes
from lab.supply.lock import GUEST, RUNNER, Lock, read
from lab.typed_json import JsonError, as_json, parse_as

FORMAT = "lab-machine 1"
CONTENTS, CONTENTS_LIMIT, MOST_MEMBERS = "contents.json", 1 << 20, 200
NAME = re.compile(r"[a-z]+(?:/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*){0,2}", re.ASCII)
LEVEL, WINDOW_BYTES = 9, 128 << 20
# Other numbers of threads, and no checksum, are other bytes for the same files.
COMPRESSION = zstandard.ZstdCompressionParameters.from_level(LEVEL, threads=1, write_checksum=1)
DAMAGED = (tarfile.TarError, EOFError, ValueError, RecursionError, zstandard.ZstdError, JsonError)
HINT = "lab image export FILE makes one; fetch it again if it was whole"


class ArchiveError(SiteError):
    """A file that is no such archive, or holds what it must not."""


@dataclass(frozen=True)
class Member:
    """A file of an archive, as its first member says it."""

    size: int
    digest: str  # of what is not zero, and where it stands


@dataclass(frozen=True)
class Contents:
    """The first member."""

    format: str
    about: Mapping[str, str]  # what the maker says of the whole
    members: Mapping[str, Member]


def write(file: Path, files: Mapping[str, Path], about: Mapping[str, str]) -> int:
    """Put files into one under their names; its bytes."""
    members = {name: Member(each.stat().st_size, digest_with_holes(each)) for name, each in sorted(files.items())}
    text = json.dumps(as_json(Contents(FORMAT, about, members)), indent=1, sort_keys=True).encode() + b"\n"
    with put_file(file) as making, making.open("wb") as raw:
        compressor = zstandard.ZstdCompressor(compression_params=COMPRESSION)
        with (
            compressor.stream_writer(raw, closefd=False) as packed,
            tarfile.open(fileobj=packed, mode="w|", format=tarfile.GNU_FORMAT) as archive,
        ):
            archive.addfile(_header(CONTENTS, len(text)), io.BytesIO(text))
            for name, member in members.items():
                with files[name].open("rb") as content:
                    archive.addfile(_header(name, member.size), content)
    return file.stat().st_size


def _header(name: str, size: int) -> tarfile.TarInfo:
    """A member without time or owner."""
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def contents(file: Path) -> Contents:
    """What an archive says that it holds."""
    with _opened(file) as archive:
        return _contents(archive)


def unpack(file: Path, limit: Callable[[str], int], folder: Path) -> Contents:
    """Lay all members under a folder, each within its limit and with its digest; a limit of 0 refuses a name."""
    with _opened(file) as archive:
        found = _contents(archive)
        for name, member in found.members.items():
            if member.size > limit(name):
                what = "is not a part of a machine" if not limit(name) else f"has more than {limit(name)} bytes"
                raise ArchiveError(f"{name} {what}")
        for name, member in found.members.items():
            target = folder / name
            with stored(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                _lay(_next(archive, name, member.size), target, member)
    return found


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    """An archive, read once from its beginning; whatever is wrong with it is one sentence. A pipe is not waited for."""
    if not file.is_file():
        raise ArchiveError("is no file" if file.exists() else "is not there", str(file), HINT)
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    try:
        with (
            file.open("rb") as raw,
            decompressor.stream_reader(raw) as plain,
            tarfile.open(fileobj=plain, mode="r|") as archive,
        ):
            yield archive
    except DAMAGED as error:
        raise ArchiveError(f"is no exported machine ({error})", str(file), HINT) from error
    except ArchiveError as error:
        raise ArchiveError(error.what, str(file), error.hint or HINT) from error


def _contents(archive: tarfile.TarFile) -> Contents:
    """The first member, checked as far as it can be by itself."""
    found = parse_as(Contents, json.loads(_next(archive, CONTENTS, CONTENTS_LIMIT, exactly=False)()))
    if found.format != FORMAT:
        raise ArchiveError(f"has the format {found.format[:40]!r}, and this lab reads {FORMAT!r}")
    names = [name for name in found.members if not NAME.fullmatch(name)]
    if names or len(found.members) > MOST_MEMBERS:
        raise ArchiveError(f"{names[0][:80]!r} is no name here" if names else f"has more than {MOST_MEMBERS} members")
    if wrong := [name for name, member in found.members.items() if member.size < 0]:
        raise ArchiveError(f"{wrong[0]} has fewer than no bytes")
    return found


Pieces = Callable[[], bytes]  # gives what comes next of a member, nothing at its end


def _next(archive: tarfile.TarFile, name: str, size: int, *, exactly: bool = True) -> Pieces:
    """The archive's next member, which must be a plain file of this name and size."""
    info = archive.next()
    if info is None or info.name != name or not info.isreg() or info.sparse is not None:
        raise ArchiveError(f"expected the file {name} there")
    if info.size > size or (exactly and info.size != size):
        raise ArchiveError(f"{name} has {info.size} bytes instead of {size}")
    content = archive.extractfile(info)
    assert content is not None
    return lambda: content.read(len(NOTHING) if exactly else size)


def _lay(pieces: Pieces, target: Path, member: Member) -> None:
    """Write a member, with holes where it is nothing but zeros."""
    with target.open("xb") as file:
        while piece := pieces():
            if piece == NOTHING[: len(piece)]:
                file.seek(len(piece), 1)
            else:
                file.write(piece)
        file.truncate(member.size)
    if target.stat().st_size != member.size or digest_with_holes(target) != member.digest:
        raise ArchiveError(f"{target.name} is not what {CONTENTS} says")


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
        files = {SOURCES: offer, "plugin/" + runner.NAME: recipe.plugin}
        files |= {f"image/{each}": recipe.image.folder / each for each in (MANIFEST, *PARTS)}
        files |= {f"runner/{each.name}": each for each in recipe.runner.folder.iterdir() if each.name != SUMS}
        files |= {"frozen/memory": whole.memory, "frozen/state": whole.state}
        built = (each for each in programs.rglob("*") if each.is_file() and each.name != SUMS)
        files |= {f"programs/{each.relative_to(programs)}": each for each in built}
        about = {"recipe": recipe.digest, "host": runner.architecture(), "programs": programs.name}
        return write(file, files, about)


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
        unpack(file, limit, Path(folder))
        checked_image(Path(folder) / "image")


def bring(file: Path, machine: Path, cache: Path, programs: Path, tell: Tell) -> Image:
    """Take a machine that a course published: its image is used from then on, and nothing need be fetched, frozen or
    compiled. Programs of other sources than this checkout's stay where they are; all of them run in the guest only."""
    with stored(cache):
        cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="import-", dir=cache) as name:
        came = Path(name)
        about = unpack(file, limit, came).about
        try:
            host, recipe = _checked(came, about, machine, cache, tell)
        except ArchiveError as error:
            raise ArchiveError(error.what, str(file), error.hint) from error
        host.take(recipe)
        if about.get("programs") == programs.name and (came / "programs").is_dir():
            _place(came / "programs", programs)
        _place(came / "frozen", snapshot.folder_of(recipe, cache), digest=digest_with_holes)
        return _take_image(came / "image", cache)


def _checked(
    came: Path, about: Mapping[str, str], machine: Path, cache: Path, tell: Tell
) -> tuple[HostPrograms, Recipe]:
    """What came, once nothing of it can be wrong any more."""
    checked_image(came / "image")
    known, lock = snapshot.read(machine), read(machine / "packages.lock")
    host = HostPrograms(came, known.host if known else {}, about.get("host", ""), tell)
    host.require_known()
    carried = Runner(runner.place(machine, cache), lock.digest(RUNNER))
    recipe = Recipe(opened(came / "image"), carried, runner.plugin_place(machine, cache), link.digest(machine), known)
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
    if name := snapshot.unexpected(recipe, came):
        raise ArchiveError(f"its frozen machine has another {name} than the one that this lab knows", hint=VERSION)


def _place(came: Path, target: Path, *, replace: bool = False, mode: int = 0o644, digest: Digest = sha256) -> None:
    """Move files to where they would have been made, unless they are there."""
    with exclusive(target.parent / "lock"), put_folder(target, replace=replace, digest=digest) as folder:
        if folder is not None:
            for each in came.iterdir():
                if each.is_file():
                    each.chmod(mode)
                each.rename(folder / each.name)
