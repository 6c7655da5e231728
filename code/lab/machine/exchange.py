"""Export and import of the machine as one file."""

import io
import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import zstandard

from lab.errors import SiteError, Tell
from lab.files.storage import write_text
from lab.files.store import SUMS, Digest, exclusive, folder_digest, put_file, put_folder, sha256, stored
from lab.machine import link, qemu, runner, snapshot
from lab.machine.image import IMPORTED, MANIFEST, MANIFEST_LIMIT, PARTS, Image, declared, opened
from lab.machine.runner import Runner
from lab.machine.snapshot import Expected, Snapshot, SnapshotInputs
from lab.machine.sparse import NOTHING, digest_with_holes, write_with_holes
from lab.supply.lock import GUEST, RUNNER, Lock, read
from lab.supply.providers import course_image, fetched_image
from lab.typed_json import JsonError, as_json, parse_as

FORMAT = "lab-machine 1"
CONTENTS, CONTENTS_LIMIT, MOST_MEMBERS = "contents.json", 1 << 20, 200
NAME = re.compile(r"[a-z]+(?:/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*){0,2}", re.ASCII)
LEVEL, WINDOW_BYTES = 9, 128 << 20
# Another number of threads, or no checksum, gives other bytes for the same files.
COMPRESSION = zstandard.ZstdCompressionParameters.from_level(LEVEL, threads=1, write_checksum=1)
DAMAGED = (tarfile.TarError, EOFError, ValueError, RecursionError, zstandard.ZstdError, JsonError)
HINT = "lab image export FILE makes one; fetch it again if it was whole"
SOURCES, SOURCES_LIMIT = "sources", 1 << 20
FROM_COURSE = "from-course"  # the sha256 of the imported file
DEVICE = "device"
FOLDERS = ("runner", "plugin", "programs", "module", "library", DEVICE)
STATE_LIMIT, FILE_LIMIT = 64 << 20, 64 << 20
LIMITS = {
    SOURCES: SOURCES_LIMIT,
    "frozen/memory": qemu.MEMORY_BYTES,
    "frozen/state": STATE_LIMIT,
    f"image/{MANIFEST}": MANIFEST_LIMIT,
    **{f"image/{part}": most for part, most in PARTS.items()},
}
VERSION = "the same version of Verbyte as where it was exported"
OFFER = """\
This file holds programs of Debian, among them QEMU and Linux under the GNU General Public License. Their sources are
Debian's, unchanged: the source package is the last folder of each path below; mirrors of Debian and its archive of old
versions (as of {date}) have it. The person who gave you this file will also give these sources, for three
years and for no more than the cost of copying, to anybody who asks. Verbyte's parts are in Verbyte's repository.

"""


class ArchiveError(SiteError):
    """A file that is not an exported machine, or contains invalid parts."""


def export(whole: Snapshot, inputs: SnapshotInputs, lock: Lock, compiled: Mapping[str, Path], file: Path) -> int:
    """Write a snapshot, all that runs it and folders of compiled files as one file; return its size."""
    with tempfile.TemporaryDirectory(prefix="lab-export-") as name:
        # The offer of sources that the licences of the programs require.
        packages = {*lock.of(GUEST), *(locked for section in lock.kind(RUNNER).values() for locked in section)}
        paths = "".join(f"{locked.named} {locked.path}\n" for locked in sorted(packages))
        offer = Path(name) / SOURCES
        offer.write_text(OFFER.format(date=lock.date) + paths)
        files = {SOURCES: offer, "plugin/" + runner.NAME: inputs.plugin}
        files |= {f"image/{part}": inputs.image.folder / part for part in (MANIFEST, *PARTS)}
        files |= {f"runner/{path.name}": path for path in inputs.runner.folder.iterdir() if path.name != SUMS}
        files |= {"frozen/memory": whole.copy, "frozen/state": whole.state}
        for part, folder in compiled.items():
            built = (path for path in folder.rglob("*") if path.is_file() and path.name != SUMS)
            files |= {f"{part}/{path.relative_to(folder)}": path for path in built}
        digests = {part: folder.name for part, folder in compiled.items()}
        return write(file, files, {"recipe": inputs.digest, "host": runner.architecture(), **digests})


def require_exported(file: Path) -> None:
    """Refuse a file that is not an exported machine, before it is published."""
    with tempfile.TemporaryDirectory(prefix="lab-image-") as folder:
        unpack(file, limit, Path(folder))
        _require_image(Path(folder) / "image")


