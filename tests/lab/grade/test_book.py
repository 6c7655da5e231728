"""The grade book and its exports: `lab gradebook`."""

import csv
import io
import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.lab.conftest import Lab

from lab.errors import SpecError
from lab.grade.book import Person, read_by_hand, read_roster, times_of
from lab.grade.course import attempts_of, new_attempt
from lab.grade.finding import CheckResult, Grade, Score, Status
from lab.grade.outputs import write_grade
from lab.places import ASSIGNMENTS
from lab.submission.assignment import load_assignment

ASSIGNMENT = """title = "Week one"
experiment = "verbs_throughput"
people_at_most = 2
[points]
rerun = 30
claims = 50
[deadline]
at = "2026-12-01T12:00+00:00"
late_days = 2
percent_a_day = 10
[[rubric]]
name = "reasoning"
points = 20
asks = "why"
"""
ROSTER = """id,name,email,login,section,canvas_id,free_days
ada,Ada L.,ada@x,al,A,71,0
bob,Bob,bob@x,b,A,72,1
eve,Eve,eve@x,e,B,73,0
"""
IN_TIME, LATE = "2026-12-01T11:00+00:00", "2026-12-02T11:00+00:00"

Row = dict[str, str]


class Course:
    """The files of a course, and its command."""

    def __init__(self, folder: Path, lab: Lab) -> None:
        self.folder, self.grades, self.times = folder, folder / "grades", dict[str, str | None]()
        self.lab, self.printed = lab, ""
        (folder / "week1.toml").write_text(ASSIGNMENT)
        (folder / "roster.csv").write_text(ROSTER)

    def keep(self, name: str, *ids: str, at: str | None = IN_TIME, score: Score | None = None, **points: int) -> Path:
        """Grade a submission that was handed in at a time."""
        self.times[name] = at
        checks = tuple(
            CheckResult(check, most, Status.PASSED if points.get(check, most) else Status.FAILED, score=score)
            for check, most in (("rerun", 30), ("claims", 50))
        )
        attempt = new_attempt(attempts_of(self.grades, Path(name)))
        write_grade(Grade(submission=name, ids=ids, assignment="week1", checks=checks, whole=True), attempt)
        return attempt

    def book(self, *more: object, assignment: str = "week1.toml", status: int = 1) -> dict[str, Row]:
        times = "".join(f"{name},{at}\n" for name, at in self.times.items() if at)
        (self.folder / "times.csv").write_text(f"submission,handed_in\n{times}")
        files = ("--roster", self.folder / "roster.csv", "--grades", self.grades, "--times", self.folder / "times.csv")
        ran = self.lab("gradebook", self.folder / assignment, *files, *more)
        self.printed = ran.out + ran.err
        assert ran.status == status
        return {row["id"]: row for row in self.rows("book.csv")} if status < 2 else {}

    def rows(self, name: str) -> list[Row]:
        return list(csv.DictReader(io.StringIO((self.grades / name).read_text())))

    def by_hand(self, *rows: str) -> tuple[str, Path]:
        text = "\n".join(["who,criterion,points,comment", *rows, ""])
        return "--by-hand", written(self.folder / "by_hand.csv", text)


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@pytest.fixture
def course(tmp_path: Path, lab: Lab) -> Course:
    return Course(tmp_path, lab)


def test_book_has_a_line_for_everybody(course: Course) -> None:
    course.keep("a.pdf", "ADA", "zed", "zoe", rerun=0)
    course.keep("cut.pdf", rerun=0)
    book = course.book()
    assert [book[name]["total"] for name in ("ada", "bob", "eve")] == ["50", "0", "0"]
    for remark in ("handed in by 3 people, at most 2 may", "not judged yet: reasoning"):
        assert remark in book["ada"]["words"]
    for line in (
        "eve: nothing was handed in",
        "3 people, 2 without a submission",
        "a.pdf: zed, zoe is not in the roster",
        "cut.pdf: no id could be read, so a person must find whose it is",
    ):
        assert line in course.printed


@pytest.mark.parametrize(
    ("handed_in", "totals", "days", "remark"),
    [
        (IN_TIME, ("80", "80"), "0", ""),
        ("2026-12-01T12:10+00:00", ("80", "80"), "0", ""),
        (LATE, ("72", "80"), "1", "1 day late"),
        ("2026-12-04T13:00+00:00", ("0", "0"), "4", "4 days late"),
        (None, ("80", "80"), "0", "the time of handing in is unknown"),
    ],
)
def test_late_days_cost_their_share_unless_they_are_free(
    course: Course, handed_in: str | None, totals: tuple[str, str], days: str, remark: str
) -> None:
    course.keep("group.pdf", "ada", "bob", at=handed_in)
    book = course.book()
    assert (book["ada"]["total"], book["bob"]["total"], book["ada"]["days_late"]) == (*totals, days)
    assert book["ada"]["words"].startswith(remark or "not judged yet")


