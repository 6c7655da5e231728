"""Times of messages: lines through them, round trips, and the calls of each end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from tests.lab import fake_site as fake_module
from tests.lab.report import laboratory

from lab.analysis.estimate import supported_quantile
from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.query.numbers import Numbers
from lab.report.topics.times import Times, round_trips, trips
from lab.run.run import RunSetup, missing, run_trials


def stepped(save_ns: float) -> Times:
    """Times that fall by this much at a size; every repetition is a little slower or faster."""
    sizes = tuple(float(size) for size in range(16_000, 496_000, 16_000))
    costs = [30_000 + 4 * size - (save_ns + size if size > 250_000 else 0) for size in sizes]
    rows = tuple(
        tuple(cost * (1 + repetition / 1000) + 31 * (size % 7) for cost, size in zip(costs, sizes, strict=True))
        for repetition in range(6)
    )
    return Times(sizes, rows)


def test_line_through_some_sizes_has_their_slope_and_intercept() -> None:
    line = stepped(200_000).between(64_000, 240_000).line()
    assert (line.low, line.high) == (64_000, 240_000) and line.n == 6 * 12
    assert line.slope.value == pytest.approx(4, rel=0.01) and line.intercept.value == pytest.approx(30_000, rel=0.02)


def test_two_lines_follow_times_with_a_step_each_with_its_rate() -> None:
    pieces = stepped(200_000).pieces()
    assert pieces and pieces.at.value == 248_000 and pieces.at.interval
    assert (pieces.at.interval.low, pieces.at.interval.high) == (240_000, 256_000)
    assert (pieces.below.high, pieces.above.low) == (240_000, 256_000)
    for line, slope_ns in ((pieces.below, 4), (pieces.above, 3)):
        assert line.slope.interval and line.slope.interval.contains(1.0025 * slope_ns)
    assert stepped(-250_000).pieces(), "a step up breaks a line too"


@pytest.mark.parametrize(("name", "trips_of_a_message"), [("send.card", 0.5), ("read.card", 1.0)])
def test_message_takes_half_a_round_trip_and_a_read_the_whole(
    tmp_path: Path, name: str, trips_of_a_message: float
) -> None:
    evidence = laboratory.evidence_of("latency", tmp_path)
    curve, numbers = round_trips(evidence, evidence.series(name)), Numbers(evidence)
    samples = next(part for part in trips(curve) if part.size == 64)
    for quantile in (0.95, 0.99):
        quantiles = [supported_quantile(repetition, quantile) for repetition in samples.by_repetition]
        whole = median(part.value for part in quantiles if part)
        answer = numbers.ask(f"{name}.p{100 * quantile:.0f} at 64").estimate
        assert all(quantiles) and answer.value == pytest.approx(trips_of_a_message * whole / 1e9)
    message, whole_s = (numbers.ask(f"{name}{measure} at 64").estimate.value for measure in ("", ".rtt"))
    assert message == pytest.approx(trips_of_a_message * whole_s)


CALLS = """
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


@pytest.fixture
def both_ends(make_small_plan: Callable[..., Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """Calls that cost nothing for a byte up to 512 B; each repetition has a luck of its own."""

    class Site(fake_module.FakeSite):
        def run(self, job: Any) -> Any:
            luck: int = job.perturbation.start_delay_ns // 1000 % 7
            monkeypatch.setattr(
                fake_module, "cost", lambda size: 20_000 + 8 * max(size - 512, 0) + 10 * (luck * size % 11)
            )
            return super().run(job)

    plan = make_small_plan(CALLS)
    run_trials(RunSetup(Site(), plan.site, tmp_path), missing([plan], tmp_path)[0], 1, lambda *_: None)
    return gather(plan, tmp_path)


def test_calls_of_an_end_are_answered_and_shown(both_ends: Evidence, tmp_path: Path) -> None:
    numbers = Numbers(both_ends)
    first, middle, spread = (
        numbers.ask(f"mpi[blocking].send.{name} at 1K").estimate for name in ("first_call", "median", "deviation")
    )
    assert first.value == pytest.approx(middle.value) and first.n == 6 and spread.value < 0.1 * middle.value
    knee = numbers.ask("mpi[non-blocking].receive.knee").estimate
    assert knee.interval and knee.interval.contains(512)
    body = laboratory.body_of(both_ends, tmp_path / "report")
    assert r"\claim[3]{mpi[blocking].send at 1} (\texttt{mpi blocking, send})" in body
    assert "mpi non-blocking, receive" in body.replace("-{}", "-") and r"\label{figure:calls}" in body
