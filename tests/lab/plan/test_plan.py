"""The trials of an experiment, and their keys."""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.lab.conftest import OURS, PEERS
from tests.toml import series_of

from lab.errors import SpecError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.model.trial import Perturbation
from lab.places import EXPERIMENTS, SET_CLOCK
from lab.plan import plan
from lab.plan.plan import (
    CARD_FILES,
    ENVIRONMENT_BYTES,
    START_DELAY_NS,
    STARTER,
    Plan,
    SiteFacts,
    binaries,
    make_plan,
    perturb,
    shuffle,
)
from lab.sites.cable import Cable
from lab.sites.host import OwnDevices
from lab.sites.site import EXACT, Traits

Make = Callable[..., Plan]
Write = Callable[[str], Path]


def keys(plan: Plan) -> list[str]:
    return [planned.trial.key for planned in plan.planned]


def by_series(plan: Plan) -> dict[str, str]:
    return {planned.series.name: planned.trial.key for planned in plan.planned}


def plan_of(experiment: Experiment, facts: SiteFacts, traits: Traits = EXACT) -> Plan:
    return make_plan(experiment, replace(facts, traits=traits), defaultdict(lambda: "d"))


def test_every_point_and_repetition_is_a_trial_with_lasting_keys(make_small_plan: Make) -> None:
    """A change of the last value makes every record unknown: FORMAT must go up with it."""
    small = make_small_plan()
    assert len(small.planned) == 2 + 2 + 2 * 2 + 2 and len(set(keys(small))) == len(small.planned)
    assert keys(small) == keys(make_small_plan()) and keys(small)[0][:16] == "de91d939f3089758"


def test_order_of_an_experiment_is_no_part_of_its_trials(make_small_plan: Make) -> None:
    small, ordered = make_small_plan(), make_small_plan("order = 1\n" + PEERS + OURS)
    assert small.planned == ordered.planned


