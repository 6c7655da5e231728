"""`lab check`: the refusals of a text from records alone."""

import os
import time
from argparse import Namespace
from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report import checking
from lab.report.check.ledger_file import format_ledger, parse_ledger
from lab.report.claim import Ledger
from lab.report.claims.ledger import make_ledger
from lab.report.stamp import claims_stamp


def test_claims_are_computed_once_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, results, cache = laboratory.plan_of("throughput_until_stable"), tmp_path / "results", tmp_path / "cache"
    ledger = make_ledger(laboratory.evidence_of("throughput_until_stable", results))
    assert checking.ledger_of(plan, results, cache) == parse_ledger(format_ledger(ledger))
    monkeypatch.setattr("lab.report.claims.ledger.make_ledger", lambda _: pytest.fail("computed again"))
    again = checking.ledger_of(plan, results, cache)
    assert again.keys() == ledger.keys() and again.setting == ledger.setting
    kept = (cache / f"{plan.experiment.name}.json").stat().st_mtime_ns
    checking.keep_ledger(plan, ledger, claims_stamp(plan, results), cache)
    assert (cache / f"{plan.experiment.name}.json").stat().st_mtime_ns == kept
    text = tmp_path / "discussion.tex"
    text.write_text("It is so.\nRDMA reaches 4 GB/s.\n")
    (found,) = checking.refusals_of(text, again)
    assert (found.line, found.column) == (2, 14)
    text.write_text("Others have looked at it \\cite{fray}.\n")
    (tmp_path / "references.bib").write_text("@misc{frey, title = {The hidden cost}}\n")
    (found,) = checking.refusals_of(text, again)
    assert found.way == r"did you mean \cite{frey}?"


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    """As in another user's checkout: a file stands where the folder would be."""
    plan, results = laboratory.plan_of("throughput_until_stable"), tmp_path / "results"
    ledger = make_ledger(laboratory.evidence_of("throughput_until_stable", results))
    (tmp_path / "cache").touch()
    assert checking.ledger_of(plan, results, tmp_path / "cache").keys() == ledger.keys()


def test_a_text_and_its_sources_are_read_again_at_each_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, references = tmp_path / "discussion.tex", tmp_path / "references.bib"
    file.write_text("RDMA reaches 4 GB/s.\n")
    changes = iter(
        [(file, "So \\cite{frey} says.\n"), (references, "@misc{frey, year = 2009}\n"), (file, "TCP reaches 5 GB/s.\n")]
    )

    def change(_: float) -> None:
        """In place of a wait: the next version, an hour younger; in the end, Ctrl-C."""
        changed, text = next(changes, (None, ""))
        if changed is None:
            raise KeyboardInterrupt
        changed.write_text(text)
        os.utime(changed, ns=(time.time_ns(), changed.stat().st_mtime_ns + 3600 * 10**9))

    monkeypatch.setattr(checking, "plans_of", lambda _: ["plan"])
    monkeypatch.setattr(checking, "discussion_of", lambda _: file)
    monkeypatch.setattr(checking, "ledger_of", lambda *_: Ledger())
    monkeypatch.setattr("lab.report.checking.time.sleep", change)
    with pytest.raises(KeyboardInterrupt):
        checking.check(Namespace(results=tmp_path, watch=True))
    said = capsys.readouterr().out
    parts = ("4 GB/s", "no entry to cite", "nothing to refuse", "5 GB/s")
    assert sorted(parts, key=said.index) == list(parts)
