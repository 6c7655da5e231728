"""Images: built, imported, damaged."""

import json
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.files.store import seal
from lab.machine import image
from lab.machine.contents import INIT, SCRIPTS


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
    for name in ("image.toml", INIT, *SCRIPTS):
        (folder / name).touch()
    text = "\n".join(["date 20261121T000000Z", "[guest]", *packages, ""])
    (folder / "packages.lock").write_text(text, encoding="utf-8")


@pytest.fixture
def imported(built: image.Image, tmp_path: Path) -> image.Image:
    target = tmp_path / "cache/image" / image.IMPORTED
    target.parent.mkdir(parents=True)
    built.folder.rename(target)
    seal(target)
    return image.opened(target)


def test_an_imported_image_is_used_instead_of_building(imported: image.Image, tmp_path: Path) -> None:
    machine_of(tmp_path)
    assert image.build_image(tmp_path, tmp_path / "cache", pytest.fail) == imported


@pytest.mark.usefixtures("imported")
def test_an_image_that_is_not_the_locks_is_named(tmp_path: Path) -> None:
    machine_of(tmp_path, f"iperf3 3.12 amd64 pool/iperf3/iperf3.deb {'ab' * 32} 1")
    told: list[str] = []
    image.build_image(tmp_path, tmp_path / "cache", told.append)
    assert told == ["the image is not the lock's, so its identity differs: it has nothing in place of iperf3 3.12"]


def manifest(**other: object) -> bytes:
    return json.dumps(
        {"format": image.FORMAT, "packages": [], "sha256": {"vmlinuz": "0", "initrd": "0"}} | other
    ).encode()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
        (manifest(packages=["\x1b[2J"]), "names an invalid package"),
        (manifest(format="lab-image 2"), "expected the format"),
    ],
)
def test_a_manifest_that_cannot_be_believed_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(SiteError, match=said):
        image.declared(tmp_path / "manifest.json")


def test_a_damaged_image_that_was_imported_is_named_and_not_used(imported: image.Image, tmp_path: Path) -> None:
    machine_of(tmp_path)
    for damaged in (imported.folder / "manifest.json", imported.initrd):
        content = damaged.read_bytes()
        damaged.write_bytes(b"\xff" + content[1:])
        with pytest.raises(SiteError, match=f"damaged: {damaged.name} is not what was written"):
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
    assert told[0] == "building the machine's image (once)"
    assert told[1].endswith("manifest.json is not what was written: building the machine's image again")