def bring(file: Path, machine: Path, cache: Path, compiled: Mapping[str, Path], tell: Tell) -> Image:
    """Import a machine that a course published. From then on its image is used, and nothing is fetched or built.
    Files compiled from other sources than this checkout's are left out, and so is a device that is not the expected
    one; all others run in the guest only."""
    with stored(cache):
        cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="import-", dir=cache) as name:
        came = Path(name)
        about = unpack(file, limit, came).about
        try:
            inputs = _checked(came, about, machine, cache)
        except ArchiveError as error:
            raise ArchiveError(error.what, str(file), error.hint) from error
        if _fits(about):
            _move(came / "runner", inputs.runner.folder, mode=0o755)
            _move(came / "plugin", inputs.plugin.parent)
        else:
            host = about.get("host", "")[:20] or "an unknown architecture"
            tell(f"its QEMU is for computers of {host}: another one will be fetched")
        for part, target in compiled.items():
            is_safe = part != DEVICE or (_fits(about) and _is_expected(came / part, inputs.expected))
            if about.get(part) == target.name and (came / part).is_dir() and is_safe:
                _move(came / part, target)
        _move(came / "frozen", snapshot.folder_of(inputs, cache), digest=digest_with_holes)
        _move(came / "image", cache / "image" / IMPORTED, replace=True)
        return opened(cache / "image" / IMPORTED)


def bring_from_course(machine: Path, cache: Path, compiled: Callable[[], Mapping[str, Path]], tell: Tell) -> None:
    """Import the image that lab.toml names, once: nothing else is fetched then."""
    image, done = course_image(), cache / "image" / FROM_COURSE
    if image is None or _is_imported(done, image.sha256):
        return
    with exclusive(done.with_name("lock-of-course")):
        if _is_imported(done, image.sha256):  # by another process meanwhile
            return
        tell("fetching the course's VM (once)")
        with fetched_image(image, cache, tell) as file:
            tell("unpacking the course's VM (once)")
            bring(file, machine, cache, compiled(), tell)
        write_text(done, image.sha256)


def _is_imported(done: Path, sha256: str) -> bool:
    return done.exists() and done.read_text() == sha256


def _checked(came: Path, about: Mapping[str, str], machine: Path, cache: Path) -> SnapshotInputs:
    """The inputs of an unpacked snapshot; raise unless image, host programs and snapshot are the expected ones."""
    _require_image(came / "image")
    expected, lock = snapshot.read(machine), read(machine / "packages.lock")
    if _fits(about):  # unexpected programs would run with all rights of this user
        for name in ("runner", "plugin"):
            if not _is_expected(came / name, expected):
                raise ArchiveError(f"its {name} is not the expected one, and is not run here", hint=VERSION)
    qemu_here = Runner(runner.place(machine, cache), lock.digest(RUNNER))
    plugin = runner.plugin_place(machine, cache)
    inputs = SnapshotInputs(opened(came / "image"), qemu_here, plugin, link.digest(machine), expected)
    files = [came / "frozen" / name for name in ("memory", "state")]
    if about.get("recipe") != inputs.digest or not all(file.is_file() for file in files):
        raise ArchiveError("its snapshot is not of this version of Verbyte", hint=VERSION)
    if name := snapshot.unexpected(inputs, came / "frozen"):
        raise ArchiveError(f"its snapshot has another {name} than the expected one", hint=VERSION)
    return inputs


def _is_expected(came: Path, expected: Expected | None) -> bool:
    """Whether programs of the host are those that this version expects for this architecture."""
    digests = expected.host if expected else {}
    return came.is_dir() and folder_digest(came) == digests.get(f"{came.name} {runner.architecture()}")


def _fits(about: Mapping[str, str]) -> bool:
    """Whether the host programs in a file are for this host's architecture."""
    return about.get("host") == runner.architecture()


def _require_image(folder: Path) -> None:
    """Refuse an image whose manifest declares other files."""
    if not all((folder / name).is_file() for name in (MANIFEST, *PARTS)):
        raise ArchiveError("it has no image", hint="lab image export FILE")
    digests = declared(folder / MANIFEST)
    for part in PARTS:
        if sha256(folder / part) != digests[part]:
            raise ArchiveError(f"its image's {part} differs from its manifest", hint="fetch the file again")


