"""Evidence, its figures and its attachments: lab.report.{evidence.kept,pdf.made_files}, kept until a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.report import laboratory

import lab.report.pdf.attachments
import lab.report.pictures
from lab.plan.plan import Plan
from lab.report import stamp
from lab.report.claims.ledger import make_ledger
from lab.report.evidence import kept
from lab.report.evidence.evidence import Evidence, gather
from lab.report.evidence.kept import evidence_of, keep_evidence
from lab.report.pdf.attachments import attachments
from lab.report.pdf.made_files import names_made
from lab.report.pictures import pictures_of
from lab.report.stamp import stamps

NAME = "throughput_until_stable"


@pytest.fixture
def gathered(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often evidence was gathered anew."""
    found: list[str] = []

    def count(plan: Plan, results: Path) -> Evidence:
        found.append(plan.experiment.name)
        return gather(plan, results)

    monkeypatch.setattr(kept, "gather", count)
    return found


def stamp_of(plan: Plan, results: Path) -> str:
    return stamps(plan, results, ()).evidence


def test_it_is_kept_with_its_claims_until_its_records_or_its_code_change(
    gathered: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan, results, folder = laboratory.plan_of(NAME), tmp_path / "records", tmp_path / "kept"
    laboratory.record(plan, results)
    evidence = evidence_of(plan, results, stamp_of(plan, results), folder)
    ledger = make_ledger(evidence)
    keep_evidence(evidence, stamp_of(plan, results), folder)
    again = evidence_of(plan, results, stamp_of(plan, results), folder)
    assert gathered == [NAME] and again is not evidence
    assert again.rows == evidence.rows and dict(make_ledger(again)) == dict(ledger)

    monkeypatch.setattr(stamp, "CODE_OF_ALL", (Path(__file__).parent,))
    evidence_of(plan, results, stamp_of(plan, results), folder)
    assert gathered == [NAME, NAME]


def test_the_figures_data_and_the_attachments_are_kept_with_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A changed sentence changes none of them."""
    plan, results, folder = laboratory.plan_of(NAME), tmp_path / "records", tmp_path / "kept"
    laboratory.record(plan, results)
    evidence = gather(plan, results)
    names = [each.name for each in pictures_of(evidence)]
    files = attachments(evidence, {"own.csv": b"1"})
    keep_evidence(evidence, stamp_of(plan, results), folder)

    again = evidence_of(plan, results, stamp_of(plan, results), folder)
    monkeypatch.setattr(lab.report.pictures, "SUBJECTS", (lambda _: pytest.fail("made again"),))
    monkeypatch.setattr(lab.report.pdf.attachments, "format_table", lambda *_: pytest.fail("made again"))
    assert [each.name for each in pictures_of(again)] == names and names
    assert attachments(again, {"own.csv": b"1"}) == files
    assert {*attachments(again, {}), "experiment.toml"} == set(names_made(NAME))


def test_what_another_wrote_in_its_place_is_not_read(gathered: list[str], tmp_path: Path) -> None:
    plan, results, folder = laboratory.plan_of(NAME), tmp_path / "records", tmp_path / "kept"
    laboratory.record(plan, results)
    keep_evidence(gather(plan, results), stamp_of(plan, results), folder)
    (folder / f"{NAME}.pickle").write_bytes(b"cos\nsystem\n(S'exit 1'\ntR.")
    assert evidence_of(plan, results, stamp_of(plan, results), folder).rows and gathered == [NAME]
