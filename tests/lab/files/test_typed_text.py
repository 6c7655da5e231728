import os
import socket
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.files.bounded import MOST_BYTES, read_bounded, read_typed


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
    assert refused(file) == f" has more than {MOST_BYTES} bytes, and no more are read"
    file.write_bytes(b"x" * 9)
    assert read_bounded(file, 9) == b"x" * 9


def test_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_bytes("a\nb\nü".encode("latin-1"))
    assert refused(file) == "3: is no UTF-8 text: byte 0xfc (try: save it as UTF-8)"
    file.write_text("a", encoding="utf-8-sig")
    assert refused(file) == "1: begins with a byte order mark (BOM) (try: save it as UTF-8 without BOM)"
    file.write_text("a", encoding="utf-16")
    assert "is no UTF-8 text" in refused(file)
