"""Lines: lab.report.topics.lines, lab.report.evidence.parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.parameters import constants, divided_by
from lab.report.tex.numbers import in_words
from lab.report.topics.latency import round_trips, trip_times
from lab.report.topics.lines import Times
from lab.run.run import RunSetup, missing, run_trials

EXPERIMENT = """
title = "Large and small messages on a fake link"
question = "Is an intercept a latency?"
[parameters]
sizes = "16000000..96000000+16000000"
iterations = 4
repetitions = 6
[profile.exact]
why = "divided by 1000"
sizes = "16000..96000+16000"
[[series]]
name = "large"
program = "mpi-tcp"
operation = "send"
measure = "latency"
[[series]]
name = "small"
program = "mpi-tcp"
operation = "send"
measure = "latency"
parameters = { sizes = "1..4K*4" }
"""


@pytest.fixture
def evidence(make_small_plan: Callable[..., Plan], fake_site: FakeSite, tmp_path: Path) -> Evidence:
    plan = make_small_plan(EXPERIMENT)
    run_trials(RunSetup(fake_site, plan.site, tmp_path), missing([plan], tmp_path)[0], 2, lambda *_: None)
    return gather(plan, tmp_path)


def test_the_sites_own_sizes_have_a_factor_to_the_published(evidence: Evidence) -> None:
    found = constants(evidence)
    assert found["scale"] == r"\labnum{1000}" and found["published_largest"] == r"\qty{96}{\mega\byte}"
    assert (found["smallest"], found["largest"]) == (r"\qty{16}{\kilo\byte}", r"\qty{96}{\kilo\byte}")


def test_sizes_are_divided_by_what_makes_each_of_them_a_published_one() -> None:
    published = tuple(range(16_000_000, 2_144_000_001, 16_000_000))
    assert divided_by(published, tuple(range(16_000, 528_001, 16_000))) == 4000  # every fourth
    assert divided_by(published, published) == 1
    assert divided_by((1, 2, 4, 8), (3, 5)) == 8 / 5


def times_of(evidence: Evidence) -> Times:
    return trip_times(round_trips(evidence, evidence.series("large")))


def test_a_line_has_the_rate_and_the_fixed_cost_of_its_messages(evidence: Evidence) -> None:
    times = times_of(evidence)
    rate, line = times.rate(), times.between(64_000, 96_000).line()
    assert rate and rate.estimate.value == pytest.approx(250e6)
    assert (line.low, line.high) == (64_000, 96_000) and line.intercept.value == pytest.approx(20_000)


def stepped(evidence: Evidence, save_ns: float) -> Times:
    """Times of the large messages that fall by so much at a size; every repetition is a little slower or faster."""
    times = times_of(evidence)
    sizes = tuple(float(size) for size in range(16_000, 496_000, 16_000))
    costs = [30_000 + 4 * size - (save_ns + size if size > 250_000 else 0) for size in sizes]
    rows = tuple(
        tuple(cost * (1 + place / 1000) + 31 * (size % 7) for cost, size in zip(costs, sizes, strict=True))
        for place in range(6)
    )
    return replace(times, sizes=sizes, rows=rows)


def test_two_lines_follow_times_with_a_step_each_with_its_rate(evidence: Evidence) -> None:
    times = stepped(evidence, 200_000)
    pieces = times.pieces()
    assert pieces and pieces.at.value == 248_000 and pieces.at.interval
    assert (pieces.at.interval.low, pieces.at.interval.high) == (240_000, 256_000)
    assert (pieces.below.high, pieces.above.low) == (240_000, 256_000)
    for line, slope_ns in ((pieces.below, 4), (pieces.above, 3)):
        assert line.slope.interval and line.slope.interval.contains(1.0025 * slope_ns)
    assert stepped(evidence, -250_000).pieces(), "a step up breaks a line too"


def test_a_line_that_falls_with_the_size_gives_no_rate(evidence: Evidence) -> None:
    times = stepped(evidence, 0)
    falling = replace(times, rows=tuple(tuple(900_000 - size for size in times.sizes) for _ in range(6)))
    assert falling.rate() is None and falling.pieces() is None


def test_a_size_that_was_chosen_decimal_is_printed_so() -> None:
    assert [in_words(size) for size in (1, 1536, 4096, 4000, 16_000_000)] == ["1 B", "1536 B", "4 KiB", "4 kB", "16 MB"]
