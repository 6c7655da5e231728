"""The exported machine: a checkout without network gets all it needs from one file, but no untrusted programs."""

import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from tests.lab.supply.fetching import Supply

from lab.files.store import damage, folder_digest, seal, sha256
from lab.machine import exchange, image, link, runner, snapshot
from lab.machine.contents import INIT, SCRIPTS
from lab.machine.exchange import ArchiveError
from lab.machine.runner import Runner
from lab.machine.snapshot import Expected, Snapshot, SnapshotInputs
from lab.machine.sparse import digest_with_holes
from lab.supply.lock import RUNNER, Lock, read
from lab.supply.packages import SupplyError

Members = list[tuple[str, bytes]]
Change = Callable[[Members], Members]
MIB = 1 << 20


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two files, one with a large hole."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "small").write_bytes(b"text")
    with (folder / "sparse").open("wb") as file:
        file.seek(40 * MIB)
        file.write(b"end")
    return {"image/small": folder / "small", "frozen/sparse": folder / "sparse"}


@pytest.fixture
def archive(files: dict[str, Path], tmp_path: Path) -> Path:
    exchange.write(tmp_path / "good", files, {"made": "here"})
    return tmp_path / "good"


def unpacked(file: Path, folder: Path, limit: int = 100 * MIB) -> exchange.Contents:
    return exchange.unpack(file, lambda _: limit, folder)


def members(file: Path) -> Members:
    plain = zstandard.ZstdDecompressor().stream_reader(file.read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        return [(info.name, (tar.extractfile(info) or io.BytesIO()).read()) for info in tar]


def write(file: Path, content: Members, kind: bytes = tarfile.REGTYPE) -> Path:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w") as tar:
        for name, data in content:
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(data), kind, "/etc/passwd"
            tar.addfile(info, io.BytesIO(data))
    file.write_bytes(zstandard.compress(plain.getvalue()))
    return file


def test_files_come_out_as_they_went_in_with_their_holes(archive: Path, files: dict[str, Path], tmp_path: Path) -> None:
    assert archive.stat().st_size < MIB
    assert unpacked(archive, tmp_path / "out").about == {"made": "here"}
    for name, file in files.items():
        assert (tmp_path / "out" / name).read_bytes() == file.read_bytes()
    assert (tmp_path / "out/frozen/sparse").stat().st_blocks * 512 < MIB


def test_the_same_files_give_the_same_bytes(archive: Path, files: dict[str, Path], tmp_path: Path) -> None:
    os.utime(files["image/small"], (1, 1))
    exchange.write(tmp_path / "other", dict(reversed(files.items())), {"made": "here"})
    assert archive.read_bytes() == (tmp_path / "other").read_bytes()


def first(**other: object) -> bytes:
    return json.dumps({"format": exchange.FORMAT, "about": {}, "members": {}} | other).encode()


def listed(name: str, size: object = 4) -> Members:
    return [("contents.json", first(members={name: {"size": size, "digest": "0" * 64}})), (name, b"text")]


MANY = {f"image/{number}": {"size": 0, "digest": ""} for number in range(exchange.MOST_MEMBERS + 1)}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda found: [(name, data.replace(b"text", b"tExt")) for name, data in found], "small differs from"),
        (lambda found: found[:2], "expected the file image/small"),
        (lambda found: [*found[:2], (found[2][0], b"longer text")], "has 11 bytes instead of 4"),
        (lambda found: [("/etc/cron.d/x", b""), *found], "expected the file contents.json"),
        (lambda _: listed("../small"), "invalid name"),
        (lambda _: listed("image/\x1b[2J"), "invalid name"),
        (lambda _: listed("image/small", -1), "negative size"),
        (lambda _: listed("image/small", 1 << 60), "more than"),
        (lambda _: [("contents.json", b"{}")], "not an exported machine"),
        (lambda _: [("contents.json", b"[" * 100_000)], "not an exported machine"),
        (lambda _: [("contents.json", b" " * (exchange.CONTENTS_LIMIT + 1))], "instead of"),
        (lambda _: [("contents.json", first(format="lab-machine 9"))], "has the format"),
        (lambda _: [("contents.json", first(members=MANY))], "more than 200 members"),
    ],
)
def test_a_file_whose_members_differ_from_its_contents_is_refused(
    archive: Path, tmp_path: Path, change: Change, error: str
) -> None:
    bad = write(tmp_path / "bad", change(members(archive)))
    with pytest.raises(ArchiveError, match=error) as caught:
        unpacked(bad, tmp_path / "out")
    assert caught.value.where == str(bad) and caught.value.what.isprintable()
    assert not (tmp_path / "small").exists()


@pytest.mark.parametrize(("limit", "error"), [(MIB, "more than 1048576 bytes"), (0, "is not a part of a machine")])
def test_a_member_beyond_its_limit_is_refused_before_anything_is_written(
    archive: Path, tmp_path: Path, limit: int, error: str
) -> None:
    with pytest.raises(ArchiveError, match=error):
        unpacked(archive, tmp_path / "out", limit)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE])
