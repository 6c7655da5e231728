"""Folders and files of the cache, their digests and stamps; files on a full or read-only disk, and CSV."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from lab.errors import SiteError, StorageError
from lab.files import store
from lab.files.storage import write_bytes, write_text
from lab.files.store import SUMS, damage, digest_files, exclusive, is_current, keep_stamp, put_file, put_folder


def test_folder_exists_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with pytest.raises(SiteError, match=r"target: cannot be written: the disk is full"), put_folder(target) as folder:
        (folder / "half").touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []
    with put_folder(target) as folder:
        (folder / "whole").touch()
        assert not target.exists()
    assert {path.name for path in target.iterdir()} == {"whole", SUMS}
    assert target.stat().st_mode & 0o777 == 0o755  # another user of this checkout reads it


def test_existing_folder_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "old").touch()
    with put_folder(target):
        pass
    assert [path.name for path in target.iterdir()] == [SUMS]


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    (tmp_path / "target.making-x").mkdir()
    with put_folder(tmp_path / "target"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_prune_keeps_the_newest_folders(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    for age, name in enumerate("dacb"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, ns=(age, age))
    store.prune(tmp_path, 5)
    assert len(list(tmp_path.iterdir())) == 5
    store.prune(tmp_path, 2)
    assert {path.name for path in tmp_path.iterdir()} == {"c", "b", "lock"}


def test_lock_is_exclusive_and_free_after_its_block(tmp_path: Path) -> None:
    lock = tmp_path / "cache" / "lock"
    taking = ["flock", "--nonblock", str(lock), "true"]
    with exclusive(lock):
        assert subprocess.run(taking, check=False).returncode == 1
    assert subprocess.run(taking, check=False).returncode == 0


def test_file_exists_only_when_it_is_whole(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="half"), put_file(tmp_path / "file") as making:
        making.write_text("half")
        raise ValueError("half")
    assert list(tmp_path.iterdir()) == []
    with put_file(tmp_path / "file") as making:
        making.write_text("whole")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "whole")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one").write_bytes(b"1")
    (tmp_path / "other").write_bytes(b"2")
    store.seal(tmp_path)
    return tmp_path


def test_sealed_folder_is_whole_for_sha256sum_too(folder: Path) -> None:
    assert damage(folder) == ""
    subprocess.run(["sha256sum", "--check", "--quiet", SUMS], cwd=folder, check=True)


def test_every_change_of_a_sealed_folder_is_named(folder: Path) -> None:
    (folder / "one").write_bytes(b"3")
    assert damage(folder) == "one is not what was written"
    (folder / "one").unlink()
    assert damage(folder) == "one is missing"
    (folder / "one").write_bytes(b"1")
    (folder / "third").touch()
    assert damage(folder) == "third is not in digests"
    for content in (b"", b"\xff\x00garbage", b"0" * 64, b"\n\n"):
        (folder / SUMS).write_bytes(content)
        assert damage(folder)
    (folder / SUMS).unlink()
    assert damage(folder) == f"{SUMS} is missing"


def test_file_is_current_while_it_and_its_stamp_are_unchanged(tmp_path: Path) -> None:
    made = tmp_path / "made.csv"
    made.write_text("1\n")
    assert not is_current(made, "stamp")
    keep_stamp(made, "stamp")
    assert is_current(made, "stamp") and not is_current(made, "another")
    made.write_text("2\n")
    assert not is_current(made, "stamp")
    keep_stamp(made, "stamp")
    (tmp_path / ".made.stamp").write_bytes(b"\xff")
    assert not is_current(made, "stamp")
    made.unlink()
    assert not is_current(made, "stamp")


def test_files_differ_by_name_content_and_existence(tmp_path: Path) -> None:
    texts = {"a": "1", "b": "1", "c": "2"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert len({digest_files([tmp_path / name]) for name in (*texts, "none")}) == 4


def test_file_is_replaced_whole_or_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "deep" / "table.csv"
    write_text(file, "old\n")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StorageError, match="the disk is full"):
        write_text(file, "new\n")
    assert file.read_text() == "old\n" and [each.name for each in file.parent.iterdir()] == ["table.csv"]


def test_pipe_device_or_folder_is_not_replaced(tmp_path: Path) -> None:
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for place, kind in ((pipe, "device, a pipe"), (link, "device, a pipe"), (tmp_path, "a folder")):
        with pytest.raises(StorageError, match=f"cannot be written: it is.*{kind}"):
            write_bytes(place, b"new")
    assert pipe.is_fifo() and link.is_symlink() and sorted(tmp_path.iterdir()) == [link, pipe]
