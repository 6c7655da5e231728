"""The preflight on the fake site, where a message takes 20 us and 4 ns a byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.lab.conftest import OURS, PEERS
from tests.lab.fake_site import FakeSite

from lab.errors import SiteError
from lab.model.parameters import Counts
from lab.model.trial import Outcome
from lab.plan.plan import Plan
from lab.run.estimate import Cost, TimeEstimate
from lab.run.preflight import LONG_RUN, Preflight, is_wanted, preflight
from lab.sites.site import EXACT
from lab.sites.ssh import TwoHosts

Make = Callable[..., Plan]


def fly(plan: Plan, site: Any) -> Preflight:
    found = preflight(site, plan.site, plan.planned)
    assert found is not None
    return found


def test_what_a_message_and_a_byte_take_is_found(make_small_plan: Make, fake_site: FakeSite) -> None:
    cost = fly(make_small_plan(), fake_site).costs["verbs", "write", "throughput"]
    assert (round(cost.message_s * 1e6), round(cost.byte_s * 1e9)) == (20, 4)


def test_the_estimate_is_what_the_run_will_take(make_small_plan: Make, fake_site: FakeSite) -> None:
    plan = make_small_plan()
    (ours, *_) = [each for each in plan.planned if each.series.name == "ours"]
    counts = ours.trial.request.counts
    takes = sum((each.iterations + each.warmup) * (20e-6 + each.size * 4e-9) for each in counts)
    assert TimeEstimate(costs=fly(plan, fake_site).costs).total_s([ours]) == pytest.approx(takes, rel=0.01)


def test_every_kind_of_our_programs_is_tried_and_said(make_small_plan: Make, fake_site: FakeSite) -> None:
    plan = make_small_plan()
    lines = list(fly(plan, fake_site).lines(list(plan.planned)))
    assert lines[0].startswith("preflight: verbs write throughput: 1 MiB verified, 250 MB/s at 1 MiB, 20.0 us")
    assert lines[1].startswith("preflight: tcp send latency: 1 MiB verified")
    assert lines[-1].startswith("preflight: 10 trials, about ")


def test_a_long_run_by_the_clock_on_the_wall_is_tried_first_and_no_other() -> None:
    wall = TwoHosts.traits
    assert is_wanted(wall, LONG_RUN) and not is_wanted(wall, LONG_RUN - 1) and not is_wanted(EXACT, 1000)


def with_rate(rate_bit_s: int) -> Callable[[Outcome], Outcome]:
    return lambda outcome: replace(outcome, state={"client": {"rate_bit_s": rate_bit_s}})


def test_more_than_the_link_can_carry_is_refused(make_small_plan: Make, fake_site: FakeSite) -> None:
    fake_site.change = with_rate(10**9)
    with pytest.raises(
        SiteError, match=r"preflight of verbs: .* 2488\d* B/s, but the link carries 125000000 B/s at most"
    ):
        fly(make_small_plan(), fake_site)


def test_much_less_than_the_link_can_carry_is_asked_about(make_small_plan: Make, fake_site: FakeSite) -> None:
    fake_site.change = with_rate(400 * 10**9)
    plan = make_small_plan()
    assert any("is it the right link?" in line for line in fly(plan, fake_site).lines(list(plan.planned)))


def test_a_trial_that_would_end_at_its_deadline_is_told_beforehand(make_small_plan: Make, fake_site: FakeSite) -> None:
    text = (PEERS + OURS).replace("iterations = 40", "iterations = 250_000\ndeadline_s = 100")
    plan = make_small_plan(text.replace("vary.tx", "parameters = { until_stable = 1 }\nvary.tx"))
    (line,) = [line for line in fly(plan, fake_site).lines(list(plan.planned)) if "its deadline is" in line]
    assert line.startswith(
        "preflight: a trial of ours takes about 157 s, and its deadline is 100 s (try: deadline_s = 3"
    )


def test_a_size_that_is_over_too_soon_costs_its_least_time_as_well() -> None:
    counts = (Counts(1, 1000, 0), Counts(2, 10**6, 0))  # 0.02 s and 20 s
    assert Cost(20e-6, 0.0, 0.5).of(counts, least_time_s=1) == pytest.approx(0.5 + 0.02 + 1.1 + 20)


def test_a_peer_that_starts_for_each_size_sends_no_more_for_it(make_small_plan: Make) -> None:
    plan = make_small_plan()
    ours, peer = (next(each for each in plan.planned if each.series.name == name) for name in ("ours", "peer"))
    found = TimeEstimate(costs={("verbs", "write", "throughput"): Cost(20e-6, 4e-9, 1.0)})
    assert found.trial_s(peer) == pytest.approx(found.trial_s(ours) + 5 - 500 * 6 * 20e-6, rel=0.01)


def test_a_link_that_carries_nothing_is_one_sentence(make_small_plan: Make, fake_site: FakeSite) -> None:
    fake_site.change = lambda outcome: replace(
        outcome, steps=tuple(replace(each, client_status=1, client_err="no route") for each in outcome.steps)
    )
    with pytest.raises(SiteError, match=r"^preflight of verbs: .*no route.*lab doctor"):
        fly(make_small_plan(), fake_site)


def test_peers_alone_have_no_preflight(make_small_plan: Make, fake_site: FakeSite) -> None:
    plan = make_small_plan(PEERS)
    assert preflight(fake_site, plan.site, plan.planned) is None