def test_a_member_that_is_not_a_plain_file_is_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(ArchiveError, match=r"expected the file contents\.json"):
        unpacked(write(tmp_path / "bad", [("contents.json", b"")], kind), tmp_path / "out")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_damaged_or_truncated_file_is_refused(archive: Path, tmp_path: Path, share: float) -> None:
    content = archive.read_bytes()
    cut = int(len(content) * share)
    for bad in (content[:cut], content[:cut] + b"\xff" * 40 + content[cut + 40 :]):
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(ArchiveError):
            unpacked(tmp_path / "bad", tmp_path / f"out{len(bad)}")


@pytest.mark.parametrize("kind", ["pipe", "missing", "folder", "device"])
def test_a_path_that_is_not_a_file_is_refused_without_waiting(tmp_path: Path, kind: str) -> None:
    places = {"pipe": tmp_path / "pipe", "missing": tmp_path / "x", "folder": tmp_path, "device": Path("/dev/zero")}
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArchiveError, match=r"is not a file|is not there"):
        unpacked(places[kind], tmp_path / "out")


LOCK = f"""date 20261121T000000Z
[guest]
busybox 1.35 amd64 pool/main/b/busybox/busybox.deb {"a" * 64} 1
[runner amd64]
qemu 7.2 amd64 pool/main/q/qemu/qemu.deb {"b" * 64} 1
[runner arm64]
qemu 7.2 arm64 pool/main/q/qemu/qemu-arm.deb {"c" * 64} 1
"""


def places(cache: Path, sources: str = "of-these-sources") -> dict[str, Path]:
    """The folders of compiled files."""
    return {"programs": cache / "built" / sources, "device": cache / "card" / sources}


class Course:
    """A checkout with a snapshot of a few bytes, and the file that it publishes."""

    def __init__(self, folder: Path) -> None:
        self.machine, self.cache, self.file = folder / "machine", folder / "course", folder / "course.lab"
        self.machine.mkdir()
        for name in ("image.toml", INIT, *SCRIPTS, "runner.toml"):
            (self.machine / name).write_text(name)
        (self.machine / "packages.lock").write_text(LOCK)
        self.lock: Lock = read(self.machine / "packages.lock")
        built = self.put(self.cache / "image/built", vmlinuz=b"kernel", initrd=b"files")
        self.put(built, **{image.MANIFEST: image.manifest_of(built, [])})
        qemu = Runner(runner.place(self.machine, self.cache), self.lock.digest(RUNNER))
        self.put(qemu.folder, **{"ld.so": b"loader", "bios.bin": b"bios"})
        plugin = runner.plugin_place(self.machine, self.cache)
        self.put(plugin.parent, **{runner.NAME: b"plugin"})
        self.inputs = SnapshotInputs(image.opened(built), qemu, plugin, link.digest(self.machine))
        self.put(self.cache / "built/of-these-sources", **{"verbs-client": b"program"})
        self.put(self.snapshot.folder, memory=bytes(1 << 20) + b"memory", state=b"state")
        device = self.put(self.cache / "card/of-these-sources", **{"card.so": b"device"})
        folders = {"runner": qemu.folder, "plugin": plugin.parent, "device": device}
        host = {f"{name} {runner.architecture()}": folder_digest(folder) for name, folder in folders.items()}
        snapshot.write(self.machine, Expected(self.inputs.digest, self.snapshot.digests(), {}, host))

    def put(self, folder: Path, **files: bytes) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        seal(folder, digest_with_holes if "memory" in files else sha256)
        return folder

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(snapshot.folder_of(self.inputs, self.cache), self.inputs.runner, self.inputs.plugin)

    def export(self) -> Path:
        exchange.export(self.snapshot, self.inputs, self.lock, places(self.cache), self.file)
        return self.file


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return Course(tmp_path)


@pytest.fixture
def student(course: Course, tmp_path: Path) -> Iterator[Callable[..., list[str]]]:
    """A function that imports a file into an empty cache, where a refused import leaves nothing."""
    cache = tmp_path / "student"

    def imports(file: Path, sources: str = "of-these-sources") -> list[str]:
        lines: list[str] = []
        exchange.bring(file, course.machine, cache, places(cache, sources), lines.append)
        return lines

    yield imports
    assert not list(cache.glob("import-*"))


