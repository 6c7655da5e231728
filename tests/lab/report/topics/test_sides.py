"""The calls of each end: lab.report.{topics,pictures,tables}.sides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module

from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pictures import pictures
from lab.report.tables.sides import ROWS, probe_tables, size_tables, verdict
from lab.report.topics.sides import SideCurve, all_sides, leap_of
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
NEVER = 1 << 20


@pytest.fixture
def evidence(
    make_small_plan: Callable[..., Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Evidence]:
    """On a site whose messages cost nothing for a byte up to this size; each repetition has a luck of its own. Beyond
    another size, each costs as much again."""

    def make(knee: int, leap: int = NEVER) -> Evidence:
        class Site(fake_module.FakeSite):
            def run(self, job: Any) -> Any:
                luck: int = job.perturbation.start_delay_ns // 1000 % 7

                def cost(size: int) -> int:
                    above = BYTE_NS * max(size - knee, 0) + MESSAGE_NS * (size > leap)
                    return MESSAGE_NS + above + 10 * (luck * size % 11)

                monkeypatch.setattr(fake_module, "cost", cost)
                return super().run(job)

        plan = make_small_plan(EXPERIMENT)
        run_trials(RunSetup(Site(), plan.site, tmp_path), missing([plan], tmp_path)[0], 1, lambda *_: None)
        return gather(plan, tmp_path)

    return make


def by_name(evidence: Evidence) -> dict[str, SideCurve]:
    return {side.name: side for side in all_sides(evidence)["mpi"]}


def test_a_knee_has_an_interval_a_mean_below_and_a_rate_above(evidence: Callable[..., Evidence]) -> None:
    found = by_name(evidence(KNEE))
    send, receive = found["mpi.blocking.send"], found["mpi.blocking.receive"]
    knee, above = send.knee, (send.above(), receive.above())
    assert knee and knee.interval and knee.interval.contains(KNEE) and knee.interval.width < 40
    assert send.below().estimate.value == pytest.approx(MESSAGE_NS / 1e9, rel=0.01)
    assert [rate and rate.estimate.value for rate in above] == [
        pytest.approx(1e9 / BYTE_NS / times, rel=0.01) for times in (1, 1.2)
    ]


@pytest.mark.parametrize(("leap", "absent"), [(NEVER, "none"), (256, "step, 256 to 257")], ids=["flat", "leap"])
def test_without_a_knee_the_mean_is_of_all_sizes_or_of_those_up_to_a_leap(
    evidence: Callable[..., Evidence], leap: int, absent: str
) -> None:
    for side in by_name(evidence(NEVER, leap)).values():
        assert side.knee is None and ROWS[1].of(side) is None and ROWS[1].absent(side) == absent
        longer = 1.2 if side.side == "receive" else 1.0
        assert side.below().estimate.value == pytest.approx(longer * MESSAGE_NS / 1e9, rel=0.01)
        assert (side.leap is None) is (leap == NEVER)
        if side.leap:
            assert side.leap[:2] == (256, 257) and side.leap[2].value == pytest.approx(2, rel=0.05)


def test_a_cost_of_each_byte_is_no_leap(evidence: Callable[..., Evidence]) -> None:
    assert [leap_of(side.curve) for side in by_name(evidence(0)).values()] == [None] * 4


def test_every_size_has_mean_deviation_and_median_of_each_end(evidence: Callable[..., Evidence]) -> None:
    found = evidence(KNEE)
    tables = {str(each.name): each.table for each in size_tables(found)}
    assert set(tables) == {"mpi.send", "mpi.receive"}
    assert {len(row) for row in tables["mpi.send"].rows} == {1 + 2 * 3}
    assert len(tables["mpi.send"].rows) == len(found.plan.experiment.series[0].published.sizes)


def test_a_byte_less_and_a_byte_more_are_held_together(evidence: Callable[..., Evidence]) -> None:
    (only,) = probe_tables(evidence(KNEE))
    assert [str(head) for head in only.table.heads] == [r"\qty{256}{\byte}"] and len(only.table.rows) == 4


def test_two_calls_differ_only_where_their_intervals_do_not_overlap(evidence: Callable[..., Evidence]) -> None:
    found = by_name(evidence(KNEE))
    send, receive = found["mpi.blocking.send"].below(), found["mpi.blocking.receive"].below()
    verdicts = [verdict([send, receive]), verdict([send, send]), verdict([send, None]), verdict([send, receive], 9.0)]
    assert verdicts == ["yes", "can't tell", "can't tell", r"under \qty{900}{\percent}"]


def test_a_figure_shows_both_ends_and_another_the_line_from_the_knee_on(evidence: Callable[..., Evidence]) -> None:
    drawn = {each.name: each.data for each in pictures(evidence(KNEE))}
    assert [curve.label for curve in drawn["sides.mpi"].curves][:2] == ["send, blocking", "receive, blocking"]
    assert min(drawn["mpi.blocking.send.fit"].x) >= KNEE / 2
