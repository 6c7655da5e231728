"""The self-check, on a machine that says what it is told to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lab.machine import selfcheck
from lab.machine.qemu import MachineError
from lab.machine.runner import Runner
from lab.machine.snapshot import Expected, Frozen
from lab.model.trial import Job, Outcome, StepOutcome

STEP = StepOutcome("printed", "", "", "", 0, 0, 1_000, 2_000)
OUTCOME = Outcome((STEP, replace(STEP, client_out="")), {}, {}, 0, 3_000, "", 0.5)


def gives(outcome: Outcome) -> Callable[[Job], Outcome]:
    return lambda _: outcome


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., list[str]]:
    """The check of a machine of which OUTCOME is known; what it told."""
    machine = Frozen(tmp_path / "digest", Runner(tmp_path / "runner"), tmp_path / "plugin" / "a.so")
    known = Expected("", {}, selfcheck.digests(gives(OUTCOME)), {})

    def run(outcome: Outcome, known: Expected | None = known) -> list[str]:
        told: list[str] = []
        selfcheck.require_exact(machine, known, tmp_path, gives(outcome), told.append)
        return told

    return run


def test_a_computer_is_checked_once(check: Callable[..., list[str]]) -> None:
    assert "checking" in check(OUTCOME)[0]
    assert check(OUTCOME) == []


def test_the_same_cache_on_another_computer_is_checked_again(
    check: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(OUTCOME)
    monkeypatch.setattr(selfcheck, "host", lambda: "another")
    assert check(OUTCOME)


def test_a_cache_that_cannot_be_written_is_checked_each_time(check: Callable[..., list[str]], tmp_path: Path) -> None:
    (tmp_path / selfcheck.FOLDER).write_bytes(b"no folder")
    assert check(OUTCOME) == check(OUTCOME) != []


@pytest.mark.parametrize(
    ("step", "name", "change"),
    [(0, "ib_write_bw", {"client_out": "other"}), (1, "sleeping", {"clock_end_ns": 2_001})],
)
def test_a_computer_that_is_not_exact_is_refused_each_time(
    check: Callable[..., list[str]], step: int, name: str, change: dict[str, object]
) -> None:
    steps = list(OUTCOME.steps)
    steps[step] = replace(steps[step], **change)  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(MachineError, match=name):
            check(replace(OUTCOME, steps=tuple(steps)))


def test_a_machine_that_the_repository_does_not_know_is_not_checked_and_that_is_said(
    check: Callable[..., list[str]],
) -> None:
    assert "no results of this machine" in check(OUTCOME, None)[0]


def test_a_computer_without_a_named_processor_is_told_from_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selfcheck, "CPUINFO", tmp_path / "none")
    assert selfcheck.host().strip()