def contents_of(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_an_import_puts_everything_where_it_would_have_been_made(
    course: Course, student: Callable[..., list[str]], tmp_path: Path
) -> None:
    assert student(course.export()) == []
    imported = contents_of(tmp_path / "student")
    for name, content in contents_of(course.cache).items():
        assert imported.get(name.replace("image/built", "image/imported")) == content, name
    qemu = Runner(runner.place(course.machine, tmp_path / "student"))
    assert (qemu.folder / "ld.so").stat().st_mode & 0o111 and not damage(qemu.folder)


def test_the_file_is_the_same_each_time_and_offers_the_sources(course: Course, tmp_path: Path) -> None:
    once = course.export().read_bytes()
    assert course.export().read_bytes() == once
    exchange.unpack(course.file, exchange.limit, tmp_path / "out")
    offer = (tmp_path / "out/sources").read_text()
    assert "General Public License" in offer and "busybox 1.35 pool/main/b/busybox/busybox.deb" in offer
    assert "qemu 7.2 pool/main/q/qemu/qemu.deb" in offer and course.lock.date in offer


def with_file(folder: Callable[[Course], Path], name: str) -> Callable[[Course], None]:
    def spoil(course: Course) -> None:
        (folder(course) / name).write_bytes(b"evil")

    return spoil


def another_qemu(course: Course) -> None:
    course.inputs = replace(course.inputs, runner=replace(course.inputs.runner, packages="another QEMU's"))
    course.put(course.snapshot.folder, memory=b"memory", state=b"state")


UNKNOWN = "is not the expected one, and is not run here"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        *((with_file(lambda course: course.inputs.runner.folder, name), UNKNOWN)
          for name in ("ld.so", "bios.bin", "more.so")),
        (with_file(lambda course: course.inputs.plugin.parent, runner.NAME), UNKNOWN),
        *((with_file(lambda course: course.snapshot.folder, name), f"another {name}") for name in ("memory", "state")),
        (another_qemu, "not of this version of Verbyte"),
    ],
    ids=["loader", "bios", "library", "plugin", "memory", "state", "version"],
)  # fmt: skip
def test_another_machine_than_the_expected_one_is_refused(
    course: Course, student: Callable[..., list[str]], tmp_path: Path, change: Callable[[Course], None], what: str
) -> None:
    change(course)
    with pytest.raises(ArchiveError, match=what):
        student(course.export())
    assert what != UNKNOWN or contents_of(tmp_path / "student") == {}


def test_an_image_that_differs_from_its_manifest_or_is_missing_is_refused(
    course: Course, student: Callable[..., list[str]]
) -> None:
    course.inputs.image.initrd.write_bytes(b"evil")
    file = course.export()
    for take in (student, exchange.require_exported):
        with pytest.raises(ArchiveError, match="initrd differs from its manifest"):
            take(file)
    exchange.write(course.file, {"frozen/state": course.snapshot.state}, {})
    with pytest.raises(ArchiveError, match="has no image"):
        student(course.file)


def test_qemu_for_another_architecture_is_left_out_and_a_message_says_so(
    course: Course, student: Callable[..., list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "architecture", lambda: "arm64")
    file = course.export()
    monkeypatch.undo()
    assert "for computers of arm64" in student(file)[0]
    assert not (tmp_path / "student/runner").exists() and (tmp_path / "student/machine").exists()


def test_programs_of_other_sources_and_an_unexpected_device_are_left_out(
    course: Course, student: Callable[..., list[str]], tmp_path: Path
) -> None:
    """The device would run with all rights of this user."""
    student(course.export(), "of-sources-that-were-edited")
    assert {path.name for path in (tmp_path / "student").iterdir()}.isdisjoint({"built", "card"})
    assert (tmp_path / "student/machine").exists()
    course.put(places(course.cache)["device"], **{"card.so": b"evil"})
    student(course.export())
    assert not (tmp_path / "student/card").exists() and (tmp_path / "student/built").exists()


@pytest.mark.parametrize("scheme", ["http://", "file://", ""])
def test_the_image_of_lab_toml_is_imported_once(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    supply = Supply(tmp_path)
    content, cache, lines = course.export().read_bytes(), tmp_path / "student", list[str]()
    server = supply.serve(lambda request: request.send(content))
    url = f"{server.url}/course.lab" if scheme == "http://" else f"{scheme}{course.file}"
    table = f'[image]\nurl = "{url}"\nsha256 = "{sha256(course.file)}"\nsize_bytes = {len(content)}\n'
    (tmp_path / "lab.toml").write_text(table)
    monkeypatch.setattr("lab.supply.providers.SETTINGS", tmp_path / "lab.toml")
    for _ in range(2):
        exchange.bring_from_course(course.machine, cache, lambda: places(cache), lines.append)
    assert lines == ["fetching the course's VM (once)", "unpacking the course's VM (once)"]
    assert contents_of(course.cache / "machine").items() <= contents_of(cache / "machine").items()
    assert not list((cache / "packages").glob("*.deb"))
    (tmp_path / "lab.toml").write_text(table.replace(sha256(course.file), "0" * 64))
    with pytest.raises(SupplyError, match="sends other bytes than the locked ones"):
        exchange.bring_from_course(course.machine, cache, lambda: places(cache), lines.append)
    server.end()
