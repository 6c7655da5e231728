"""The reference, and runs that are compared with it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.errors import VerifyError
from lab.plan.plan import Plan
from lab.records.compare import verify
from lab.records.reference import IDENTITY, changed_parts, read_reference, write_reference
from lab.run.run import RunSetup, missing, run_trials

Make = Callable[..., Plan]


def test_run_is_verified_with_a_written_reference(make_small_plan: Make, fake_site: FakeSite, tmp_path: Path) -> None:
    plan, results, folder = make_small_plan(), tmp_path / "results", tmp_path / "reference"
    run_trials(RunSetup(fake_site, plan.site, results), missing([plan], results)[0], 2, lambda *_: None)
    assert write_reference([plan], results, folder) == {folder / "small.csv": 60}
    assert verify(plan, results, read_reference(plan, folder)).identical
    assert changed_parts([plan], folder) == []
    assert changed_parts([make_small_plan(digest="e")], folder) == [
        "tcp-client",
        "tcp-server",
        "verbs-client",
        "verbs-server",
    ]


def test_reference_of_one_experiment_keeps_the_identity_of_the_others(
    make_small_plan: Make, fake_site: FakeSite, tmp_path: Path
) -> None:
    plan, results, folder = make_small_plan(), tmp_path / "results", tmp_path / "reference"
    run_trials(RunSetup(fake_site, plan.site, results), missing([plan], results)[0], 2, lambda *_: None)
    write_reference([plan], results, folder)
    (folder / IDENTITY).write_text('{"mpi-pingpong": "d", "verbs-client": "old"}')
    write_reference([plan], results, folder)
    assert changed_parts([plan], folder) == []
    (folder / "other.csv").touch()
    (folder / IDENTITY).write_text('{"mpi-pingpong": "d", "verbs-client": "old"}')
    write_reference([plan], results, folder)
    assert changed_parts([plan], folder) == ["mpi-pingpong"]


def test_missing_reference_hints_at_the_command_that_makes_it(make_small_plan: Make, tmp_path: Path) -> None:
    with pytest.raises(VerifyError, match="lab table small --reference"):
        read_reference(make_small_plan(), tmp_path)
