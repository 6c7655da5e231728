"""Lines: lab.report.{topics,pictures,tables}.lines, lab.report.topics.latency, lab.report.tables.parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite

from lab.plan.plan import Plan
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pictures import pictures
from lab.report.tables.lines import fit_table, published_fit_table
from lab.report.tables.parameters import constants, divided_by
from lab.report.tex.units import in_words
from lab.report.topics.latency import LineBeside, lines_beside
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


def test_a_line_is_held_against_the_smallest_message_beside_it(evidence: Evidence) -> None:
    whole, upper = lines_beside(evidence)
    rate = whole.times.rate()
    assert rate and rate.estimate.value == pytest.approx(250e6)
    assert rate.estimate.value > whole.times.fastest()[0] == pytest.approx(96_000 / 404_000 * 1e9)
    assert whole.small_ns().value == pytest.approx(20_004) and upper.times.sizes[0] == 64_000
    table = fit_table(evidence)
    assert (table.series, [row[-1] for row in table.rows]) == (("large", "small"), ["no", "no"])


def curved(evidence: Evidence, step_ns: float) -> LineBeside:
    """The small messages, and large ones that all take a step longer."""
    whole = next(lines_beside(evidence))
    rows = tuple(tuple(time + step_ns + place for time in row) for place, row in enumerate(whole.times.rows))
    return replace(whole, times=replace(whole.times, rows=rows))


def test_an_intercept_agrees_only_with_what_a_small_message_took(evidence: Evidence) -> None:
    assert curved(evidence, 3).agrees() and not curved(evidence, 9_000).agrees()


def stepped(evidence: Evidence, save_ns: float) -> Times:
    """Times of the large messages that fall by so much at a size; every repetition is a little slower or faster."""
    times = next(lines_beside(evidence)).times
    sizes = tuple(float(size) for size in range(16_000, 496_000, 16_000))
    costs = [30_000 + 4 * size - (save_ns + size if size > 250_000 else 0) for size in sizes]
    rows = tuple(
        tuple(cost * (1 + place / 1000) + 31 * (size % 7) for cost, size in zip(costs, sizes, strict=True))
        for place in range(6)
    )
    return replace(times, sizes=sizes, rows=rows)


def test_two_lines_follow_times_with_a_step_each_with_its_rate(evidence: Evidence) -> None:
    times = stepped(evidence, 200_000)
    pieces, (below, above) = times.pieces(), times.parts()
    assert pieces and pieces.at.value == 248_000 and pieces.at.interval
    assert (pieces.at.interval.low, pieces.at.interval.high) == (below.sizes[-1], above.sizes[0]) == (240_000, 256_000)
    for part, rate in ((below, 250e6), (above, 1e9 / 3)):
        found = part.rate()
        assert found and found.estimate.interval and found.estimate.interval.contains(rate / 1.0025)
    assert stepped(evidence, -250_000).pieces(), "a step up breaks a line too"


def test_a_line_that_falls_with_the_size_gives_no_rate(evidence: Evidence) -> None:
    times = stepped(evidence, 0)
    falling = replace(times, rows=tuple(tuple(900_000 - size for size in times.sizes) for _ in range(6)))
    assert falling.rate() is None and falling.pieces() is None


def test_published_times_are_marked_as_another_machines(evidence: Evidence) -> None:
    experiment = replace(evidence.plan.experiment, name="mpi_bandwidth_latency")
    found = replace(evidence, plan=replace(evidence.plan, experiment=experiment))
    (drawn,) = (sketch for sketch in pictures(found) if sketch.name == "report_c.fit")
    assert (drawn.machine, drawn.data.site) == ("two nodes with 56 Gbit/s InfiniBand", "another machine")
    assert [row[3] for row in published_fit_table(found).rows] == ["1", "1"]


def test_a_size_that_was_chosen_decimal_is_printed_so() -> None:
    assert [in_words(size) for size in (1, 1536, 4096, 4000, 16_000_000)] == ["1 B", "1536 B", "4 KiB", "4 kB", "16 MB"]
