"""`lab.report.tables.ledger` as it is printed: a claim of any kind fits into its row, by the longest name of each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.places import EXPERIMENTS, TEMPLATES
from lab.report.build import LEDGER, ledger_table
from lab.report.claims.ledger import make_claims
from lab.report.evidence.record_sets import record_sets
from lab.report.prose.uses import claims_used
from lab.report.sources import MAIN, Sources
from lab.report.tex.latex import compile_pdf
from lab.report.tex.typeset import definitions

WHOLE = rb"\documentclass[10pt]{article}\usepackage{lab}\input{claims}\begin{document}\input{ledger}\end{document}"


@pytest.mark.parametrize("name", ["verbs_throughput", "latency", "mpi_blocking_nonblocking"])
def test_a_claim_of_any_kind_fits(name: str, tmp_path: Path) -> None:
    evidence = laboratory.evidence_of(name, tmp_path)
    ledger = make_claims(evidence).ledger
    longest = dict[str, str]()
    for each in sorted(ledger, key=len):
        longest[re.sub(r"\d+[KM]?", "0", each)] = each
    used = "".join(rf"\claim{{{each}}}" for each in longest.values())
    table = ledger_table(Sources(EXPERIMENTS / f"{name}.toml", TEMPLATES), record_sets(evidence), ledger, used)
    style = (TEMPLATES / "lab.sty").read_bytes()
    files = {MAIN: WHOLE, LEDGER: table.text.encode(), "lab.sty": style}
    assert compile_pdf(files | {"claims.tex": definitions(ledger, claims_used(used)).encode()}, MAIN)
