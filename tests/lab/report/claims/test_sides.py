"""Each end's own calls: lab.report.{draft,pictures,tables}.sides, lab.report.claims.{calls,leaps,published_values}."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import fake_site as fake_module
from tests.lab.report import laboratory

from lab.analysis.estimate import Estimate, Interval
from lab.plan.plan import Plan
from lab.report.check.text import refused
from lab.report.claim import Claim
from lab.report.claims.calls import calls_claims
from lab.report.claims.constants import divided_by
from lab.report.claims.ledger import make_claims, make_ledger
from lab.report.claims.published_values import published_values
from lab.report.claims.sides import series_of_sides, sides
from lab.report.draft.draft import draft
from lab.report.draft.sides import size_by_size
from lab.report.evidence.evidence import Evidence, gather
from lab.report.pictures import pictures
from lab.report.tables.sides import ROWS, probe_tables, size_tables, verdict
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

    def make(knee: int, leap: int = NEVER, late: int = 0) -> Evidence:
        class Site(fake_module.FakeSite):
            def run(self, job: Any) -> Any:
                luck: int = job.perturbation.start_delay_ns // 1000 % 7
                extra = late * ("non-blocking" in job.steps[0].client)

                def cost(size: int) -> int:
                    above = BYTE_NS * max(size - knee, 0) + MESSAGE_NS * (size > leap)
                    return MESSAGE_NS + extra + above + 10 * (luck * size % 11)

                monkeypatch.setattr(fake_module, "cost", cost)
                return super().run(job)

        plan = make_small_plan(EXPERIMENT)
        run_trials(RunSetup(Site(), plan.site, tmp_path), missing([plan], tmp_path)[0], 1, lambda *_: None)
        return gather(plan, tmp_path)

    return make


def test_a_knee_has_an_interval_a_mean_below_and_a_rate_above(evidence: Callable[..., Evidence]) -> None:
    ledger = make_ledger(evidence(KNEE))
    knee = ledger["mpi.blocking.send.knee"].estimate
    assert knee.interval is not None and knee.interval.contains(KNEE) and knee.interval.width < 40
    assert ledger["mpi.blocking.send.below"].estimate.value == pytest.approx(MESSAGE_NS / 1e9, rel=0.01)
    assert ledger["mpi.blocking.send.above"].estimate.value == pytest.approx(1e9 / BYTE_NS, rel=0.01)
    assert ledger["mpi.blocking.receive.above"].estimate.value == pytest.approx(1e9 / BYTE_NS / 1.2, rel=0.01)


def test_without_a_knee_all_sizes_are_taken_and_the_draft_says_so(evidence: Callable[..., Evidence]) -> None:
    found = evidence(1 << 20)
    ledger = make_ledger(found)
    assert "mpi.blocking.send.knee" not in ledger
    assert "of all sizes, since there is no knee" in ledger["mpi.blocking.send.below"].meaning
    text = draft(make_claims(found))
    assert "neither has a knee that the data support" in text and "the data cannot tell the two calls apart" in text
    assert list(refused(text, "draft", ledger)) == []


def test_every_size_has_mean_deviation_and_median_of_each_end(evidence: Callable[..., Evidence]) -> None:
    found = evidence(KNEE)
    tables = {str(each.name): each.table for each in size_tables(make_claims(found))}
    assert set(tables) == {"mpi.send", "mpi.receive"}
    assert {len(row) for row in tables["mpi.send"].rows} == {1 + 2 * 3}
    assert len(tables["mpi.send"].rows) == len(found.plan.experiment.series[0].published.sizes)


def test_a_byte_less_and_a_byte_more_are_held_together(evidence: Callable[..., Evidence]) -> None:
    found = evidence(KNEE)
    (only,) = probe_tables(make_claims(found))
    table = only.table
    assert [str(head) for head in table.heads] == [r"\qty{256}{\byte}"] and len(table.rows) == 4


def test_two_calls_differ_only_where_their_intervals_do_not_overlap(evidence: Callable[..., Evidence]) -> None:
    ledger = make_ledger(evidence(KNEE))
    below, above = ledger["mpi.blocking.send.below"], ledger["mpi.blocking.receive.below"]
    assert (verdict([below, above]), verdict([below, below]), verdict([below, None])) == (
        "yes",
        "can't tell",
        "can't tell",
    )
    assert verdict([below, above], margin=9.0) == r"under \qty{900}{\percent}"  # told apart, by too little to matter


def test_a_figure_shows_both_ends_and_one_the_line_from_the_knee_on(evidence: Callable[..., Evidence]) -> None:
    found = evidence(KNEE)
    drawn = {each.name: each.data for each in pictures(make_claims(found))}
    assert [curve.label for curve in drawn["sides.mpi"].curves][:2] == ["send, blocking", "receive, blocking"]
    assert min(drawn["mpi.blocking.send.fit"].x) >= KNEE / 2
    assert len(list(sides(found, series_of_sides(found)[0]))) == 4


def test_a_site_without_sizes_of_its_own_has_the_published_ones(evidence: Callable[..., Evidence]) -> None:
    ledger = make_ledger(evidence(KNEE))
    names = ("scale", "largest.size", "published.largest.size")
    assert [ledger[name].estimate.value for name in names] == [1, 4096, 4096]


def test_sizes_are_divided_by_what_makes_each_of_them_a_published_one() -> None:
    published = tuple(range(16_000_000, 2_144_000_001, 16_000_000))
    assert divided_by(published, tuple(range(16_000, 528_001, 16_000))) == 4000  # every fourth
    assert divided_by(published, published) == 1
    assert divided_by((1, 2, 4, 8), (3, 5)) == 8 / 5


def test_published_values_come_in_base_units_with_their_file() -> None:
    (found,) = published_values("mpi_blocking_nonblocking")
    claims = {claim.name: claim for claim in found}
    assert len(claims) == 12
    assert claims["report_d.blocking.send_latency"].estimate.value == pytest.approx(310.15e-6)
    assert claims["report_d.nonblocking.receive_bandwidth"].estimate.value == pytest.approx(44.93e6)
    assert claims["report_d.blocking.send_buffer_size"].source.endswith("published/mpi_blocking_nonblocking.csv")


def test_a_time_that_grows_at_once_has_no_knee_and_the_sizes_between_which_it_does(
    evidence: Callable[..., Evidence],
) -> None:
    found = evidence(NEVER, 256)
    claims = make_claims(found)
    ledger = claims.ledger
    assert "mpi.blocking.send.knee" not in ledger
    assert [ledger[f"mpi.blocking.send.leap.{end}"].estimate.value for end in ("from", "to")] == [256, 257]
    assert ledger["mpi.blocking.send.leap"].estimate.value == pytest.approx(2, rel=0.05)
    assert ledger["mpi.blocking.send.below"].estimate.value == pytest.approx(MESSAGE_NS / 1e9, rel=0.01)
    text = draft(claims)
    assert "a step, not a change of slope" in text and list(refused(text, "draft", ledger)) == []
    assert ROWS[1].absent(claims.sides["mpi"][0]) == "step, 256 to 257"


def test_a_cost_of_each_byte_is_no_leap(evidence: Callable[..., Evidence]) -> None:
    assert not [name for name in make_ledger(evidence(0)) if ".leap" in name]


def test_two_calls_are_held_against_each_other_at_each_size(evidence: Callable[..., Evidence]) -> None:
    claims = make_claims(evidence(NEVER))
    assert [(each.end, each.apart.estimate.value) for each in claims.calls["mpi"]] == [("send", 0), ("receive", 0)]
    assert "At no single size do their intervals leave a gap." in draft(claims)

    def slower(each: Claim) -> Claim:
        if each.name not in ("mpi.non-blocking.send.1K.mean", "mpi.non-blocking.send.2K.mean"):
            return each
        value = each.estimate.value * 2
        return replace(each, estimate=Estimate(value, Interval(value * 0.99, value * 1.01), 6))

    sides: Any = laboratory.changed(claims, slower).sides["mpi"]
    (send, _) = calls_claims(sides)
    assert (send.apart.estimate.value, send.longer.estimate.value) == (2, 2)
    text = size_by_size(send)
    assert r"a gap at \claim{mpi.send.apart} of" in text and text.endswith("the non-blocking send takes longer.")
    assert list(refused(text, "draft", claims.ledger)) == []


def test_what_one_call_takes_more_than_the_other_is_said(evidence: Callable[..., Evidence]) -> None:
    claims = make_claims(evidence(NEVER, late=200))
    (send, _) = claims.calls["mpi"]
    assert send.difference.estimate.value == pytest.approx(200e-9, rel=0.05) and send.is_longer
    text = draft(claims)
    assert r"a non-blocking send of MPI over TCP takes \claim{mpi.send.difference} more than a blocking one." in text
    assert list(refused(text, "draft", claims.ledger)) == []
    lie = text.replace("difference} more", "difference} less")
    assert [each for each in refused(lie, "draft", claims.ledger) if "the times say otherwise" in str(each)]
