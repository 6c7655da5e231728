"""What everybody has in the end, and how it is given out: lab.grade.book.{entries,exports,nameless,commands}."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.lab.grade.book.conftest import Keep

from lab.cli.main import main
from lab.submission.assignment import Assignment

ROSTER = """id,name,email,login,section,canvas_id,free_days
ada,Ada L.,ada@x,al,A,71,0
bob,Bob,bob@x,b,A,72,1
eve,Eve,eve@x,e,B,73,0
"""
IN_TIME, LATE = "2026-12-01T11:00+00:00", "2026-12-02T11:00+00:00"

Row = dict[str, str]


class Course:
    """The files of a course, and its command."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "roster.csv").write_text(ROSTER)

    def book(self, *more: str, times: str = "", status: int = 1) -> dict[str, Row]:
        (self.folder / "times.csv").write_text(f"submission,handed_in\n{times}")
        words = ["book", str(self.folder / "week1.toml"), "--roster", str(self.folder / "roster.csv")]
        words += ["--grades", str(self.folder / "grades"), "--times", str(self.folder / "times.csv"), *more]
        assert main(words) == status
        return {row["id"]: row for row in self.rows("book.csv")}

    def rows(self, name: str) -> list[Row]:
        return list(csv.DictReader(io.StringIO((self.folder / "grades" / name).read_text())))

    def by_hand(self, *rows: str) -> tuple[str, str]:
        (self.folder / "by_hand.csv").write_text("\n".join(["who,criterion,points,comment", *rows, ""]))
        return "--by-hand", str(self.folder / "by_hand.csv")


@pytest.fixture
def course(tmp_path: Path, assignment: Assignment) -> Course:
    assert assignment.most == 100
    return Course(tmp_path)