def _move(came: Path, target: Path, *, replace: bool = False, mode: int = 0o644, digest: Digest = sha256) -> None:
    """Move files to their folder of the cache, unless they are there."""
    with exclusive(target.parent / "lock"):
        if target.exists() and not replace:
            return
        with put_folder(target, digest) as folder:
            for path in came.iterdir():
                if path.is_file():
                    path.chmod(mode)
                path.rename(folder / path.name)


def limit(name: str) -> int:
    """The most bytes of a member; 0 for an invalid name."""
    folder, _, rest = name.partition("/")
    return LIMITS.get(name, FILE_LIMIT if folder in FOLDERS and rest else 0)


@dataclass(frozen=True)
class Member:
    size: int
    digest: str  # by digest_with_holes


@dataclass(frozen=True)
class Contents:
    format: str
    about: Mapping[str, str]  # facts about the whole
    members: Mapping[str, Member]


def write(file: Path, files: Mapping[str, Path], about: Mapping[str, str]) -> int:
    """Write an archive of files by their names; return its size."""
    members = {name: Member(path.stat().st_size, digest_with_holes(path)) for name, path in sorted(files.items())}
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
    info = tarfile.TarInfo(name)
    info.size = size
    return info


def unpack(file: Path, limit: Callable[[str], int], folder: Path) -> Contents:
    """Write all members under a folder, each within its limit and with its digest; a limit of 0 refuses a name."""
    with _opened(file) as archive:
        contents = _contents(archive)
        for name, member in contents.members.items():
            if member.size > limit(name):
                what = "is not a part of a machine" if not limit(name) else f"has more than {limit(name)} bytes"
                raise ArchiveError(f"{name} {what}")
        for name, member in contents.members.items():
            target = folder / name
            with stored(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                _write_member(_next(archive, name, member.size), target, member)
    return contents


@contextmanager
def _opened(file: Path) -> Iterator[tarfile.TarFile]:
    """An archive, read once from its beginning; any damage is an ArchiveError. A pipe is refused, not awaited."""
    if not file.is_file():
        raise ArchiveError("is not a file" if file.exists() else "is not there", str(file), HINT)
    decompressor = zstandard.ZstdDecompressor(max_window_size=WINDOW_BYTES)
    try:
        with (
            file.open("rb") as raw,
            decompressor.stream_reader(raw) as plain,
            tarfile.open(fileobj=plain, mode="r|") as archive,
        ):
            yield archive
    except DAMAGED as error:
        raise ArchiveError(f"is not an exported machine ({error})", str(file), HINT) from error
    except ArchiveError as error:
        raise ArchiveError(error.what, str(file), error.hint or HINT) from error


def _contents(archive: tarfile.TarFile) -> Contents:
    contents = parse_as(Contents, json.loads(_next(archive, CONTENTS, CONTENTS_LIMIT, exactly=False).read()))
    if contents.format != FORMAT:
        raise ArchiveError(f"has the format {contents.format[:40]!r}, but this version reads {FORMAT!r}")
    if len(contents.members) > MOST_MEMBERS:
        raise ArchiveError(f"has more than {MOST_MEMBERS} members")
    for name, member in contents.members.items():
        if not NAME.fullmatch(name):
            raise ArchiveError(f"contains the invalid name {name[:80]!r}")
        if member.size < 0:
            raise ArchiveError(f"{name} has a negative size")
    return contents


def _next(archive: tarfile.TarFile, name: str, size: int, *, exactly: bool = True) -> IO[bytes]:
    """The archive's next member, which must be a plain file of this name and size."""
    info = archive.next()
    if info is None or info.name != name or not info.isreg() or info.sparse is not None:
        raise ArchiveError(f"expected the file {name} there")
    if info.size > size or (exactly and info.size != size):
        raise ArchiveError(f"{name} has {info.size} bytes instead of {size}")
    content = archive.extractfile(info)
    assert content is not None
    return content


def _write_member(content: IO[bytes], target: Path, member: Member) -> None:
    """Write a member, with holes in place of zeros."""
    with target.open("xb") as file:
        while piece := content.read(len(NOTHING)):
            write_with_holes(file, piece)
        file.truncate(member.size)
    if target.stat().st_size != member.size or digest_with_holes(target) != member.digest:
        raise ArchiveError(f"{target.name} differs from {CONTENTS}")
