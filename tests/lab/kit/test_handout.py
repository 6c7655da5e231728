"""The page that is handed out: lab.kit.{kit,handout}."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.kit.handout import CHECKS, handout
from lab.kit.kit import Kit, load_kit
from lab.places import ASSIGNMENTS
from lab.submission.assignment import CHECKS as ALL_CHECKS
from lab.submission.assignment import Criterion, DueDate, Terms, names

TABLE = "series,program,operation,measure,repetition,size_bytes,confirmed_bytes_per_s,record\n"


@pytest.fixture
def reference(tmp_path: Path) -> Path:
    (tmp_path / "small.csv").write_text(f"{TABLE}tcp,tcp,send,throughput,1,4096,200000000,{'0' * 16}\n")
    return tmp_path


@pytest.mark.parametrize("name", names(ASSIGNMENTS))
def test_every_kit_of_the_lab_has_its_page(name: str) -> None:
    page = handout(load_kit(name))
    for heading in ("Goal", "Background", "Tasks", "What to hand in", "Points", "Honest work"):
        assert f">{heading}</h2>" in page
    assert r"\claim" not in page and "src=" not in page and "http" not in page.replace("http-equiv", "")


def test_the_page_has_the_numbers_and_the_points(kit: Kit, reference: Path) -> None:
    page = handout(kit, reference=reference)
    assert "TCP has 200 MB/s." in page and "<td>rerun</td>" not in page
    assert "<td><code>rerun</code></td>\n<td>25</td>" in page and "<td>100</td>" in page


def test_terms_and_rubric_stand_on_the_page(kit: Kit, reference: Path) -> None:
    terms = Terms(DueDate("2026-12-01T23:59+01:00", 3, 10), 2, rubric=(Criterion("reasoning", 20, "why | what else"),))
    page = handout(replace(kit, assignment=replace(kit.assignment, terms=terms)), reference=reference)
    assert "01 December 2026, 23:59 (+01:00 from UTC)" in page and "10 percent" in page
    assert "<td>reasoning</td>\n<td>20</td>" in page and "why | what else" in page and "<td>120</td>" in page


def test_hidden_checks_are_marked(kit: Kit, reference: Path) -> None:
    page = handout(replace(kit, assignment=replace(kit.assignment, hidden=frozenset({"pages"}))), reference=reference)
    assert page.count("only the grader makes it") == 1


def test_a_kit_without_a_hand_out_is_refused(kit: Kit) -> None:
    kit.handout.unlink()
    with pytest.raises(SpecError, match="has no hand-out"):
        load_kit(str(kit.assignment.file))


def test_each_check_has_words_for_students() -> None:
    assert tuple(CHECKS) == ALL_CHECKS
