"""The lab's own words in a report are judged once for the same evidence."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

from lab.report import own_words
from lab.report.errors import ClaimsRefused
from lab.report.evidence.evidence import Evidence

NAME = "throughput_until_stable"
LIE, PLAIN = "RDMA reaches 4711~GB/s here.\n", "A text without a number.\n"


def judged(folder: Path, text: str, evidence: Evidence) -> None:
    (folder / "own.tex").write_text(text)
    own_words.check(folder, ["own.tex"], evidence)


def test_a_template_is_judged_again_only_where_its_text_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = laboratory.evidence_of(NAME, tmp_path / "records")
    judged(tmp_path, PLAIN, evidence)
    with pytest.raises(ClaimsRefused) as refused:
        judged(tmp_path, LIE, evidence)
    assert [(each.file, each.line) for each in refused.value.refusals] == [("templates/own.tex", 1)]

    monkeypatch.setattr(own_words, "refused", lambda *_: pytest.fail("judged again"))
    judged(tmp_path, PLAIN, evidence)
    with pytest.raises(ClaimsRefused):
        judged(tmp_path, LIE, evidence)
    with pytest.raises(pytest.fail.Exception, match="judged again"):
        judged(tmp_path, PLAIN + "More.\n", evidence)
