"""The reference, and runs that are compared with it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import LabError
from lab.plan.plan import Plan
from lab.records.compare import verify
from lab.records.reference import IDENTITY, changed_parts, read_reference, write_reference

Make = Callable[..., Plan]
PROGRAMS = ["tcp-client", "tcp-server", "verbs-client", "verbs-server"]


def test_run_is_verified_with_a_written_reference(
    make_small_plan: Make, measured_plan: Plan, results: Path, tmp_path: Path
) -> None:
    assert write_reference([measured_plan], results, tmp_path) == {tmp_path / "small.csv": 60}
    assert verify(measured_plan, results, read_reference(measured_plan, tmp_path)).identical
    assert changed_parts([measured_plan], tmp_path) == []
    assert changed_parts([make_small_plan(digest="e")], tmp_path) == PROGRAMS


@pytest.mark.parametrize("others", [[], ["mpi-pingpong"]])
def test_reference_keeps_the_identity_of_other_experiments(
    measured_plan: Plan, results: Path, tmp_path: Path, others: list[str]
) -> None:
    if others:
        (tmp_path / "other.csv").touch()
    (tmp_path / IDENTITY).write_text('{"mpi-pingpong": "d", "verbs-client": "old"}')
    write_reference([measured_plan], results, tmp_path)
    assert changed_parts([measured_plan], tmp_path) == others


def test_missing_reference_hints_at_the_command_that_makes_it(make_small_plan: Make, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="lab table small --reference"):
        read_reference(make_small_plan(), tmp_path)
