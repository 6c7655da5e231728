"""Times of messages: lines through them, round trips, and the calls of each end."""

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
from lab.report.topics.times import round_trips
from lab.run.run import RunSetup, missing, run_trials


def test_message_takes_half_a_round_trip_and_a_read_the_whole(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("latency", tmp_path)
    numbers = Numbers(evidence)
    for name, trips_of_a_message in (("send.card", 0.5), ("read.card", 1.0)):
        for quantile in (0.95, 0.99):
            trips = round_trips(numbers.curve(evidence.series(name), {}), 64)
            whole = median(part.value for repetition in trips if (part := supported_quantile(repetition, quantile)))
            answer = numbers.ask(f"{name}.p{100 * quantile:.0f} at 64").estimate
            assert answer.n == len(trips) and answer.value == pytest.approx(trips_of_a_message * whole / 1e9)
        message, whole_s = (numbers.ask(f"{name}{measure} at 64").estimate.value for measure in ("", ".rtt"))
        assert message == pytest.approx(trips_of_a_message * whole_s)


def test_varied_latency_has_quantiles_at_each_point(tmp_path: Path) -> None:
    series = "trips verbs send latency\nvary.tx_depth = [1, 4]"
    text = laboratory.experiment('sizes = "64"\niterations = 400\nrepetitions = 6', series)
    (tmp_path / "varied.toml").write_text(text)
    numbers = Numbers(laboratory.evidence_of("varied", tmp_path / "results", tmp_path))
    for depth in (1, 4):
        slow, middle = (numbers.ask(f"trips[{depth}]{measure} at 64").estimate for measure in (".p99", ""))
        assert slow.n == middle.n == 6 and slow.value >= middle.value


CALLS = laboratory.experiment(
    'sizes = "1..4K*2,255,257,3K"\niterations = 4\nrepetitions = 6',
    'mpi mpi-tcp send one-way\nvary.calls = ["blocking", "non-blocking"]',
)


@pytest.fixture
def both_ends(make_small_plan: Callable[..., Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    """Calls whose bytes up to 512 B cost nothing; repetitions differ a little."""

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
