"""The site and the days of the measurements in words."""

import re
from dataclasses import replace
from pathlib import Path

from tests.lab.report import laboratory

from lab.experiment.reader import load
from lab.places import EXPERIMENTS
from lab.report.evidence.words import about_site, measured_on
from lab.report.exhibits.groups import title_of
from lab.sites.site import EXACT
from lab.sites.ssh import LinkOfHosts


def test_site_is_described_by_its_clock_its_link_and_its_rdma() -> None:
    exact = about_site("exact", EXACT, "rxe0")
    assert "two emulated VMs" in exact and "Soft-RoCE" in exact and "  " not in exact
    both = about_site("exact", EXACT, "rxe0", ("qdr",))
    assert "RDMA uses a modelled card (qdr)" in both and "or kernel RDMA (Soft-RoCE, rxe0)" in both
    real = about_site("ssh", LinkOfHosts.traits, "mlx5_0")
    assert "the device mlx5_0" in real and not re.search("emulated|cable|Soft-RoCE", real)


def test_date_is_that_of_the_measurement_or_of_the_sites_clock(tmp_path: Path) -> None:
    evidence = laboratory.evidence_of("throughput_until_stable", tmp_path)
    site, moment = evidence.plan.site, next(iter(evidence.facts.values())).moment
    clock = replace(site, identity={"arguments": "-rtc base=2026-01-01,clock=vm"})
    of_clock = replace(evidence, plan=replace(evidence.plan, site=clock))
    assert measured_on(of_clock).startswith("Its clock begins at 2026-01-01") and measured_on(evidence) == ""
    plan = replace(evidence.plan, site=replace(site, traits=LinkOfHosts.traits))
    facts = {
        key: replace(record, moment=replace(moment, state={"started": f"2026-03-0{1 + number % 2}T10:00:00+00:00"}))
        for number, (key, record) in enumerate(evidence.facts.items())
    }
    wall = replace(evidence, plan=plan, facts=facts)
    assert measured_on(wall) == "Measured from 2026-03-01 to 2026-03-02."
    assert measured_on(replace(wall, facts=dict(list(facts.items())[:1]))) == "Measured on 2026-03-01."


def test_several_computers_are_no_pair_and_time_an_operation() -> None:
    assert "is several emulated VMs" in about_site("exact", EXACT, "rxe0", number="several")
    (ring, *_), (message, *_) = (load(EXPERIMENTS / name).series for name in ("examples/ring.toml", "latency.toml"))
    assert title_of(ring) == "Time of an operation" and title_of(message) == "Time of a message"
