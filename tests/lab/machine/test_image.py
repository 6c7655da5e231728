"""Images as one file: what is exported comes back, and nothing else is let in."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.machine import image

Members = list[tuple[str, bytes]]
Change = Callable[[Members], Members]


@pytest.fixture
def built(tmp_path: Path) -> image.Image:
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / "vmlinuz").write_bytes(b"kernel")
    (folder / "initrd").write_bytes(b"files")
    (folder / "manifest.json").write_bytes(image.manifest_of(folder, []))
    return image.opened(folder)


def machine_of(folder: Path, *packages: str) -> None:
    """What an image is built from, with these packages in its lock."""
    for name in ("image.toml", "init"):
        (folder / name).touch()
    text = "\n".join(["date 20261121T000000Z", "[guest]", *packages, ""])
    (folder / "packages.lock").write_text(text, encoding="utf-8")


def members(file: Path) -> Members:
    with tarfile.open(file) as archive:
        return [(info.name, (archive.extractfile(info) or io.BytesIO()).read()) for info in archive]


def write(file: Path, content: Members) -> None:
    with tarfile.open(file, "w") as archive:
        for name, data in content:
            archive.addfile(image.header(name, len(data)), io.BytesIO(data))


def test_an_exported_image_is_imported_with_its_digest(built: image.Image, tmp_path: Path) -> None:
    image.export_image(built, tmp_path / "course.lab")
    imported = image.import_image(tmp_path / "course.lab", tmp_path / "cache")
    assert imported.digest == built.digest
    assert imported.initrd.read_bytes() == b"files"


def test_an_imported_image_is_used_instead_of_building(built: image.Image, tmp_path: Path) -> None:
    image.export_image(built, tmp_path / "course.lab")
    imported = image.import_image(tmp_path / "course.lab", tmp_path / "cache")
    machine_of(tmp_path)
    assert image.build_image(tmp_path, tmp_path / "cache", pytest.fail) == imported


def test_an_image_that_is_not_the_locks_is_named(built: image.Image, tmp_path: Path) -> None:
    image.export_image(built, tmp_path / "course.lab")
    image.import_image(tmp_path / "course.lab", tmp_path / "cache")
    machine_of(tmp_path, f"iperf3 3.12 amd64 pool/iperf3/iperf3.deb {'ab' * 32} 1")
    told: list[str] = []
    image.build_image(tmp_path, tmp_path / "cache", told.append)
    assert told == ["the image is not the lock's, so its identity differs: it has nothing in place of iperf3 3.12"]


def test_two_exports_have_the_same_bytes(built: image.Image, tmp_path: Path) -> None:
    for name in ("a", "b"):
        image.export_image(built, tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def manifest(**other: object) -> bytes:
    return json.dumps(
        {"format": image.FORMAT, "packages": [], "sha256": {"vmlinuz": "0", "initrd": "0"}} | other
    ).encode()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: [(name, data + b"x" * (name == "initrd")) for name, data in found], "initrd is not what"),
        (lambda found: [(f"../{name}", data) for name, data in found], "expected the file manifest.json"),
        (lambda found: [("/etc/cron.d/x", b""), *found], "expected the file manifest.json"),
        (lambda found: found[:2], "expected the file initrd"),
        (lambda found: [("manifest.json", b"{}"), *found[1:]], "manifest cannot be read"),
        (lambda found: [("manifest.json", manifest(packages=["\x1b[2J"])), *found[1:]], "names what is no package"),
        (lambda found: [("manifest.json", b"[" * 100_000), *found[1:]], "manifest cannot be read"),
        (lambda found: [("manifest.json", manifest(format="lab-image 2")), *found[1:]], "expected the format"),
        (lambda found: [("manifest.json", b" " * (image.MANIFEST_LIMIT + 1)), *found[1:]], "more than the"),
    ],
)
def test_a_file_that_is_no_image_is_refused_and_leaves_nothing(
    change: Change, said: str, built: image.Image, tmp_path: Path
) -> None:
    image.export_image(built, tmp_path / "good")
    write(tmp_path / "bad", change(members(tmp_path / "good")))
    with pytest.raises(image.ImageError, match=said):
        image.import_image(tmp_path / "bad", tmp_path / "cache")
    assert [path.name for path in (tmp_path / "cache/image").iterdir()] == ["lock"]


def test_a_link_in_the_archive_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "bad", "w") as archive:
        info = tarfile.TarInfo("manifest.json")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)
    with pytest.raises(image.ImageError, match=r"expected the file manifest\.json"):
        image.import_image(tmp_path / "bad", tmp_path / "cache")


def test_bytes_that_are_no_archive_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"\x1f\x8b" * 2000)
    with pytest.raises(image.ImageError, match="not an exported image"):
        image.import_image(tmp_path / "bad", tmp_path / "cache")


def test_a_damaged_image_that_was_imported_is_named_and_not_used(built: image.Image, tmp_path: Path) -> None:
    image.export_image(built, tmp_path / "course.lab")
    imported = image.import_image(tmp_path / "course.lab", tmp_path / "cache")
    machine_of(tmp_path)
    for damaged in (imported.folder / "manifest.json", imported.initrd):
        content = damaged.read_bytes()
        damaged.write_bytes(b"\xff" + content[1:])
        with pytest.raises(image.ImageError, match=f"damaged: {damaged.name} is not what was written"):
            image.build_image(tmp_path, tmp_path / "cache", pytest.fail)
        damaged.write_bytes(content)
    image.build_image(tmp_path, tmp_path / "cache", pytest.fail)


def test_a_damaged_image_that_was_built_is_built_again(
    built: image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def assemble(_machine: Path, _packages: object, _store: object, folder: Path) -> None:
        for name in ("vmlinuz", "initrd", "manifest.json"):
            (folder / name).write_bytes((built.folder / name).read_bytes())

    monkeypatch.setattr(image, "assemble", assemble)
    machine_of(tmp_path)
    told: list[str] = []
    made = image.build_image(tmp_path, tmp_path / "cache", told.append)
    assert image.build_image(tmp_path, tmp_path / "cache", pytest.fail) == made
    (made.folder / "manifest.json").write_bytes(b"garbage")
    assert image.build_image(tmp_path, tmp_path / "cache", told.append) == made
    assert told[0] == "building the machine's image"
    assert told[1].endswith("manifest.json is not what was written: building it again")


@pytest.mark.parametrize("kind", ["pipe", "missing", "folder", "device"])
def test_what_is_no_file_is_no_image_and_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    places = {"pipe": tmp_path / "pipe", "missing": tmp_path / "x", "folder": tmp_path, "device": Path("/dev/zero")}
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(image.ImageError, match=r"is no file|is not there"):
        image.import_image(places[kind], tmp_path / "cache")
    with pytest.raises(image.ImageError, match=r"is no file|is not there"):
        image.require_exported(places[kind])
