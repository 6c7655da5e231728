"""One file of many: the same bytes each time, and nothing that a stranger should not bring."""

from __future__ import annotations

import io
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from lab.machine import exchange
from lab.machine.exchange import ArchiveError

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


def test_what_goes_in_comes_out_with_its_holes(files: dict[str, Path], tmp_path: Path) -> None:
    size = exchange.write(tmp_path / "one", files, {"made": "here"})
    assert size == (tmp_path / "one").stat().st_size < MIB
    found = unpacked(tmp_path / "one", tmp_path / "out")
    assert found.about == {"made": "here"} and exchange.contents(tmp_path / "one") == found
    for name, file in files.items():
        assert (tmp_path / "out" / name).read_bytes() == file.read_bytes()
    assert (tmp_path / "out/frozen/sparse").stat().st_blocks * 512 < MIB


def test_the_same_files_give_the_same_bytes(files: dict[str, Path], tmp_path: Path) -> None:
    exchange.write(tmp_path / "one", files, {})
    os.utime(files["image/small"], (1, 1))
    exchange.write(tmp_path / "other", dict(reversed(files.items())), {})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def first(**other: object) -> bytes:
    return json.dumps({"format": exchange.FORMAT, "about": {}, "members": {}} | other).encode()


def listed(name: str, size: object = 4) -> Members:
    return [("contents.json", first(members={name: {"size": size, "digest": "0" * 64}})), (name, b"text")]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda found: [(name, data.replace(b"text", b"tExt")) for name, data in found], "small is not what"),
        (lambda found: found[:2], "expected the file image/small"),
        (lambda found: [found[0], found[2], found[1]], "expected the file frozen/sparse"),
        (lambda found: [*found[:2], (found[2][0], b"longer text")], "has 11 bytes instead of 4"),
        (lambda found: [("/etc/cron.d/x", b""), *found], "expected the file contents.json"),
        (lambda _: listed("../small"), "is no name here"),
        (lambda _: listed("/small"), "is no name here"),
        (lambda _: listed("image/.."), "is no name here"),
        (lambda _: listed("image/\x1b[2J"), "is no name here"),
        (lambda _: listed("image/small", -1), "fewer than no bytes"),
        (lambda _: listed("image/small", 1 << 60), "more than"),
        (lambda _: listed("image/small", "many"), "no exported machine"),
        (lambda _: [("contents.json", b"{}")], "no exported machine"),
        (lambda _: [("contents.json", b"[" * 100_000)], "no exported machine"),
        (lambda _: [("contents.json", b" " * (exchange.CONTENTS_LIMIT + 1))], "instead of"),
        (lambda _: [("contents.json", first(format="lab-machine 9"))], "has the format"),
    ],
)
def test_a_file_that_says_something_else_than_it_holds_is_refused(
    files: dict[str, Path], tmp_path: Path, change: Change, said: str
) -> None:
    exchange.write(tmp_path / "good", files, {})
    bad = write(tmp_path / "bad", change(members(tmp_path / "good")))
    with pytest.raises(ArchiveError, match=said) as caught:
        unpacked(bad, tmp_path / "out")
    assert caught.value.where == str(bad) and caught.value.what.isprintable()
    assert not (tmp_path / "small").exists()


def test_too_many_members_are_refused(tmp_path: Path) -> None:
    many = {f"image/{number}": {"size": 0, "digest": ""} for number in range(exchange.MOST_MEMBERS + 1)}
    with pytest.raises(ArchiveError, match="more than 200 members"):
        unpacked(write(tmp_path / "bad", [("contents.json", first(members=many))]), tmp_path / "out")


def test_a_member_beyond_its_limit_or_without_one_is_refused_before_anything_is_written(
    files: dict[str, Path], tmp_path: Path
) -> None:
    exchange.write(tmp_path / "one", files, {})
    for limit, said in ((MIB, "more than 1048576 bytes"), (0, "is not a part of a machine")):
        with pytest.raises(ArchiveError, match=said):
            unpacked(tmp_path / "one", tmp_path / "out", limit)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_what_is_no_plain_file_is_refused(tmp_path: Path, kind: bytes) -> None:
    with pytest.raises(ArchiveError, match=r"expected the file contents\.json"):
        unpacked(write(tmp_path / "bad", [("contents.json", b"")], kind), tmp_path / "out")


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_a_file_cut_short_or_of_other_bytes_is_refused(files: dict[str, Path], tmp_path: Path, share: float) -> None:
    exchange.write(tmp_path / "one", files, {})
    content = (tmp_path / "one").read_bytes()
    cut = int(len(content) * share)
    for bad in (content[:cut], content[:cut] + b"\xff" * 40 + content[cut + 40 :]):
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(ArchiveError):
            unpacked(tmp_path / "bad", tmp_path / f"out{len(bad)}")


@pytest.mark.parametrize("kind", ["pipe", "missing", "folder", "device"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    places = {"pipe": tmp_path / "pipe", "missing": tmp_path / "x", "folder": tmp_path, "device": Path("/dev/zero")}
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ArchiveError, match=r"is no file|is not there"):
        unpacked(places[kind], tmp_path / "out")
