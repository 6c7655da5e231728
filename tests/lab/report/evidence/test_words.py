"""The site and the days of the measurements in words: lab.report.evidence.{dates,words}."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tests.lab.report import laboratory

from lab.report.evidence.words import about_site, measured_on
from lab.sites.site import EXACT
from lab.sites.ssh import TwoHosts


def test_the_site_is_told_in_plain_words() -> None:
    exact = about_site("exact", EXACT, "rxe0")
    assert "emulated VMs" in exact and "Soft-RoCE" in exact and "  " not in exact
    both = about_site("exact", EXACT, "rxe0", ("qdr",))
    assert "RDMA uses a modelled card (qdr)" in both and "or kernel RDMA (Soft-RoCE, rxe0)" in both
    real = about_site("ssh", TwoHosts.traits, "mlx5_0")
    assert "the device mlx5_0" in real and not re.search("emulated|cable|Soft-RoCE", real)


def test_a_date_is_that_of_the_wall_or_of_the_sites_own_clock(tmp_path: Path) -> None:
    found = laboratory.evidence_of("throughput_until_stable", tmp_path)
    site, moment = found.plan.site, next(iter(found.facts.values())).moment
    own = replace(site, identity={"arguments": "-rtc base=2026-01-01,clock=vm"})
    assert measured_on(replace(found, plan=replace(found.plan, site=own))).startswith("Its clock begins at 2026-01-01")
    assert measured_on(found) == ""
    wall = replace(found, plan=replace(found.plan, site=replace(site, traits=TwoHosts.traits)))
    days = [f"2026-03-0{1 + number % 2}T10:00:00+00:00" for number in range(len(found.facts))]
    facts = {
        key: replace(each, moment=replace(moment, state={"started": day}))
        for (key, each), day in zip(found.facts.items(), days, strict=True)
    }
    assert measured_on(replace(wall, facts=facts)) == "Measured from 2026-03-01 to 2026-03-02."
    assert measured_on(replace(wall, facts=dict(list(facts.items())[:1]))) == "Measured on 2026-03-01."
