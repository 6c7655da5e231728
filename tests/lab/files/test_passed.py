"""What has passed a schema is not checked again: lab.files.passed, and lab.files.schema with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lab.files import passed, schema
from lab.files.passed import has, keep

PLANNING = """
import sys
from pathlib import Path
from lab.cli.main import main
from lab.files import passed
passed.FILE = Path(sys.argv[1])
main(["plan", "verbs_throughput"])
print("jsonschema" in sys.modules)
"""
VALUES: list[object] = [1, 1.0, True, "1", [1], {"1": 1}, "\udc80", None]


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """One of its own, since other tests fill the checkout's."""
    monkeypatch.setattr(passed, "FILE", tmp_path / "a folder" / "passed")
    return passed.FILE


@pytest.mark.parametrize("value", VALUES)
def test_a_value_has_passed_once_it_is_kept_with_its_type_and_by_the_same_rules(value: object) -> None:
    assert not has("rules", value)
    keep("rules", value)
    assert [each for each in VALUES if has("rules", each)] == [value]
    assert [type(each) for each in VALUES if has("rules", each)] == [type(value)]
    assert not has("other rules", value)


def test_a_large_file_begins_anew(file: Path) -> None:
    file.parent.mkdir()
    file.write_bytes(b"0" * (passed.LARGEST + 1))
    keep("rules", 1)
    assert has("rules", 1) and file.stat().st_size < 100


def test_where_nothing_can_be_kept_all_is_checked_each_time(file: Path) -> None:
    file.mkdir(parents=True)  # a folder stands at its place
    keep("rules", 1)
    assert not has("rules", 1)


def test_a_fault_is_found_each_time_and_a_good_value_once(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[object] = []
    monkeypatch.setattr(passed, "has", lambda _, value: value in kept)
    monkeypatch.setattr(passed, "keep", lambda _, value: kept.append(value))
    for _ in range(2):
        assert schema.check_value("iterations", 0) is not None
        assert schema.check_value("iterations", 7) is None
    assert kept == [{"iterations": 7}]


def test_a_command_whose_files_have_passed_loads_no_checker_of_schemas(file: Path) -> None:
    command = [sys.executable, "-c", PLANNING, str(file)]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert (first.splitlines()[-1], second.splitlines()[-1]) == ("True", "False")