def test_last_submission_of_the_assignment_counts(course: Course) -> None:
    course.keep("first.pdf", "ada", "bob")
    course.keep("second.pdf", "ada", at="2026-12-01T11:30+00:00", claims=0)
    book = course.book()
    assert (book["ada"]["submission"], book["bob"]["submission"]) == ("second.pdf", "first.pdf")
    assert "is in 2 submissions, second.pdf counts" in book["ada"]["words"]
    written(course.folder / "week2.toml", ASSIGNMENT)
    assert {row["submission"] for row in course.book(assignment="week2.toml").values()} == {""}


def test_points_given_by_hand_survive_a_regrade(course: Course) -> None:
    by_hand = course.by_hand("ada,reasoning,15,well seen", "ada,rerun,30,a good machine", "ada,more,-3,", "bob,more,,")
    totals = []
    for claims in (50, 0):
        course.keep("a.pdf", "ada", rerun=0, claims=claims)
        totals.append((ada := course.book(*by_hand)["ada"])["total"])
    assert totals == ["92", "42"]
    assert "reasoning: well seen" in ada["words"] and "rerun: a good machine" in ada["words"]


def test_exports_have_the_columns_of_moodle_canvas_and_gradescope(course: Course) -> None:
    course.keep("a.pdf", "ada", at=LATE)
    course.book(*course.by_hand("ada,reasoning,20,"))
    ada, bob, _ = course.rows("moodle.csv")
    assert list(ada) == ["ID number", "Email address", "Week one", "Week one (feedback)"]
    assert (ada["ID number"], ada["Week one"], bob["Week one"]) == ("ada", "90", "-")
    possible, ada, bob, _ = course.rows("canvas.csv")
    assert list(ada) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week one"]
    assert possible["Student"].strip() == "Points Possible" and possible["Week one"] == "100"
    assert list(ada.values()) == ["Ada L.", "71", "ada", "al", "A", "90"] and bob["Week one"] == ""
    document = json.loads((course.grades / "gradescope" / "a.json").read_text())
    tests = {test["name"]: (test["score"], test["max_score"]) for test in document["tests"]}
    assert document["score"] == 90.0
    assert tests == {"rerun": (30, 30), "claims": (50, 50), "reasoning": (20, 20)}


def test_anonymous_submissions_are_judged_by_a_code_that_never_changes(course: Course) -> None:
    attempt, out = course.keep("a.pdf", "ada"), course.folder / "nameless"
    course.book("--nameless", out, status=2)
    assert "anonymous = true in the assignment" in course.printed
    (attempt / "nameless.pdf").write_bytes(b"%PDF a")
    course.book("--nameless", out)
    (code,) = [place.name for place in out.iterdir() if place.is_dir()]
    sheet = out / "sheet.csv"
    assert sheet.read_text() == f"who,criterion,points,comment\n{code},reasoning,,\n"
    assert (out / code / "nameless.pdf").read_bytes() == b"%PDF a" and "ada" not in sheet.read_text()
    sheet.write_text(f"who,criterion,points,comment\n{code},reasoning,12,fine\n")
    book = course.book("--nameless", out, "--by-hand", sheet)
    assert book["ada"]["reasoning"] == "12" and f"{code},reasoning,12,fine" in sheet.read_text()


def test_formulas_become_text(course: Course) -> None:
    course.keep("a.pdf", "ada")
    (course.folder / "roster.csv").write_text("id,name\nada,=1+1\n")
    book = course.book(*course.by_hand("ada,reasoning,1,=cmd"), status=0)
    assert book["ada"]["name"] == "'=1+1" and course.rows("canvas.csv")[1]["Student"] == "'=1+1"


@pytest.mark.parametrize(
    ("text", "roster"),
    [
        ("name,ID,free_days,colour\nAda L.,Ada,2,red\nBob,bob,,\n",
         {"ada": Person("Ada", "Ada L.", free_days=2), "bob": Person("bob", "Bob")}),
        ("\ufeffid;name\n7;Zoë\n", {"7": Person("7", "Zoë")}),
    ],
)  # fmt: skip
def test_rosters_of_spreadsheets_are_read(tmp_path: Path, text: str, roster: dict[str, Person]) -> None:
    assert read_roster(written(tmp_path / "roster.csv", text)) == roster