def test_everybody_has_a_line_and_who_is_missing_is_said(
    course: Course, keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep("a.pdf", "ADA", rerun=0)
    book = course.book(times=f"a.pdf,{IN_TIME}\n")
    assert [book[name]["total"] for name in ("ada", "bob", "eve")] == ["50", "0", "0"]
    said = capsys.readouterr().out
    assert "eve: nothing was handed in" in said and "3 people, 2 without a hand-in" in said


def test_a_late_day_costs_its_share_unless_it_is_free(course: Course, keep: Keep) -> None:
    keep("group.pdf", "ada", "bob")
    book = course.book(times=f"group.pdf,{LATE}\n")
    assert (book["ada"]["total"], book["bob"]["total"]) == ("72", "80")
    assert book["ada"]["days_late"] == "1" and "90% of the points" in book["ada"]["words"]


def test_beyond_the_last_late_day_there_are_no_points(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    assert course.book(times="a.pdf,2026-12-04T13:00+00:00\n")["ada"]["total"] == "0"


def test_ten_minutes_are_no_lateness(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    assert course.book(times="a.pdf,2026-12-01T12:10+00:00\n")["ada"]["days_late"] == "0"


def test_the_last_of_several_hand_ins_counts_and_it_is_said(course: Course, keep: Keep) -> None:
    keep("first.pdf", "ada", "bob")
    keep("second.pdf", "ada", claims=0)
    book = course.book(times=f"first.pdf,{IN_TIME}\nsecond.pdf,2026-12-01T11:30+00:00\n")
    assert (book["ada"]["submission"], book["bob"]["submission"]) == ("second.pdf", "first.pdf")
    assert "stands in 2 hand-ins, second.pdf counts" in book["ada"]["words"]


def test_too_many_people_and_strangers_are_named(
    course: Course, keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep("a.pdf", "ada", "bob", "zed")
    book = course.book(times=f"a.pdf,{IN_TIME}\n")
    assert "handed in by 3 people, at most 2 may" in book["ada"]["words"]
    assert "a.pdf: zed is not in the roster" in capsys.readouterr().out


def test_points_and_comments_of_people_survive_a_regrade(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada", rerun=0)
    by_hand = course.by_hand("ada,reasoning,15,well seen", "ada,rerun,30,their machine is known", "ada,more,-3,")
    before = course.book(*by_hand, times=f"a.pdf,{IN_TIME}\n")["ada"]
    keep("a.pdf", "ada", rerun=0, claims=0)
    after = course.book(*by_hand, times=f"a.pdf,{IN_TIME}\n")["ada"]
    assert (before["total"], after["total"]) == ("92", "42")
    assert "reasoning: well seen" in after["words"] and "rerun: their machine is known" in after["words"]


def test_what_nobody_judged_yet_is_said(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    assert "not judged yet: reasoning" in course.book(times=f"a.pdf,{IN_TIME}\n")["ada"]["words"]


def test_without_a_time_nobody_is_late_and_it_is_said(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    ada = course.book()["ada"]
    assert ada["total"] == "80" and "nothing says when it was handed in" in ada["words"]


def test_moodle_takes_ids_grades_and_feedback(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    course.book(times=f"a.pdf,{IN_TIME}\n")
    ada, bob, _ = course.rows("moodle.csv")
    assert list(ada) == ["ID number", "Email address", "Week one", "Week one (feedback)"]
    assert (ada["ID number"], ada["Week one"], bob["Week one"]) == ("ada", "80", "-")


def test_canvas_takes_five_columns_and_the_points_possible(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    course.book(times=f"a.pdf,{IN_TIME}\n")
    possible, ada, bob, _ = course.rows("canvas.csv")
    assert list(ada) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week one"]
    assert possible["Student"].strip() == "Points Possible" and possible["Week one"] == "100"
    assert list(ada.values()) == ["Ada L.", "71", "ada", "al", "A", "80"] and bob["Week one"] == ""


def test_gradescope_takes_the_whole_score_with_what_people_gave(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    course.book(*course.by_hand("ada,reasoning,20,"), times=f"a.pdf,{LATE}\n")
    document = json.loads((course.folder / "grades" / "gradescope" / "a.json").read_text())
    assert document["score"] == 90.0
    assert {each["name"]: (each["score"], each["max_score"]) for each in document["tests"]} == {
        "rerun": (30, 30), "claims": (50, 50), "reasoning": (20, 20)
    }  # fmt: skip


def test_a_person_judges_by_a_code_that_never_changes(course: Course, keep: Keep) -> None:
    (keep("a.pdf", "ada") / "nameless.pdf").write_bytes(b"%PDF a")
    out = course.folder / "nameless"
    course.book("--nameless", str(out), times=f"a.pdf,{IN_TIME}\n")
    (code,) = [each.name for each in out.iterdir() if each.is_dir()]
    sheet = out / "sheet.csv"
    assert sheet.read_text() == f"who,criterion,points,comment\n{code},reasoning,,\n"
    assert (out / code / "nameless.pdf").read_bytes() == b"%PDF a" and "ada" not in sheet.read_text()
    sheet.write_text(f"who,criterion,points,comment\n{code},reasoning,12,fine\n")
    book = course.book("--nameless", str(out), "--by-hand", str(sheet), times=f"a.pdf,{IN_TIME}\n", status=1)
    assert book["ada"]["reasoning"] == "12" and f"{code},reasoning,12,fine" in sheet.read_text()


def test_a_report_without_names_must_have_been_made(
    course: Course, keep: Keep, capsys: pytest.CaptureFixture[str]
) -> None:
    keep("a.pdf", "ada")
    words = ["book", str(course.folder / "week1.toml"), "--roster", str(course.folder / "roster.csv")]
    out = str(course.folder / "nameless")
    assert main([*words, "--grades", str(course.folder / "grades"), "--nameless", out]) == 2
    assert "anonymous = true in the assignment" in capsys.readouterr().err


def test_a_formula_in_a_name_or_comment_is_text(course: Course, keep: Keep) -> None:
    keep("a.pdf", "ada")
    (course.folder / "roster.csv").write_text("id,name\nada,=1+1\n")
    book = course.book(*course.by_hand("ada,reasoning,1,=cmd"), times=f"a.pdf,{IN_TIME}\n", status=0)
    assert book["ada"]["name"] == "'=1+1" and course.rows("canvas.csv")[1]["Student"] == "'=1+1"
