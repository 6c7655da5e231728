"""The trials of an experiment, and their keys: lab.plan.plan, lab.model.trial."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab.conftest import PEERS

from lab.errors import SpecError
from lab.experiment.reader import load
from lab.model.trial import Perturbation
from lab.places import EXPERIMENTS, SET_CLOCK
from lab.plan import plan
from lab.plan.plan import ENVIRONMENT_BYTES, START_DELAY_NS, Plan, SiteFacts, binaries, make_plan, perturb, shuffle
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Traits

Make = Callable[..., Plan]


def keys(plan: Plan) -> list[str]:
    return [each.trial.key for each in plan.planned]


def test_every_point_and_repetition_is_a_trial_of_its_own(make_small_plan: Make) -> None:
    plan = make_small_plan()
    assert len(plan.planned) == 2 + 2 + 2 * 2 + 2 and len(set(keys(plan))) == len(plan.planned)


def test_the_same_plan_has_the_same_keys(make_small_plan: Make) -> None:
    assert keys(make_small_plan()) == keys(make_small_plan())


def test_a_key_is_what_it_has_always_been(make_small_plan: Make) -> None:
    """A change of this value makes every record unknown: FORMAT must go up with it."""
    assert keys(make_small_plan())[0][:16] == "de91d939f3089758"


def test_another_program_changes_the_keys_of_its_trials_only(make_small_plan: Make) -> None:
    one, other = keys(make_small_plan()), keys(make_small_plan(digest="e"))
    assert one[:4] == other[:4] and not set(one[4:]) & set(other[4:])


def test_what_shuts_a_students_own_program_in_is_a_part_of_its_keys_only(
    facts: SiteFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = load(EXPERIMENTS / "examples" / "plain_verbs.toml")

    def planned() -> dict[bool, set[str]]:
        made = make_plan(experiment, facts, dict.fromkeys(binaries([experiment]), "d")).planned
        assert all(each.trial.job.stranger == (each.series.program == "plain") for each in made)
        return {own: {each.trial.key for each in made if each.trial.job.stranger == own} for own in (True, False)}

    before = planned()
    other = tmp_path / "stranger"
    other.write_text("exec other")
    monkeypatch.setattr(plan, "STRANGER", other)
    after = planned()
    assert after[False] == before[False] and not after[True] & before[True]


MODELLED = """
[[series]]
name = "gigabit"
program = "tcp"
operation = "send"
measure = "throughput"
link = { rate_bit_s = 1_000_000_000 }
"""


@pytest.mark.parametrize(("traits", "left_out"), [(EXACT, ()), (Cable.traits, ()), (OwnDevices.traits, ("gigabit",))])
def test_what_models_a_link_is_left_out_where_the_link_is_real(
    experiment_file: Callable[[str], Path],
    facts: SiteFacts,
    traits: Traits,
    left_out: tuple[str, ...],
) -> None:
    plan = make_plan(load(experiment_file(PEERS + MODELLED)), replace(facts, traits=traits), defaultdict(str))
    assert plan.experiment.left_out == left_out
    assert {each.series.name for each in plan.planned} == {"peer", "iperf", "gigabit"} - {*left_out}


def test_an_experiment_of_nothing_but_models_is_refused_on_a_real_link(
    experiment_file: Callable[[str], Path], facts: SiteFacts
) -> None:
    only = load(experiment_file(PEERS[: PEERS.index("[[series]]")] + MODELLED))
    with pytest.raises(SpecError, match="every series models a link"):
        make_plan(only, replace(facts, traits=OwnDevices.traits), defaultdict(str))


APART = MODELLED.replace("rate_bit_s = 1_000_000_000", "clock_offset_ns = -5, clock_drift_ppm = 20")


def test_a_link_that_sets_the_servers_clock_brings_the_program_for_it(
    experiment_file: Callable[[str], Path], facts: SiteFacts
) -> None:
    experiment = load(experiment_file(PEERS + APART))
    planned = make_plan(experiment, replace(facts, traits=EXACT), defaultdict(str)).planned
    assert SET_CLOCK in binaries([experiment])
    assert {each.series.name for each in planned if SET_CLOCK.name in each.trial.programs} == {"gigabit"}


def test_one_clock_is_not_set_apart_from_itself(experiment_file: Callable[[str], Path], facts: SiteFacts) -> None:
    experiment = load(experiment_file(PEERS + APART))
    with pytest.raises(SpecError, match="both ends have the same one"):
        make_plan(experiment, replace(facts, traits=Cable.traits), defaultdict(str))
    assert make_plan(experiment, replace(facts, traits=OwnDevices.traits), defaultdict(str)).experiment.left_out


def test_another_site_changes_all_keys(make_small_plan: Make, facts: SiteFacts) -> None:
    plan = make_small_plan()
    other = make_plan(
        plan.experiment, replace(facts, identity={"site": "other"}), dict.fromkeys(binaries([plan.experiment]), "d")
    )
    assert not set(keys(plan)) & set(keys(other))


def test_two_experiments_share_the_trials_that_are_equal(make_small_plan: Make) -> None:
    from_one = make_small_plan()
    renamed = 'title = "x"' + make_small_plan().experiment.file.read_text().partition('link"')[2]
    assert keys(make_small_plan(renamed)) == keys(from_one)


def test_trials_start_with_the_first_repetitions(make_small_plan: Make) -> None:
    plan = make_small_plan()
    repetition = {each.trial.key: each.repetition for each in plan.planned}
    order = [repetition[key] for key in plan.trials()]
    assert order == sorted(order)


def test_repetitions_start_elsewhere_and_go_in_another_order() -> None:
    sizes = tuple(2**power for power in range(21))
    orders = {shuffle(sizes, repetition) for repetition in range(1, 11)}
    assert len(orders) == 10 and all(set(order) == set(sizes) for order in orders)
    starts = {perturb(repetition) for repetition in range(1, 11)}
    assert len(starts) == 10
    assert all(each.start_delay_ns < START_DELAY_NS and each.environment_bytes < ENVIRONMENT_BYTES for each in starts)


def test_a_perturbation_is_the_same_in_every_version_of_python() -> None:
    assert perturb(1) == Perturbation(7442573, 606)
    assert shuffle(range(1, 6), 1) == (1, 5, 4, 2, 3)


def test_the_token_is_a_secret_of_the_trial(make_small_plan: Make) -> None:
    tokens = {each.trial.job.environment for each in make_small_plan().planned}
    assert len(tokens) == 10


def test_a_token_follows_from_the_key_only_where_a_trial_must_repeat_itself(
    experiment_file: Callable[[str], Path], facts: SiteFacts
) -> None:
    def tokens(traits: Traits) -> list[str]:
        plan = make_plan(load(experiment_file(PEERS)), replace(facts, traits=traits), defaultdict(str))
        return [dict(each.trial.job.environment)["LAB_TOKEN"] for each in plan.planned]

    assert tokens(EXACT) == tokens(EXACT)
    assert not {*tokens(OwnDevices.traits)} & {*tokens(OwnDevices.traits)}
    assert {len(each) for each in (*tokens(EXACT), *tokens(OwnDevices.traits))} == {32}


def test_two_experiments_of_the_repository_share_their_common_trials(facts: SiteFacts) -> None:
    def plan_of(name: str) -> Plan:
        experiment = load(EXPERIMENTS / name)
        return make_plan(experiment, facts, dict.fromkeys(binaries([experiment]), "d"))

    throughput, parameters = plan_of("verbs_throughput.toml"), plan_of("write_parameters.toml")
    shared = {each.name for each in throughput.experiment.series} & {each.name for each in parameters.experiment.series}
    over_card = {"card", "card.inline", "tcp.card", "soft.card", "ib_write_bw.card"}
    assert shared == {"verbs", "tcp", "ib_write_bw", "iperf3", "verbs.single", "tcp.nodelay"} | over_card
    common = {each.trial.key for each in throughput.planned if each.series.name in shared}
    assert common < set(keys(parameters))


def test_paths_do_not_enter_the_key(make_small_plan: Make, monkeypatch: Any) -> None:
    before = keys(make_small_plan())
    monkeypatch.setattr("lab.plan.plan.kept_binary", lambda name, _: Path("/elsewhere") / name)
    assert keys(make_small_plan()) == before


LASTING = """
[[series]]
name = "lasting"
program = "tcp"
operation = "send"
measure = "throughput"
{}
"""


@pytest.mark.parametrize(
    ("own", "on_exact", "elsewhere"),
    [
        ('parameters = { wait = "event", least_time_s = "auto" }', 0, 1),
        ('parameters = { wait = "event", least_time_s = 3 }', 3, 3),
        ('parameters = { wait = "event", least_time_s = 0 }', 0, 0),
        ('parameters = { wait = "event", verify = true }', 0, 0),
        ('parameters = { wait = "event", until_stable = 1 }', 0, 0),
        ('parameters.wait = "event"\nvary.iterations = [100, 200]', 0, 0),
    ],
)
def test_by_a_clock_on_the_wall_a_size_lasts_for_a_second_unless_who_asks_says_how_often(
    experiment_file: Callable[[str], Path], facts: SiteFacts, own: str, on_exact: int, elsewhere: int
) -> None:
    experiment = load(experiment_file(PEERS + LASTING.format(own)))
    for traits, wanted in ((EXACT, on_exact), (OwnDevices.traits, elsewhere)):
        plan = make_plan(experiment, replace(facts, traits=traits), defaultdict(str))
        found = {each.series.name: each.trial.request for each in plan.planned}
        assert found["lasting"].parameters.least_time_s == wanted
        assert found["peer"].parameters.least_time_s == found["iperf"].parameters.least_time_s == 0
