"""Folders of the cache."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from lab.files.store import SUMS, StoreError, exclusive, prune, put_file, put_folder


def test_a_folder_is_there_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with pytest.raises(StoreError, match=r"target: cannot be written: the disk is full"), put_folder(target) as folder:
        assert folder is not None
        (folder / "half").touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(tmp_path.iterdir()) == []
    with put_folder(target) as folder:
        assert folder is not None
        (folder / "whole").touch()
        assert not target.exists()
    assert {path.name for path in target.iterdir()} == {"whole", SUMS}
    assert target.stat().st_mode & 0o777 == 0o755  # another user of this checkout reads it


def test_a_folder_that_is_there_is_kept_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "old").touch()
    with put_folder(target) as folder:
        assert folder is None
    with put_folder(target, replace=True) as folder:
        assert folder is not None
    assert [path.name for path in target.iterdir()] == [SUMS]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "target.making-x").mkdir()
    with put_folder(tmp_path / "target"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["target"]


def test_the_newest_folders_are_kept(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    for age, name in enumerate("dacb"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, ns=(age, age))
    prune(tmp_path, 5)
    assert len(list(tmp_path.iterdir())) == 5
    prune(tmp_path, 2)
    assert {path.name for path in tmp_path.iterdir()} == {"c", "b", "lock"}


def test_only_one_holds_the_lock(tmp_path: Path) -> None:
    inside, order = threading.Event(), []

    def other() -> None:
        inside.wait()
        with exclusive(tmp_path / "lock"):
            order.append("other")

    thread = threading.Thread(target=other)
    thread.start()
    with exclusive(tmp_path / "lock"):
        inside.set()
        thread.join(0.2)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]


def test_a_file_is_there_only_when_it_is_whole(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="half"), put_file(tmp_path / "file") as making:
        making.write_text("half")
        raise ValueError("half")
    assert list(tmp_path.iterdir()) == []
    with put_file(tmp_path / "file") as making:
        making.write_text("whole")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "whole")]