@pytest.mark.parametrize(
    ("file", "text", "line", "what"),
    [
        ("roster", "id\nada\nbob\nADA\n", 4, "'ADA' is already in line 2"),
        ("roster", "id,name\n,Ada\n", 2, "the id is empty"),
        ("roster", "name\nAda\n", 1, "the column id is missing"),
        ("roster", "id,id\na,b\n", 1, "the column id is there twice"),
        ("roster", "id,free_days\nada,two\n", 2, "free_days is 'two'"),
        ("roster", "id,name\nada,Ada,3\n", 2, "more cells than the first"),
        ("roster", "id\n", None, "names nobody"),
        *(("roster", f"id,free_days\nada,{days}\n", 2, "free_days is") for days in ("9" * 5000, "1" * 400, "-1", "²")),
        ("roster", 'id,name\nada,"Ada\nbob,Bob\n', 3, "is not CSV: unexpected end of data"),
        ("roster", f"id,name\n{'a' * 200_000},Ada\n", 2, "is not CSV: field larger"),
        ("roster", "id\r\rada\r", 1, "contains U[+]000D"),
        ("roster", "id\nada\n\u202ebob\n", 3, "contains U[+]202E"),
        ("by_hand", f"ada,more,{'1' * 400},", 2, "points is '1+, expected a whole number, -1000000 to 1000000"),
        ("by_hand", "ada,beauty,3,", 2, "unknown criterion 'beauty', expected one of reasoning, rerun, claims, more"),
        ("by_hand", "ada,reasoning,21,", 2, "reasoning has 21 points, expected 0 to 20"),
        ("by_hand", "ada,reasoning,x,", 2, "points is 'x'"),
        ("by_hand", "ada,reasoning,1,\nada,reasoning,2,", 3, "ada has reasoning twice"),
        ("times", "b.pdf,2026-12-01T10:00", 2, "handed_in is '2026-12-01T10:00'"),
        ("times", "b.pdf,yesterday", 2, "handed_in is 'yesterday'"),
    ],
)
def test_mistakes_are_named_with_their_line(course: Course, file: str, text: str, line: int | None, what: str) -> None:
    head = {"roster": "", "by_hand": "who,criterion,points,comment\n", "times": "submission,handed_in\n"}[file]
    table = written(course.folder / f"{file}.csv", head + text)
    assignment = load_assignment(course.folder / "week1.toml")
    with pytest.raises(SpecError, match=what) as caught:
        if file == "roster":
            read_roster(table)
        elif file == "by_hand":
            read_by_hand(table, assignment)
        else:
            times_of(None, table)
    assert caught.value.line == line


def test_times_come_from_a_table_or_from_the_files(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / "in" / name).touch()
        os.utime(tmp_path / "in" / name, (1000, 1000))
    table = written(tmp_path / "times.csv", "submission,handed_in\nb.pdf,2026-12-01T10:00+01:00\n")
    assert times_of(tmp_path / "in", table) == {
        "a.pdf": datetime.fromtimestamp(1000, UTC), "b.pdf": datetime(2026, 12, 1, 9, tzinfo=UTC)
    }  # fmt: skip


RANKED = """[leaderboard]
series = "many"
[[step]]
series = "many"
points = 10
asks = "it works"
"""


def test_leaderboard_ranks_exact_scores_then_hand_in_times(course: Course) -> None:
    text = ASSIGNMENT.replace("verbs_throughput", "write_the_programs/write_the_programs.toml") + RANKED
    written(course.folder / "week1.toml", text.replace("[points]", "[points]\nsteps = 10"))
    shutil.copytree(ASSIGNMENTS / "write_the_programs", course.folder / "write_the_programs")
    score = Score("many at 4K", 812.5, "ns", least_is_best=True)
    course.keep("a.pdf", "ada", at=LATE, score=score)
    course.keep("b.pdf", "bob", "eve", score=score)
    attempt = course.keep("old.pdf", "eve", at="2026-11-30T11:00+00:00", score=replace(score, value=1))
    assert json.loads((attempt / "results.json").read_text())["leaderboard"] == [
        {"name": "many at 4K [ns]", "value": 1, "order": "asc"}
    ]
    course.book("--leaderboard", "names")
    assert [(row["rank"], row["who"], row["score"]) for row in course.rows("leaderboard.csv")] == [
        ("1", "Bob and Eve", "812.5"),
        ("2", "Ada L.", "812.5"),
    ]
    assert "   1  Bob and Eve: 812.5 ns" in course.printed
    scope = json.loads((course.grades / "gradescope" / "b.json").read_text())
    assert scope["leaderboard"][0]["value"] == 812.5
    course.book("--leaderboard", "codes")
    codes = {row["submission"]: row["code"] for row in course.rows("codes.csv")}
    assert [row["who"] for row in course.rows("leaderboard.csv")] == [codes["b.pdf"], codes["a.pdf"]]
    assert "Ada" not in (course.grades / "leaderboard.csv").read_text()


def test_assignment_without_a_leaderboard_has_no_ranks(course: Course) -> None:
    course.keep("a.pdf", "ada")
    course.book("--leaderboard", "names", status=2)
    assert "the assignment has no leaderboard" in course.printed
