"""What has passed a schema is not checked again: lab.files.schema, and lab.files.schema with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.files import schema
from lab.files.schema import has, keep

VALUES: list[object] = [1, 1.0, True, "1", [1], {"1": 1}, "\udc80", None]


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """One of its own, since other tests fill the checkout's."""
    monkeypatch.setattr(schema, "FILE", tmp_path / "a folder" / "passed")
    return schema.FILE


@pytest.mark.parametrize("value", VALUES)
def test_a_value_has_passed_once_it_is_kept_with_its_type_and_by_the_same_rules(value: object) -> None:
    assert not has("rules", value)
    keep("rules", value)
    assert [each for each in VALUES if has("rules", each)] == [value]
    assert [type(each) for each in VALUES if has("rules", each)] == [type(value)]
    assert not has("other rules", value)


def test_a_large_file_begins_anew(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"0" * (schema.LARGEST + 1))
    keep("rules", 1)
    assert has("rules", 1) and file.stat().st_size < 100


def test_where_nothing_can_be_kept_all_is_checked_each_time(file: Path) -> None:
    file.mkdir(parents=True)  # a folder stands at its place
    keep("rules", 1)
    assert not has("rules", 1)


def test_a_fault_is_found_each_time_and_a_good_value_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(schema, "has", lambda _, value: value in kept)
    monkeypatch.setattr(schema, "keep", lambda _, value: kept.append(value))
    for _ in range(2):
        assert schema.check_value("iterations", 0) is not None
        assert schema.check_value("iterations", 7) is None
    assert kept == [{"iterations": 7}]
