"""What the repository expects of the frozen machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.machine import expected
from lab.machine.expected import Expected
from lab.machine.selfcheck import STEPS
from lab.places import MACHINE

KNOWN = Expected("p" * 64, {"memory": "m" * 64}, {"step": "c" * 64}, {"runner amd64": "h" * 64})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert expected.write(tmp_path, KNOWN) == tmp_path / expected.FILE
    assert expected.read(tmp_path) == KNOWN
    expected.forget(tmp_path)
    assert expected.read(tmp_path) is None


def test_a_machine_without_the_file_expects_nothing(tmp_path: Path) -> None:
    assert expected.read(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"recipe": 1}', '{"recipe": "a", "memory": "b", "checks": 3}']
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / expected.FILE).write_text(text)
    with pytest.raises(SiteError, match="does not say") as caught:
        expected.read(tmp_path)
    assert caught.value.where == str(tmp_path / expected.FILE)


def test_the_repository_expects_something_of_each_step_of_the_check() -> None:
    known = expected.read(MACHINE)
    assert known and known.checks.keys() == STEPS.keys()
