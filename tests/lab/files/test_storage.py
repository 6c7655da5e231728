"""Files on a full or read-only disk, and CSV."""

import errno
import os
from pathlib import Path

import pytest

from lab.errors import StorageError
from lab.files.storage import csv_text, write_bytes, write_text


def test_file_is_replaced_whole_or_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deep" / "table.csv"
    write_text(file, "old\n")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        write_text(file, "new\n")
    assert file.read_text() == "old\n" and [each.name for each in file.parent.iterdir()] == ["table.csv"]


def test_only_programs_are_executable(tmp_path: Path) -> None:
    write_bytes(tmp_path / "program", b"#!/bin/sh\n", runnable=True)
    write_bytes(tmp_path / "text", b"text")
    assert [os.access(tmp_path / name, os.X_OK) for name in ("program", "text")] == [True, False]


def test_pipe_device_or_folder_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for place, kind in ((pipe, "device, a pipe"), (link, "device, a pipe"), (tmp_path, "a folder")):
        with pytest.raises(StorageError, match=f"cannot be written: it is.*{kind}"):
            write_bytes(place, b"new")
    assert pipe.is_fifo() and link.is_symlink() and sorted(tmp_path.iterdir()) == [link, pipe]


def test_bytes_that_are_not_text_are_escaped(tmp_path: Path) -> None:
    write_text(tmp_path / "grade.txt", os.fsdecode(b"ada\xff.pdf"))
    assert (tmp_path / "grade.txt").read_bytes() == b"ada\\udcff.pdf"


def test_comma_quote_and_newline_in_a_cell_are_quoted() -> None:
    assert csv_text(("a",), [["x,y"], ['"'], ["two\nlines"]]) == 'a\n"x,y"\n""""\n"two\nlines"\n'
