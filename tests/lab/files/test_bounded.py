"""Untrusted texts and archives, read within bounds."""

import io
import os
import socket
import tarfile
from pathlib import Path

import pytest
from tests.lab.strange_archives import archive

from lab.errors import SpecError
from lab.files.bounded import MOST_BYTES, pack, read_bounded, read_typed, unpack


def refused(file: Path) -> str:
    with pytest.raises(SpecError) as caught:
        read_typed(file)
    return str(caught.value).removeprefix(f"{file}:")


def test_anything_but_a_file_is_named_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == " is a pipe, not a file"
    assert refused(tmp_path) == " is a folder, not a file"
    assert refused(Path("/dev/zero")) == " is a device, not a file"
    assert "is not there" in refused(tmp_path / "none")
    assert "cannot be read" in refused(tmp_path / "zero\0byte")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert "cannot be read" in refused(tmp_path / "socket")


def test_file_is_read_no_further_than_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)  # sparse: it takes no room
    assert refused(file) == f" is too large (at most {MOST_BYTES} bytes)"
    file.write_bytes(b"x" * 9)
    assert read_bounded(file, 9) == b"x" * 9


def test_other_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("a\nb\nü".encode("latin-1"))
    assert refused(file) == "3: is not UTF-8 text: byte 0xfc (try: save it as UTF-8)"
    file.write_text("a", encoding="utf-8-sig")
    assert refused(file) == "1: begins with a byte order mark (BOM) (try: save it as UTF-8 without BOM)"


HUGE = str(10**12)


def test_packed_files_are_unpacked_up_to_a_size() -> None:
    files = {"a": b"1", "b/c": b""}
    assert unpack(io.BytesIO(pack(files)), 1) == files
    assert unpack(archive({}), 3) == {"name": b"abc"} and unpack(archive({}), 2) == {}


@pytest.mark.parametrize(
    "unpacked",
    [
        archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": HUGE}),
        archive({}, kind=tarfile.SYMTYPE),
        archive({}, kind=tarfile.LNKTYPE),
        archive({}, kind=tarfile.FIFOTYPE),
    ],
    ids=["sparse", "symbolic-link", "link", "fifo"],
)
def test_member_that_is_not_a_plain_file_is_ignored(unpacked: io.BytesIO) -> None:
    assert unpack(unpacked, 10**13) == {}


LONG_NAME = archive({}, kind=tarfile.GNUTYPE_LONGNAME).getvalue()[: 2 * tarfile.BLOCKSIZE]


@pytest.mark.parametrize(
    "stream",
    [
        archive({"GNU.sparse.map": "a,b"}),
        archive({"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": HUGE}),
        archive({"GNU.sparse.realsize": HUGE}),
        io.BytesIO(LONG_NAME * 5000),
    ],
    ids=["no-number", "no-map", "longer-than-the-archive", "names-of-names"],
)
def test_impossible_headers_are_an_error(stream: io.BytesIO) -> None:
    with pytest.raises(tarfile.TarError):
        unpack(stream, 10**13)
