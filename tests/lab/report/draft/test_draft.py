"""Drafts, the first page and the last one: lab.report.draft.*, lab.report.evidence.{dates,words}."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.lab.report import laboratory
from tests.lab.report.draft import crooked

from lab.report.check.text import refused
from lab.report.claims.ledger import AllClaims, make_claims
from lab.report.draft.abstract import abstract, conclusion, headline
from lab.report.draft.draft import draft
from lab.report.evidence.dates import measured_on
from lab.report.evidence.words import about_site
from lab.report.pictures import pictures
from lab.report.prose.uses import claims_used
from lab.sites.ssh import TwoHosts
from lab.sites.traits import EXACT

ALL = {
    "verbs_throughput": "speedup.card_over_tcp.card",
    "write_parameters": "speedup.card_over_tcp.card",
    "mpi_bandwidth_latency": "bandwidth",
    "mpi_blocking_nonblocking": "sides.tcp",
    "throughput_until_stable": "corrected",
    "latency": "half_trip",
}


@pytest.fixture(scope="module", params=ALL)
def claims(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AllClaims:
    return make_claims(laboratory.evidence_of(request.param, tmp_path_factory.mktemp("records")))


def test_the_draft_obeys_the_rules(claims: AllClaims) -> None:
    assert list(refused(draft(claims), "draft", claims.ledger)) == []


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_curves_do_no_drafted_sentence_is_refused(seed: int, tmp_path: Path) -> None:
    claims = make_claims(crooked.evidence(seed, tmp_path))
    text = "\n\n".join((draft(claims), abstract(claims), conclusion(claims)))
    assert list(refused(text, "draft", claims.ledger)) == []


def test_whichever_series_there_are_no_drafted_sentence_is_refused(tmp_path: Path) -> None:
    whole = crooked.evidence(0, tmp_path)
    for names in pairwise(each.name for each in whole.plan.experiment.series):
        claims = make_claims(crooked.part_of(whole, names))
        text = "\n\n".join((draft(claims), abstract(claims), conclusion(claims)))
        assert list(refused(text, "draft", claims.ledger)) == [], names


def test_the_first_page_has_sentences_of_claims_that_obey_the_rules(claims: AllClaims) -> None:
    text = abstract(claims)
    assert 3 <= len(re.findall(r"\.(?= |$)", text)) <= 5 and len(claims_used(text)) >= 5
    assert list(refused(text, "abstract", claims.ledger)) == []
    assert text.endswith("no prediction of real hardware.")


def test_the_last_page_draws_a_conclusion_that_obeys_the_rules(claims: AllClaims) -> None:
    text = conclusion(claims)
    assert list(refused(text, "conclusion", claims.ledger)) == []
    assert len(re.findall(r"\.(?= |$)", text)) >= 2 and text not in abstract(claims)


def test_the_figure_of_the_first_page_is_one_that_the_data_give(claims: AllClaims) -> None:
    drawn = frozenset(each.name for each in pictures(claims))
    shown = headline(claims, drawn)
    assert shown in drawn and headline(claims, frozenset()) == ""
    assert shown == ALL[claims.evidence.plan.experiment.name]


def test_the_site_is_told_in_plain_words() -> None:
    exact = about_site("exact", EXACT, "rxe0")
    assert "emulated computer" in exact and "Soft-RoCE" in exact and "  " not in exact
    both = about_site("exact", EXACT, "rxe0", ("qdr",))
    assert "RDMA runs over the modelled card qdr where" in both and "Elsewhere RDMA runs by rxe0, which is" in both
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
