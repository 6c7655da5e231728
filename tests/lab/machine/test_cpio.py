"""The archive that the kernel unpacks."""

import subprocess
from pathlib import Path

from lab.machine import cpio
from lab.machine.cpio import Entry

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
