"""Points of parts, and words that help: lab.grade.{case,result,advice,outputs}."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.conftest import GradeFile

from lab.causes.table import file_of
from lab.files.storage import write_text
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.checks import CHECKS
from lab.grade.checks.discussion import read_lines
from lab.grade.finding import BY_FLAW, CheckResult, Finding, Flaw, PartPoints, Status, read_grade, with_advice
from lab.grade.outputs import gradescope, lines, write_grade
from lab.grade.rebuild import Texts, rebuild

PARTS = (PartPoints("open: it opens", 3, 3), PartPoints("write: it writes", 6, 4))


@pytest.fixture
def by_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that gives points by parts."""
    monkeypatch.setitem(CHECKS, "discussion", lambda _: iter((*PARTS, Finding(Flaw.SLOW, "too slow"))))


def test_points_are_those_of_the_parts() -> None:
    result = CheckResult("steps", 9, Status.FAILED, parts=PARTS)
    assert result.points == 7 and result.evidence() == ["3 of 3: open: it opens", "4 of 6: write: it writes"]


def test_a_check_that_broke_down_gives_no_points_of_parts() -> None:
    assert CheckResult("steps", 9, Status.ERROR, parts=PARTS).points == 0


@pytest.mark.usefixtures("by_parts")
def test_every_output_shows_the_parts(grade_file: GradeFile, ada: Any, tmp_path: Path) -> None:
    file = hand_ins.handed_in(ada, tmp_path / "ada.pdf")
    done = grade_file(file, ("discussion",))
    assert done.points == 7 and done.results[0].status is Status.FAILED
    assert any("4 of 6: write: it writes" in each for each in lines(done))
    tests: Any = gradescope(done)["tests"]
    assert [(each["name"], each["score"], each["max_score"], each["status"]) for each in tests] == [
        ("discussion: open: it opens", 3, 3, "passed"), ("discussion: write: it writes", 4, 6, "failed")
    ]  # fmt: skip
    write_grade(done, tmp_path)
    kept = read_grade(tmp_path)
    assert kept and kept.checks[0].parts[1] == PartPoints("write: it writes", 6, 4) and kept.points == 7
    assert json.loads((tmp_path / "results.json").read_text())["score"] == 7


def test_parts_that_are_all_full_are_a_passed_check(
    monkeypatch: pytest.MonkeyPatch, grade_file: GradeFile, ada: Any, tmp_path: Path
) -> None:
    monkeypatch.setitem(CHECKS, "discussion", lambda _: iter(PARTS[:1]))
    done = grade_file(hand_ins.handed_in(ada, tmp_path / "ada.pdf"), ("discussion",))
    assert done.results[0].status is Status.PASSED


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("the client ended with status 1: ibv_post_send: Cannot allocate memory", "the send queue is full"),
        ("a completion says: remote access error", "IBV_ACCESS_REMOTE_WRITE"),
        ("a completion says: local protection error", "ibv_reg_mr at the client"),
        ("a completion says: RNR retry counter exceeded", "ibv_post_recv for each message"),
        ("a completion says: transport retry counter exceeded", "no answer came"),
        ("the client did not end within 2 s", "was not signalled"),
    ],
)
def test_the_words_of_verbs_are_explained(said: str, advice: str) -> None:
    assert advice in with_advice(Flaw.FAILS, said)


def test_words_come_before_kinds_and_the_assignment_has_the_last_word() -> None:
    assert with_advice(Flaw.DATA, "x", "look at many.c") == f"x; {BY_FLAW[Flaw.DATA]}; look at many.c"
    assert with_advice(Flaw.FAILS, "something else") == "something else"


def test_a_report_without_names_has_none(setup: GradingSetup, ada: Any, tmp_path: Path) -> None:
    case = Case(setup, SubmissionFile(hand_ins.handed_in(ada, tmp_path / "ada.pdf")), tmp_path)
    made = case.nameless()
    assert made.startswith(b"%PDF") and made != case.rebuilt
    text = " ".join(read_lines(made))
    assert "Not shown" in text and "ada" not in text.split()


def test_a_report_is_rebuilt_where_other_counts_have_come(
    setup: GradingSetup, ada: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = Case(setup, SubmissionFile(hand_ins.handed_in(ada, tmp_path / "ada.pdf")), tmp_path).handed_in
    builds = iter((b"%PDF", b"%PDF of other counts"))
    monkeypatch.setattr("lab.grade.rebuild.build", lambda *_: next(builds))
    made = list[bytes]()
    for count in ("none", "none", "some"):
        if count == "some":
            write_text(file_of(evidence.plan.experiment.name, evidence.results), "counts")
        made.append(rebuild(evidence, Texts(b"people", b"text"), setup.templates, tmp_path / "cache", tmp_path))
    assert made == [b"%PDF", b"%PDF", b"%PDF of other counts"]
