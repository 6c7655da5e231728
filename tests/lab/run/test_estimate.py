"""The time that trials take, by guesses, records and a preflight on the fake site: 20 us a message and 4 ns a byte."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.conftest import OURS, PEERS
from tests.lab.fake_site import FakeSite

from lab.errors import SiteError
from lab.model.trial import Job, Outcome
from lab.plan.plan import Plan
from lab.run.estimate import LONG_RUN, TimeEstimate, is_wanted, preflight
from lab.run.run import RunSetup, missing, run_trials
from lab.sites.site import EXACT
from lab.sites.ssh import LinkOfHosts

Make = Callable[..., Plan]


def lines(plan: Plan, site: FakeSite) -> list[str]:
    return list(preflight(site, plan.site, plan.planned))


def test_without_records_the_number_of_processes_decides(make_small_plan: Make) -> None:
    peer, ours = make_small_plan().planned[0], make_small_plan().planned[-1]
    assert (len(peer.trial.job.steps), len(ours.trial.job.steps)) == (6, 1)
    assert (TimeEstimate().trial_s(peer), TimeEstimate().trial_s(ours)) == (8, 3)
    assert TimeEstimate().total_s([peer, ours], jobs=2) == 5.5


def test_records_of_a_series_decide_for_its_other_trials(make_small_plan: Make, tmp_path: Path) -> None:
    plan = make_small_plan()
    todo, _ = missing([plan], tmp_path)
    run_trials(RunSetup(FakeSite(0.01), plan.site, tmp_path), todo[:5], 2, lambda *_: None)
    left, _ = missing([plan], tmp_path)
    assert 0 < TimeEstimate(plan.planned, tmp_path).total_s(left) < 1


def test_preflight_reports_every_kind_of_the_labs_programs(make_small_plan: Make, fake_site: FakeSite) -> None:
    first, second, *_ = lines(make_small_plan(), fake_site)
    assert first.startswith("preflight: verbs write throughput: 1 MiB verified, 250 MB/s at 1 MiB, 20.0 us")
    assert second.startswith("preflight: tcp send latency: 1 MiB verified")
    peers = make_small_plan(PEERS)
    assert not lines(peers, fake_site)


def test_preflight_checks_bytes_in_one_direction_on_one_queue_pair(make_small_plan: Make) -> None:
    """Else the program would refuse to check them."""
    asked = "parameters = { pairs = 4, both = true, duration_s = 2 }\nvary.tx_depth"
    site, commands = FakeSite(), list[str]()

    def run(job: Job) -> Outcome:
        commands.extend(" ".join(step.client) for step in job.steps)
        return FakeSite.run(site, job)

    site.run = run  # type: ignore[method-assign]
    lines(make_small_plan(PEERS + OURS.replace("vary.tx_depth", asked)), site)
    assert commands and not any(word in text for text in commands for word in ("--pairs", "--both", "--duration"))


def test_only_a_long_run_on_a_wall_clock_has_a_preflight() -> None:
    wall = LinkOfHosts.traits
    assert is_wanted(wall, LONG_RUN) and not is_wanted(wall, LONG_RUN - 1) and not is_wanted(EXACT, 1000)


def with_rate(rate_bit_s: int) -> Callable[[Outcome], Outcome]:
    return lambda outcome: replace(outcome, state={"client": {"rate_bit_s": rate_bit_s}})


def test_rate_far_from_the_links_is_refused_or_asked_about(make_small_plan: Make, fake_site: FakeSite) -> None:
    fake_site.change = with_rate(400 * 10**9)
    assert any("is it the right link?" in line for line in lines(make_small_plan(), fake_site))
    fake_site.change = with_rate(10**9)
    limit = r"preflight of verbs: .* 2488\d* B/s, but the link carries 125000000 B/s at most"
    with pytest.raises(SiteError, match=limit):
        lines(make_small_plan(), fake_site)


def test_link_that_carries_nothing_is_one_sentence(make_small_plan: Make, fake_site: FakeSite) -> None:
    fake_site.change = lambda outcome: replace(
        outcome, steps=tuple(replace(step, client_status=1, client_err="no route") for step in outcome.steps)
    )
    with pytest.raises(SiteError, match=r"^preflight of verbs: .*no route.*lab doctor"):
        lines(make_small_plan(), fake_site)
