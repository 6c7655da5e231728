"""Curves that bend, jump and fall wherever a seed says, of a small experiment that has every kind of series."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from random import Random

from tests.lab.report import laboratory

from lab.model.trial import Job
from lab.report.evidence.evidence import Evidence, gather

NOISE = (0.0, 0.1, 1.5)  # of a series: a message costs up to so much more than a smooth curve says
NAME = "crooked"
TOML = """
title = "Crooked"
question = "Which?"

[parameters]
sizes = "1..256K*4"
repetitions = 6
iterations = 400
warmup = 100
"""
SERIES = """
[[series]]
name = "{name}"
program = "{program}"
operation = "{operation}"
measure = "{measure}"
"""
CARD = 'link = { card = "qdr" }\n'
ROUNDS = "parameters = { until_stable = 5, stable_window = 5, rounds_cap = 20 }\n"
ALL = (
    ("card", "verbs", "write", "throughput", CARD),
    ("card.inline", "verbs", "write", "throughput", CARD + "parameters = { inline = 64 }\n"),
    ("tcp.card", "tcp", "send", "throughput", CARD),
    ("soft", "verbs", "write", "throughput", CARD + "soft_roce = true\n"),
    ("verbs", "verbs", "write", "throughput", ""),
    ("single", "verbs", "write", "throughput", "parameters = { post_list = 1 }\n"),
    ("tcp", "tcp", "send", "throughput", ""),
    ("rounds", "tcp", "send", "throughput", ROUNDS),
    ("limited", "tcp", "send", "throughput", "link = { rate_bit_s = 1_000_000_000, mtu = 1500 }\n"),
    ("depth", "verbs", "write", "throughput", "vary.tx_depth = [1, 16]\n"),
    ("trip", "tcp", "send", "latency", ""),
    ("trip.small", "verbs", "send", "latency", 'parameters = { sizes = "1..64*4" }\n'),
)


class CrookedSite(laboratory.UnsteadySite):
    """Each series has costs of its own, by the seed and its name."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed

    def cost(self, job: Job, size: int) -> float:
        words = re.sub(r"--(?:seed|token) \S+", "", " ".join(job.steps[0].client))
        law = Random(f"{self.seed} {job.link} {words}")
        noise, stretched = law.choice(NOISE), law.uniform(0.3, 2)
        return super().cost(job, size) * stretched * (1 + noise * Random(f"{law.random()} {size}").random())


def evidence(seed: int, folder: Path) -> Evidence:
    """All that the experiment leaves, by this seed."""
    series = (
        SERIES.format(name=name, program=program, operation=operation, measure=measure) + more
        for name, program, operation, measure, more in ALL
    )
    (folder / f"{NAME}.toml").write_text(TOML + "".join(series))
    plan = laboratory.plan_of(NAME, folder)
    laboratory.record(plan, folder, CrookedSite(seed))
    return gather(plan, folder)


def part_of(whole: Evidence, names: Collection[str]) -> Evidence:
    """As if the experiment had these series only."""
    plan = whole.plan
    series = tuple(each for each in plan.experiment.series if each.name in names)
    planned = tuple(each for each in plan.planned if each.series.name in names)
    return gather(replace(plan, experiment=replace(plan.experiment, series=series), planned=planned), whole.results)
