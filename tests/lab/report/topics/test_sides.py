"""The calls of each end: lab.report.topics.sides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module
from tests.lab.report import laboratory

from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.query.numbers import Numbers
from lab.run.run import RunSetup, missing, run_trials

EXPERIMENT = """
title = "Calls on a fake link"
question = "Is there a knee?"
[parameters]
sizes = "1..4K*2,255,257,3K"
iterations = 4
repetitions = 6
[[series]]
name = "mpi"
program = "mpi-tcp"
operation = "send"
measure = "one-way"
vary.calls = ["blocking", "non-blocking"]
"""
MESSAGE_NS, BYTE_NS, KNEE = 20_000, 8, 512


@pytest.fixture
def evidence(
    make_small_plan: Callable[..., Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Evidence]:
    """On a site whose messages cost nothing for a byte up to this size; each repetition has a luck of its own."""

    def make(knee: int) -> Evidence:
        class Site(fake_module.FakeSite):
            def run(self, job: Any) -> Any:
                luck: int = job.perturbation.start_delay_ns // 1000 % 7

                def cost(size: int) -> int:
                    return MESSAGE_NS + BYTE_NS * max(size - knee, 0) + 10 * (luck * size % 11)

                monkeypatch.setattr(fake_module, "cost", cost)
                return super().run(job)

        plan = make_small_plan(EXPERIMENT)
        run_trials(RunSetup(Site(), plan.site, tmp_path), missing([plan], tmp_path)[0], 1, lambda *_: None)
        return gather(plan, tmp_path)

    return make


def test_the_first_call_of_each_run_has_a_number_of_its_own(evidence: Callable[..., Evidence]) -> None:
    numbers = Numbers(evidence(KNEE))
    first, median = (numbers.ask(f"mpi[blocking].send.{name} at 1K").estimate for name in ("first_call", "median"))
    assert first.value == pytest.approx(median.value) and first.n == 6


def test_a_report_shows_both_ends(evidence: Callable[..., Evidence], tmp_path: Path) -> None:
    body = laboratory.body_of(evidence(KNEE), tmp_path / "report")
    assert r"\claim[3]{mpi[blocking].send at 1} (\texttt{mpi blocking, send})" in body
    assert "mpi non-blocking, receive" in body.replace("-{}", "-") and r"\label{figure:calls}" in body