def test_key_changes_with_programs_and_site_and_not_with_paths_and_names(
    make_small_plan: Make, facts: SiteFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = make_small_plan()
    same, other_program = keys(small), keys(make_small_plan(digest="e"))
    assert same[:4] == other_program[:4] and not set(same[4:]) & set(other_program[4:])
    digests = dict.fromkeys(binaries([small.experiment]), "d")
    other_site = make_plan(small.experiment, replace(facts, identity={"site": "other"}), digests)
    assert not set(same) & set(keys(other_site))
    assert keys(make_small_plan('title = "x"' + small.experiment.file.read_text().partition('link"')[2])) == same
    monkeypatch.setattr("lab.plan.plan.kept_binary", lambda name, _: Path("/elsewhere") / name)
    assert keys(make_small_plan()) == same


def test_sandbox_is_a_part_of_the_keys_of_student_programs_only(
    facts: SiteFacts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = load(EXPERIMENTS / "examples" / "plain_verbs.toml")
    before = plan_of(experiment, facts)
    assert all(each.trial.job.untrusted == (each.series.program == "plain") for each in before.planned)
    (tmp_path / "stranger").write_text("exec other")
    monkeypatch.setattr(plan, "GUEST_SANDBOX", tmp_path / "stranger")
    pairs = zip(before.planned, keys(plan_of(experiment, facts)), strict=True)
    assert all((each.trial.key != key) == each.trial.job.untrusted for each, key in pairs)


@pytest.mark.parametrize(
    ("pattern", "changes", "different"),
    [
        ("(?P<total>.+)", (r"iterations = \d+", "iterations = 40"), 2),
        ("(?P<messages>.+) (?P<total>.+)", (r"iterations = \d+", "iterations = 40"), 0),
        ("(?P<value>.+)", (r"iterations = \d+", "iterations = 40"), 0),
        ("(?P<value>.+)", ('sizes = "64"', 'sizes = "8"'), 2),
    ],
)
def test_keys_have_the_iterations_and_the_sizes_that_only_the_reading_uses(
    experiment_file: Write, facts: SiteFacts, pattern: str, changes: tuple[str, str], different: int
) -> None:
    table = f"""[programs.mine]
folder = "."
build = "true"
binaries = ["mine"]
server = "mine {{port}}"
client = "mine {{host}}"
output = "pattern"
pattern = '{pattern}'
unit = "ms"
"""
    head = PEERS[: PEERS.index("[[series]]")]
    text = re.sub(r'sizes = ".*"', 'sizes = "64"', re.sub(r"iterations = \d+", "iterations = 30", head))
    texts = (each + table + series_of("mine mine send throughput") for each in (text, re.sub(*changes, text)))
    one, other = (keys(plan_of(load(experiment_file(text)), facts)) for text in texts)
    assert len(one) == len(other) == 2 and len({*one} - {*other}) == different


MODELLED = series_of("gigabit tcp send throughput\nlink = { rate_bit_s = 1_000_000_000 }")
APART = series_of("gigabit tcp send throughput\nlink = { clock_offset_ns = -5, clock_drift_ppm = 20 }")


def test_link_models_are_left_out_on_a_real_link(experiment_file: Write, facts: SiteFacts) -> None:
    for traits, left_out in ((EXACT, ()), (Cable.traits, ()), (OwnDevices.traits, ("gigabit",))):
        made = plan_of(load(experiment_file(PEERS + MODELLED)), facts, traits)
        assert made.experiment.left_out == left_out
        assert set(by_series(made)) == {"peer", "iperf", "gigabit"} - {*left_out}
    with pytest.raises(SpecError, match="every series models a link"):
        plan_of(load(experiment_file(PEERS[: PEERS.index("[[series]]")] + MODELLED)), facts, OwnDevices.traits)


def test_link_that_sets_the_servers_clock_needs_two_clocks_and_the_program_for_it(
    experiment_file: Write, facts: SiteFacts
) -> None:
    experiment = load(experiment_file(PEERS + APART))
    planned = plan_of(experiment, facts).planned
    assert SET_CLOCK in binaries([experiment])
    assert {each.series.name for each in planned if SET_CLOCK.name in each.trial.programs} == {"gigabit"}
    with pytest.raises(SpecError, match="both ends have the same one"):
        plan_of(experiment, facts, Cable.traits)
    assert plan_of(experiment, facts, OwnDevices.traits).experiment.left_out


def test_repetitions_differ_in_start_and_order_independently_of_pythons_version() -> None:
    sizes = tuple(2**power for power in range(21))
    orders = {shuffle(sizes, repetition) for repetition in range(1, 11)}
    assert len(orders) == 10 and all(set(order) == set(sizes) for order in orders)
    starts = {perturb(repetition) for repetition in range(1, 11)}
    assert len(starts) == 10
    assert all(each.start_delay_ns < START_DELAY_NS and each.environment_bytes < ENVIRONMENT_BYTES for each in starts)
    assert perturb(1) == Perturbation(7442573, 606) and shuffle((1, 2, 3, 4, 5), 1) == (1, 5, 4, 2, 3)


def test_token_of_a_trial_follows_from_its_key_only_where_trials_repeat(
    experiment_file: Write, facts: SiteFacts
) -> None:
    def tokens(traits: Traits) -> list[str]:
        made = plan_of(load(experiment_file(PEERS)), facts, traits)
        return [dict(planned.trial.job.environment)["LAB_TOKEN"] for planned in made.planned]

    exact, again, wall, other = tokens(EXACT), tokens(EXACT), tokens(OwnDevices.traits), tokens(OwnDevices.traits)
    assert exact == again and not {*wall} & {*other} and len({*exact, *wall, *other}) == 3 * len(exact)
    assert {len(token) for token in (*exact, *wall)} == {32}


@pytest.mark.parametrize(
    ("settings", "on_exact", "elsewhere"),
    [
        ('parameters = { wait = "event", least_time_s = "auto" }', 0, 1),
        ('parameters = { wait = "event", least_time_s = 3 }', 3, 3),
        ('parameters = { wait = "event", least_time_s = 0 }', 0, 0),
        ('parameters = { wait = "event", verify = true }', 0, 0),
        ('parameters = { wait = "event", until_stable = 1 }', 0, 0),
        ('parameters.wait = "event"\nvary.iterations = [100, 200]', 0, 0),
    ],
)
def test_size_lasts_a_second_on_a_wall_clock_unless_the_experiment_counts_messages(
    experiment_file: Write, facts: SiteFacts, settings: str, on_exact: int, elsewhere: int
) -> None:
    experiment = load(experiment_file(PEERS + series_of(f"lasting tcp send throughput\n{settings}")))
    for traits, seconds in ((EXACT, on_exact), (OwnDevices.traits, elsewhere)):
        planned = plan_of(experiment, facts, traits).planned
        times = {each.series.name: each.trial.request.parameters.least_time_s for each in planned}
        assert times == {"lasting": seconds, "peer": 0, "iperf": 0}


OVER_CARD = 'link = { card = "qdr" }'
CARDS = 'title = "t"\nquestion = "q"\n[parameters]\nsizes = 64\n' + series_of(
    "cable verbs write throughput",
    f"card ib_write_bw write throughput\n{OVER_CARD}",
    f"tcp tcp send throughput\n{OVER_CARD}",
    f"mpi mpi-verbs send latency\n{OVER_CARD}",
)


def test_programs_and_ranks_with_a_device_start_over_the_card(experiment_file: Write, facts: SiteFacts) -> None:
    planned = {each.series.name: each.trial for each in plan_of(load(experiment_file(CARDS)), facts).planned}
    steps, start = {name: trial.job.steps[0] for name, trial in planned.items()}, f"/lab/bin/{STARTER.name}"
    assert steps["card"].server[:2] == steps["card"].client[:2] == (start, "ib_write_bw")
    assert start not in (*steps["cable"].client, *steps["tcp"].client, *steps["tcp"].server)
    mpi = steps["mpi"]
    assert mpi.server == () and mpi.client[0] == "orterun"
    ranks = [index for index, word in enumerate(mpi.client) if word == "/lab/bin/mpi-pingpong"]
    assert [mpi.client[index - 1] for index in ranks] == [start, start]
    names = {file.name for file in CARD_FILES}
    assert set(planned["card"].programs) == names
    assert not names & {*planned["cable"].programs, *planned["tcp"].programs}


def test_files_and_parameters_of_the_card_change_the_keys_of_its_trials_only(
    experiment_file: Write, facts: SiteFacts
) -> None:
    experiment = load(experiment_file(CARDS))
    before = by_series(plan_of(experiment, facts))
    digests = {file: ("e" if file in CARD_FILES else "d") for file in binaries([experiment])}
    other_files = by_series(make_plan(experiment, replace(facts, traits=EXACT), digests))
    assert [name for name in before if before[name] != other_files[name]] == ["card", "mpi"]
    changed = tuple(
        replace(each, link=replace(each.link, card=replace(each.link.card, irq_ps=1))) if each.link.card else each
        for each in experiment.series
    )
    other_card = by_series(plan_of(replace(experiment, series=changed), facts))
    assert [name for name in before if before[name] != other_card[name]] == ["card", "tcp", "mpi"]
