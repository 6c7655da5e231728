"""Images: what is in them, their archive, copies of sparse memory; built, imported, damaged."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.files.store import seal
from lab.machine import contents, cpio, image, sparse
from lab.machine.contents import INIT, SCRIPTS
from lab.machine.cpio import Entry


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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with a program of this host and its C library, linked as packages link theirs: absolutely."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib/x86_64-linux-gnu").mkdir(parents=True)
    shutil.copy("/bin/true", tmp_path / "bin/true")
    shutil.copy("/lib/x86_64-linux-gnu/libc.so.6", tmp_path / "lib/x86_64-linux-gnu/libc-2.so")
    (tmp_path / "lib/x86_64-linux-gnu/libc.so.6").symlink_to("/lib/x86_64-linux-gnu/libc-2.so")
    return tmp_path


def test_libraries_are_found_in_the_tree_and_not_on_the_host(root: Path) -> None:
    assert contents.libraries(root, ["bin/true"]) == {"lib/x86_64-linux-gnu/libc.so.6"}
    assert contents.loader(root, "bin/true").startswith("lib64/ld-linux")
    assert contents.inside(root, "lib/x86_64-linux-gnu/libc.so.6") == root / "lib/x86_64-linux-gnu/libc-2.so"
    (root / "lib/x86_64-linux-gnu/libc.so.6").unlink()
    with pytest.raises(SiteError, match=r"libc\.so\.6.*image\.toml"):
        contents.libraries(root, ["bin/true"])


def test_links_in_a_circle_are_an_error(root: Path) -> None:
    (root / "bin/a").symlink_to("b")
    (root / "bin/b").symlink_to("a")
    with pytest.raises(SiteError, match="/bin/a"):
        contents.inside(root, "bin/a")


def test_modules_come_once_and_after_their_dependencies(tmp_path: Path) -> None:
    folder = tmp_path / "lib/modules/6.1/kernel"
    folder.mkdir(parents=True)
    depends = {"ib_core": "", "udp-tunnel": "", "rdma_rxe": "ib_core,udp_tunnel", "ib_uverbs": "ib_core"}
    for name, names in depends.items():
        (folder / f"{name}.ko").write_bytes(f"\0license=GPL\0depends={names}\0".encode())
    order = [Path(path).stem for path in contents.modules(tmp_path, ["rdma_rxe", "ib-uverbs"])]
    assert order == ["ib_core", "udp-tunnel", "rdma_rxe", "ib_uverbs"]
    with pytest.raises(SiteError, match="no module nfit"):
        contents.modules(tmp_path, ["nfit"])


FILES = {"bin/tool": Entry(b"#!/bin/sh\n", executable=True), "lib/a/b": Entry(b"12345"), "init": Entry(b"")}


def test_the_order_of_the_files_does_not_change_the_bytes() -> None:
    assert cpio.archive(FILES) == cpio.archive(dict(reversed(FILES.items())))


def test_cpio_itself_unpacks_the_same_files_and_modes(tmp_path: Path) -> None:
    subprocess.run(["cpio", "-i", "--quiet"], input=cpio.archive(FILES), cwd=tmp_path, check=True)
    assert {path: (tmp_path / path).read_bytes() for path in FILES} == {
        path: entry.content for path, entry in FILES.items()
    }
    assert (tmp_path / "bin/tool").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "lib/a/b").stat().st_mode & 0o777 == 0o644


def test_an_archive_is_read_as_it_was_written() -> None:
    found = dict(cpio.contents(cpio.archive(FILES)))
    assert found == {path: entry.content for path, entry in FILES.items() if entry.content}


MIB = 1 << 20


def test_a_copy_has_the_same_bytes_and_holes_also_where_zeros_were_written(tmp_path: Path) -> None:
    with sparse.anonymous_file("memory", 64 * MIB) as memory:
        os.pwrite(memory, bytes(20 * MIB), MIB)
        for position in (0, 20 * MIB, 40 * MIB - 3):
            os.pwrite(memory, b"data", position)
        sparse.copy_with_holes(memory, tmp_path / "copy")
        assert (tmp_path / "copy").read_bytes() == os.pread(memory, 64 * MIB, 0)
    assert (tmp_path / "copy").stat().st_blocks * 512 < MIB


def test_a_compressed_file_has_the_same_bytes_and_holes_in_memory(tmp_path: Path) -> None:
    with sparse.anonymous_file("memory", 64 * MIB) as memory:
        os.pwrite(memory, bytes(range(256)) * (20 << 12), 5 * MIB + 4096)  # more than one piece
        os.pwrite(memory, b"data", 40 * MIB - 3)
        sparse.copy_with_holes(memory, tmp_path / "copy")
        content = os.pread(memory, 64 * MIB, 0)
    for _ in range(2):
        descriptor = sparse.in_memory(tmp_path / "copy")
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor has no path
            assert file.read() == content and os.fstat(descriptor).st_blocks * 512 < 22 * MIB
        sparse.compress(tmp_path / "copy")
        assert sparse.is_compressed(tmp_path / "copy") and (tmp_path / "copy").stat().st_size < MIB


def test_a_digest_is_the_same_without_holes_and_another_after_one_bit(tmp_path: Path) -> None:
    with sparse.anonymous_file("memory", 8 * MIB) as memory:
        os.pwrite(memory, b"data", 5 * MIB + 7)
        sparse.copy_with_holes(memory, tmp_path / "copy")
    content = (tmp_path / "copy").read_bytes()
    digest = sparse.digest_with_holes(tmp_path / "copy")
    (tmp_path / "full").write_bytes(content)
    assert sparse.digest_with_holes(tmp_path / "full") == digest
    for place in (0, 5 * MIB + 7, 8 * MIB - 1):
        flipped = bytearray(content)
        flipped[place] ^= 1
        (tmp_path / "full").write_bytes(flipped)
        assert sparse.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content[MIB:] + content[:MIB])
    assert sparse.digest_with_holes(tmp_path / "full") != digest
    (tmp_path / "full").write_bytes(content + bytes(1))
    assert sparse.digest_with_holes(tmp_path / "full") != digest


def test_a_full_disk_is_noticed() -> None:
    with sparse.anonymous_file("memory") as memory:
        os.pwrite(memory, b"x" * 10_000, 0)
        with pytest.raises(OSError, match="No space left"):
            sparse.copy_with_holes(memory, Path("/dev/full"))
