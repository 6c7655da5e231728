"""`lab check`: the refusals of a text from records alone."""

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report import checking
from lab.report.check.ledger_file import format_ledger, parse_ledger
from lab.report.claims.ledger import make_ledger


def test_claims_are_computed_once_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, results, cache = laboratory.plan_of("throughput_until_stable"), tmp_path / "results", tmp_path / "cache"
    ledger = make_ledger(laboratory.evidence_of("throughput_until_stable", results))
    assert checking.ledger_of(plan, results, cache) == parse_ledger(format_ledger(ledger))
    monkeypatch.setattr("lab.report.claims.ledger.make_ledger", lambda _: pytest.fail("computed again"))
    again = checking.ledger_of(plan, results, cache)
    assert again.keys() == ledger.keys() and again.setting == ledger.setting
    text = tmp_path / "discussion.tex"
    text.write_text("It is so.\nRDMA reaches 4 GB/s.\n")
    (found,) = checking.refusals_of(text, again)
    assert (found.line, found.column) == (2, 14)
