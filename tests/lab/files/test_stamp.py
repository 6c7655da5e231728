"""What is made again, and what is left alone."""

from __future__ import annotations

from pathlib import Path

from lab.files.store import digest_files, is_current, keep_stamp


def test_a_file_is_current_while_it_and_its_stamp_are_as_they_were(tmp_path: Path) -> None:
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


def test_files_differ_by_name_by_content_and_by_being_there(tmp_path: Path) -> None:
    texts = {"a": "1", "b": "1", "c": "2"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert len({digest_files([tmp_path / name]) for name in (*texts, "none")}) == 4


def test_a_stamp_of_any_bytes_is_no_stamp_of_this(tmp_path: Path) -> None:
    made = tmp_path / "made.csv"
    made.write_text("1\n")
    keep_stamp(made, "stamp")
    (tmp_path / ".made.stamp").write_bytes(b"\xff")
    assert not is_current(made, "stamp")
