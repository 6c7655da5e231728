"""Texts and archives that a person or a stranger wrote, read within bounds."""

from __future__ import annotations

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


def test_a_text_is_read_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "ä b").write_text("ü\n")
    assert read_typed(tmp_path / "ä b") == "ü\n"


def test_what_is_no_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "socket"))
    assert refused(tmp_path / "pipe") == " is a pipe, not a file"
    assert refused(tmp_path) == " is a folder, not a file"
    assert refused(Path("/dev/zero")) == " is a device, not a file"
    assert "cannot be read" in refused(tmp_path / "socket")
    assert "is not there" in refused(tmp_path / "none")
    assert "cannot be read" in refused(tmp_path / "zero\0byte")
    listening.close()


def test_a_file_without_an_end_is_read_no_further_than_its_bound(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)  # a hole: it takes no room
    assert refused(file) == f" is too large (at most {MOST_BYTES} bytes)"
    file.write_bytes(b"x" * 9)
    assert read_bounded(file, 9) == b"x" * 9


def test_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("a\nb\nü".encode("latin-1"))
    assert refused(file) == "3: is not UTF-8 text: byte 0xfc (try: save it as UTF-8)"
    file.write_text("a", encoding="utf-8-sig")
    assert refused(file) == "1: begins with a byte order mark (BOM) (try: save it as UTF-8 without BOM)"
    file.write_text("a", encoding="utf-16")
    assert "is not UTF-8 text" in refused(file)


HUGE = str(10**12)


def test_what_was_packed_comes_out() -> None:
    files = {"a": b"1", "b/c": b""}
    assert unpack(io.BytesIO(pack(files)), 1) == files
    assert unpack(archive({}), 3) == {"name": b"abc"}


@pytest.mark.parametrize(
    "strange",
    [
        archive({"GNU.sparse.map": "0,1", "GNU.sparse.size": HUGE}),
        archive({}, kind=tarfile.SYMTYPE),
        archive({}, kind=tarfile.LNKTYPE),
        archive({}, kind=tarfile.FIFOTYPE),
    ],
    ids=["holes", "symbolic-link", "link", "fifo"],
)
def test_what_is_no_plain_file_is_not_there(strange: io.BytesIO) -> None:
    assert unpack(strange, 10**13) == {}


def test_a_file_that_is_too_large_is_not_there() -> None:
    assert unpack(archive({}), 2) == {}


@pytest.mark.parametrize(
    "headers",
    [
        {"GNU.sparse.map": "a,b"},
        {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": HUGE},
        {"GNU.sparse.realsize": HUGE},
    ],
    ids=["no-number", "no-map", "longer-than-the-archive"],
)
def test_headers_that_cannot_be_are_an_error(headers: dict[str, str]) -> None:
    with pytest.raises(tarfile.TarError):
        unpack(archive(headers), 10**13)


def test_names_of_names_are_an_error() -> None:
    one = archive({}, kind=tarfile.GNUTYPE_LONGNAME).getvalue()[: 2 * tarfile.BLOCKSIZE]
    with pytest.raises(tarfile.TarError):
        unpack(io.BytesIO(one * 5000), 10**13)
