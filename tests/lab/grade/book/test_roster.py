"""Tables that people keep: lab.grade.book.{roster,tables,by_hand,hand_ins}."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.lab.grade.book.conftest import Keep

from lab.errors import SpecError
from lab.grade.book.entries import Judgement, Person, hand_ins, read_by_hand, read_roster, times_of
from lab.submission.assignment import Assignment


def written(folder: Path, text: str) -> Path:
    (folder / "table.csv").write_text(text)
    return folder / "table.csv"


def test_a_roster_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    roster = read_roster(written(tmp_path, "name,ID,free_days,colour\nAda L.,Ada,2,red\nBob,bob,,\n"))
    assert roster == {"ada": Person("Ada", "Ada L.", free_days=2), "bob": Person("bob", "Bob")}


def test_a_spreadsheet_may_write_a_mark_and_semicolons(tmp_path: Path) -> None:
    assert read_roster(written(tmp_path, "\ufeffid;name\n7;Zoë\n")) == {"7": Person("7", "Zoë")}


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("id\nada\nbob\nADA\n", 4, "'ADA' stands in line 2 already"),
        ("id,name\n,Ada\n", 2, "the id is empty"),
        ("name\nAda\n", 1, "no column id"),
        ("id,id\na,b\n", 1, "the column id is there twice"),
        ("id,free_days\nada,two\n", 2, "free_days is 'two'"),
        ("id,name\nada,Ada,3\n", 2, "more cells than the first"),
    ],
)
def test_a_mistake_in_a_roster_is_named_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    with pytest.raises(SpecError, match=what) as caught:
        read_roster(written(tmp_path, text))
    assert caught.value.line == line


def test_a_roster_of_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="names nobody"):
        read_roster(written(tmp_path, "id\n"))


def test_judgements_are_read_and_empty_rows_of_a_sheet_wait(tmp_path: Path, assignment: Assignment) -> None:
    rows = ('Ada,reasoning,15,"good, but short"', "ada,rerun,30,", "ada,more,-2,", "bob,reasoning,,")
    text = "\n".join(["who,criterion,points,comment", *rows, ""])
    assert read_by_hand(written(tmp_path, text), assignment) == {
        "ada": {
            "reasoning": Judgement("reasoning", 15, "good, but short"),
            "rerun": Judgement("rerun", 30, ""),
            "more": Judgement("more", -2, ""),
        }
    }


@pytest.mark.parametrize(
    ("row", "what"),
    [
        (
            "ada,beauty,3,",
            "no criterion 'beauty', expected one of reasoning, rerun, claims, more",
        ),
        ("ada,reasoning,21,", "reasoning has 21 points, expected 0 to 20"),
        ("ada,reasoning,x,", "points is 'x'"),
        ("ada,reasoning,1,\nada,reasoning,2,", "ada has reasoning twice"),
    ],
)
def test_a_wrong_judgement_is_refused(tmp_path: Path, assignment: Assignment, row: str, what: str) -> None:
    with pytest.raises(SpecError, match=what):
        read_by_hand(written(tmp_path, f"who,criterion,points,comment\n{row}\n"), assignment)


def test_a_file_came_when_its_date_says_unless_a_table_says_more(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / "in" / name).touch()
        os.utime(tmp_path / "in" / name, (1000, 1000))
    table = written(tmp_path, "submission,handed_in\nb.pdf,2026-12-01T10:00+01:00\n")
    times = times_of(tmp_path / "in", table)
    assert times["a.pdf"] == datetime.fromtimestamp(1000, UTC)
    assert times["b.pdf"] == datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize("moment", ["2026-12-01T10:00", "yesterday", ""])
def test_a_time_that_means_no_moment_is_refused(tmp_path: Path, moment: str) -> None:
    with pytest.raises(SpecError, match="handed_in is"):
        times_of(None, written(tmp_path, f"submission,handed_in\nb.pdf,{moment}\n"))


def test_the_last_attempt_of_each_hand_in_counts(tmp_path: Path, keep: Keep) -> None:
    keep("a.pdf", "ada", rerun=0)
    last = keep("a.pdf", "ada")
    (found,) = hand_ins(tmp_path / "grades", "week1", {})
    assert found.folder == last and found.grade.points == 80
    assert hand_ins(tmp_path / "grades", "week2", {}) == []
