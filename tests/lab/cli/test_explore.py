"""The runs of `lab explore`, and what it prints of them; tests/machine/test_explore.py finds a race."""

import threading
from argparse import Namespace
from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite, planned

from lab.cli import explore
from lab.errors import SiteStopped, SpecError
from lab.experiment.reader import read_card
from lab.grade.finding import Flaw
from lab.machine.job import check
from lab.model.trial import Link
from lab.places import EXAMPLES
from lab.plan.plan import Plan, Planned, SiteFacts
from lab.plan.planning import Campaign

SEEDS = range(1, 201)


def plan_of(name: str) -> Plan:
    return planned(EXAMPLES / f"{name}.toml")


@pytest.fixture(scope="module")
def trials() -> list[Planned]:
    plan = plan_of("send_pingpong")
    return [trial for seed in SEEDS for trial in explore.make_trials(plan, ["pingpong"], seed)]


def test_seed_decides_all_of_a_run_and_no_two_runs_are_alike(trials: list[Planned]) -> None:
    plan = plan_of("send_pingpong")
    again = [each.trial for seed in SEEDS for each in explore.make_trials(plan, ["pingpong"], seed)]
    assert again == [each.trial for each in trials]
    assert len({trial.trial.key for trial in trials}) == len({trial.trial.job.perturbation for trial in trials}) == 200


def test_half_of_the_links_lose_packets_and_all_are_possible(trials: list[Planned]) -> None:
    links = [trial.trial.job.link for trial in trials]
    for link in links:
        check(link)
    assert 70 < sum(not link.loss_ppm for link in links) < 130
    assert 50 < sum(link.delay_ns < 20_000 for link in links) < 150
    for name, count in (("loss_ppm", 5), ("loss_seed", 80), ("delay_ns", 80), ("rate_bit_s", 3), ("offload", 2)):
        assert len({getattr(link, name) for link in links}) >= count


def test_runs_are_short_whatever_the_experiment_asks_for(trials: list[Planned]) -> None:
    for trial in trials:
        counts = trial.trial.request.counts
        assert len(counts) == 2 and trial.trial.job.deadline_s == explore.DEADLINE_S
        assert all(each.iterations * each.size <= explore.SIZE_BYTES and each.iterations <= 64 for each in counts)
    assert {each.size for trial in trials for each in trial.trial.request.counts} == {64, 4096, 65536}


def test_card_acknowledges_and_interrupts_later_on_a_longer_wire() -> None:
    card = read_card("qdr").card
    cards = [explore.vary(Link(rate_bit_s=card.rate_bit_s, card=card), seed, 0).card for seed in SEEDS]
    for name in ("wire_ns", "ack_ps", "irq_ps"):
        values = {getattr(each, name) for each in cards}
        assert min(values) >= getattr(card, name) and len(values) > 50


def test_series_of_student_programs_are_chosen_unless_others_are_named() -> None:
    plan = plan_of("plain_verbs")
    chosen = [trial.series.name for trial in explore.make_trials(plan, [], 1)]
    assert chosen == ["plain", "window", "sliding", "signalling", "chains", "sleeping"]
    assert [trial.series.name for trial in explore.make_trials(plan, ["verbs"], 1)] == ["verbs"]
    with pytest.raises(SpecError, match=r"unknown series 'plane'.*expected one of plain, .*try: 'plain'"):
        list(explore.make_trials(plan, ["plane"], 1))
    with pytest.raises(SpecError, match=r"no series has a program of \[programs\] \(try: --series "):
        list(explore.make_trials(plan_of("first_figure"), [], 1))


def test_other_data_than_the_seeds_is_a_failure(monkeypatch: pytest.MonkeyPatch, trials: list[Planned]) -> None:
    faults = [(Flaw.WAY, "another way"), (Flaw.DATA, "other data")]
    monkeypatch.setattr(explore, "watched", lambda *_: (None, faults))
    assert explore.failure(trials[0], FakeSite(), SiteFacts.of(FakeSite())) == "other data"  # type: ignore[arg-type]


def test_interrupted_search_prints_what_it_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of("stale_completion")
    campaign = Campaign(FakeSite(), plan.site, (plan,))

    third_ends = threading.Event()

    def failure(planned: Planned, *_: object) -> str:
        if planned.repetition == 2:
            third_ends.wait()
            raise KeyboardInterrupt
        if planned.repetition > 3:
            raise SiteStopped("stopped")
        if planned.repetition == 1:
            return ""
        third_ends.set()
        return "hangs"

    monkeypatch.setattr(explore, "_open", lambda _: (campaign.site, campaign))
    monkeypatch.setattr(explore, "failure", failure)
    asked = Namespace(experiment=Path("stale_completion"), series=None, seeds=range(1, 9), jobs=2)
    assert explore.explore(asked) == 1
    out, err = capsys.readouterr()
    first, circumstances, last = out.splitlines()
    assert first == "stale_completion:stale:3: hangs" and circumstances.startswith("  sizes=64 ")
    assert last == "1 of 2 runs failed; next: lab replay stale_completion:stale:3" and "interrupted" in err
    asked.seeds = range(2, 3)
    assert explore.explore(asked) == 130
