"""Whole trials, from an experiment to a record, give equal bytes: kinds that no other test here runs."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from lab.places import EXPERIMENTS
from lab.plan.plan import Planned, SiteFacts
from lab.plan.planning import open_workshop
from lab.records.record import Record
from lab.run.measure import measure
from lab.sites.exact import ExactSite

PROGRAM = EXPERIMENTS / "examples" / "plain_verbs" / "program"
KINDS = f"""
title = "Kinds of trials"
question = "Do they give the same bytes twice?"
[parameters]
sizes = "64,4K"
iterations = 64
warmup = 8
repetitions = 1
tx_depth = 16
rx_depth = 16
wait = "event"
[programs.plain]
folder = "{PROGRAM}"
build = "make -s"
binaries = ["plain"]
server = "plain --server 1 --device {{device}} --port {{port}} --size {{size}} {{host}}"
client = "plain --device {{device}} --port {{port}} --size {{size}} --iterations {{iterations}} {{arguments}} {{host}}"
output = "columns"
[[series]]
name = "rounds"
program = "tcp"
operation = "send"
measure = "throughput"
parameters = {{ until_stable = 1, rounds_cap = 8 }}
link = {{ mtu = 1500, rate_bit_s = 1_000_000_000 }}
[[series]]
name = "own"
program = "plain"
operation = "write"
measure = "throughput"
arguments = "--depth 16 --slide 1 --list 4 --signal-every 4 --sleep 1"
[[series]]
name = "mpi-verbs"
program = "mpi-verbs"
operation = "send"
measure = "latency"
parameters = {{ verify = true }}
"""


@pytest.mark.release
def test_two_trials_of_each_kind_give_the_same_record(exact: ExactSite, tmp_path: Path) -> None:
    file = tmp_path / "kinds.toml"
    file.write_text(KINDS)
    shop = open_workshop([file], exact, print)
    planned = {trial.series.name: trial for trial in shop.plans[0].planned}
    with ThreadPoolExecutor(2) as pool:
        first, second = (
            dict(zip(planned, pool.map(lambda trial: lasting(trial, exact, shop.facts), planned.values()), strict=True))
            for _ in range(2)
        )
    assert len(first) == 3 and first == second
    assert all({sample.size_bytes for sample in record.samples} == {64, 4096} for record in first.values())
    assert first["mpi-verbs"].facts.judged.path == "RDMA from rxe0"


def lasting(planned: Planned, site: ExactSite, facts: SiteFacts) -> Record:
    """Measure a record, without its volatile facts."""
    record = measure(planned, site, facts)
    return replace(record, facts=replace(record.facts, moment=replace(record.facts.moment, state={})))
