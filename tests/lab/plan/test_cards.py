"""Trials over a modelled card: what goes with them, and what their keys hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.lab.fake_site import FakeSite

from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.plan.plan import CARD_FILES, STARTER, Plan, SiteFacts, binaries, make_plan
from lab.sites.site import EXACT

Write = Callable[[str], Path]
TEXT = """title = "t"
question = "q"
[parameters]
sizes = 64
[[series]]
name = "cable"
program = "verbs"
operation = "write"
measure = "throughput"
[[series]]
name = "card"
program = "ib_write_bw"
operation = "write"
measure = "throughput"
link = { card = "qdr" }
[[series]]
name = "tcp"
program = "tcp"
operation = "send"
measure = "throughput"
link = { card = "qdr" }
"""
OF_MPI = """title = "t"
question = "q"
[parameters]
sizes = 64
[[series]]
name = "card"
program = "mpi-verbs"
operation = "send"
measure = "latency"
link = { card = "qdr" }
"""


def planned(experiment: Experiment, digest: str = "d") -> Plan:
    facts = replace(SiteFacts.of(FakeSite()), traits=EXACT)
    digests = {file: (digest if file in CARD_FILES else "d") * 64 for file in binaries([experiment])}
    return make_plan(experiment, facts, digests)


def keys(plan: Plan) -> dict[str, str]:
    return {each.series.name: each.trial.key for each in plan.planned}


def test_programs_with_a_device_start_over_the_card(experiment_file: Write) -> None:
    steps = {each.series.name: each.trial.job.steps[0] for each in planned(load(experiment_file(TEXT))).planned}
    start = f"/lab/bin/{STARTER.name}"
    assert steps["card"].server[:2] == steps["card"].client[:2] == (start, "ib_write_bw")
    assert start not in (*steps["cable"].client, *steps["tcp"].client, *steps["tcp"].server)


def test_ranks_of_mpi_start_over_the_card_and_their_launcher_does_not(experiment_file: Write) -> None:
    (step,) = (each.trial.job.steps[0] for each in planned(load(experiment_file(OF_MPI))).planned)
    start, rank = f"/lab/bin/{STARTER.name}", "/lab/bin/mpi-pingpong"
    assert step.server == () and step.client[0] == "orterun"
    assert [step.client[at - 1] for at, word in enumerate(step.client) if word == rank] == [start, start]


def test_the_files_of_the_card_go_with_its_trials_only(experiment_file: Write) -> None:
    taken = {each.series.name: set(each.trial.programs) for each in planned(load(experiment_file(TEXT))).planned}
    names = {file.name for file in CARD_FILES}
    assert taken["card"] == names and not names & (taken["cable"] | taken["tcp"])


def test_other_files_of_the_card_change_the_keys_of_its_trials_only(experiment_file: Write) -> None:
    experiment = load(experiment_file(TEXT))
    old, new = keys(planned(experiment)), keys(planned(experiment, "e"))
    assert [name for name in old if old[name] != new[name]] == ["card"]


def test_another_parameter_of_the_card_changes_the_keys_of_its_link(experiment_file: Write) -> None:
    experiment = load(experiment_file(TEXT))
    changed = [
        replace(each, link=replace(each.link, card=replace(each.link.card, irq_ps=1))) if each.link.card else each
        for each in experiment.series
    ]
    old, new = keys(planned(experiment)), keys(planned(replace(experiment, series=tuple(changed))))
    assert [name for name in old if old[name] != new[name]] == ["card", "tcp"]
