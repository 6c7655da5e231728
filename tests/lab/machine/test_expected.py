"""What the repository expects of the frozen machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SiteError
from lab.machine import snapshot
from lab.machine.selfcheck import STEPS
from lab.machine.snapshot import Expected
from lab.places import MACHINE

KNOWN = Expected("p" * 64, {"memory": "m" * 64}, {"step": "c" * 64}, {"runner amd64": "h" * 64})


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    assert snapshot.write(tmp_path, KNOWN) == tmp_path / snapshot.FILE
    assert snapshot.read(tmp_path) == KNOWN
    snapshot.forget(tmp_path)
    assert snapshot.read(tmp_path) is None


def test_a_machine_without_the_file_expects_nothing(tmp_path: Path) -> None:
    assert snapshot.read(tmp_path) is None


@pytest.mark.parametrize(
    "text", ["", "[]", "[" * 100_000, '{"recipe": 1}', '{"recipe": "a", "memory": "b", "checks": 3}']
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / snapshot.FILE).write_text(text)
    with pytest.raises(SiteError, match="does not say") as caught:
        snapshot.read(tmp_path)
    assert caught.value.where == str(tmp_path / snapshot.FILE)


def test_the_repository_expects_something_of_each_step_of_the_check() -> None:
    known = snapshot.read(MACHINE)
    assert known and known.checks.keys() == STEPS.keys()
