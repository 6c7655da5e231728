"""One hand-in graded, and what that leaves: lab.grade.{attempts,case,outputs,remarks,result}."""

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest
from tests.lab import hand_ins
from tests.lab.grade.forger import accepting, make_forger
from tests.lab.hand_ins import Course

from lab.errors import SiteError
from lab.grade import grading
from lab.grade.case import Case, GradingSetup, SubmissionFile
from lab.grade.course import attempts_of, by_assignment, find_submissions, last_attempt, new_attempt
from lab.grade.finding import GRADE, CheckResult, Finding, Flaw, Grade, SavedGrade, Status
from lab.grade.grading import grade
from lab.grade.outputs import FEEDBACK, GRADESCOPE, JUNIT, TEXT, gradescope, junit, lines, write_feedback, write_grade
from lab.grade.remarks import UNREAD
from lab.places import TEMPLATES, exact_version
from lab.records.record import read_facts
from lab.report.errors import ReportError
from lab.sites.cable import Cable
from lab.submission.assignment import CHECKS
from lab.submission.hand_in import identity_of

GradeFile = Callable[..., Grade]


@pytest.fixture
def case(setup: GradingSetup, tmp_path: Path) -> Case:
    """A hand-in that no check of these tests opens."""
    return Case(setup, SubmissionFile(tmp_path / "ada.pdf"), tmp_path)


def checks(monkeypatch: pytest.MonkeyPatch, **given: Callable[[Case], Iterable[Finding]]) -> None:
    passing: dict[str, Any] = dict.fromkeys(CHECKS, lambda _: ())
    monkeypatch.setattr(grading, "CHECKS", passing | given)


def crash(_: Case) -> Iterator[Finding]:
    raise ZeroDivisionError


def hang(_: Case) -> Iterator[Finding]:
    while True:
        pass


def test_an_honest_hand_in_has_all_points(grade_file: GradeFile, ada: Any, tmp_path: Path) -> None:
    grade = grade_file(hand_ins.handed_in(ada, tmp_path / "ada.pdf"))
    assert (grade.kinds, grade.points, grade.ids, grade.note) == ((), 100, ("ada",), "")


def test_records_that_another_experiment_measured_first_are_as_good(
    grade_file: GradeFile, course: Course, tmp_path: Path
) -> None:
    """It comes to some of the same trials from other parameters."""
    folder, site = course.folder / "cleo", hand_ins.Site()
    folder.mkdir()
    other = hand_ins.EXPERIMENT.replace("repetitions = 6", "repetitions = 2").replace('name = "', 'name = "first_')
    (folder / "other.toml").write_text(other)
    hand_ins.measure(hand_ins.plan_on(folder / "other.toml", site, "d"), folder / "results", site)
    work = hand_ins.make_work(course, "cleo", site)
    asked = [read_facts(work.results, key).moment.first_asked_by.series for key in work.plan.trials()]
    assert Counter(asked) == {"verbs": 4, "tcp": 4, "first_verbs": 2, "first_tcp": 2}
    grade = grade_file(hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "cleo.pdf"))
    assert (grade.kinds, grade.points) == ((), 100)


def test_a_hand_in_that_cites_sources_is_rebuilt_with_them(
    grade_file: GradeFile, course: Course, tmp_path: Path
) -> None:
    text = hand_ins.DISCUSSION + "Others have looked at it before us \\cite{frey}.\n"
    work = hand_ins.make_work(course, "dora", hand_ins.Site(), text)
    (work.folder / "references.bib").write_text("@misc{frey, author = {P. Frey}, title = {The hidden cost}}\n")
    grade = grade_file(hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "dora.pdf"))
    assert (grade.kinds, grade.points) == ((), 100)


def test_a_hand_in_with_a_figure_of_its_own_is_rebuilt_from_its_file(
    grade_file: GradeFile, course: Course, tmp_path: Path
) -> None:
    text = hand_ins.DISCUSSION + "\n\\ownfigure{speed.csv}{size}{rate}{Our laptops.}\n\nSee \\figureof{own-speed}.\n"
    work = hand_ins.make_work(course, "edna", hand_ins.Site(), text)
    (work.folder / "speed.csv").write_text("size,rate\n1,2\n2,4\n")
    grade = grade_file(hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "edna.pdf"))
    assert (grade.kinds, grade.points) == ((), 100)


def test_another_version_of_the_lab_is_named_and_costs_nothing(
    grade_file: GradeFile, course: Course, ada: Any, tmp_path: Path
) -> None:
    file = tmp_path / "ada.pdf"
    file.write_bytes(make_forger(course, ada, tmp_path).pdf(lab="1.0.0+\x1b[2J" + "x" * 99))
    grade = grade_file(file, ["package"])
    assert grade.kinds == () and grade.points == grade.most
    assert lines(grade)[1] == grade.note == gradescope(grade)["output"]
    assert "version '1.0.0+\\x1b[2Jxxx" in grade.note and f"graded with '{exact_version()}'" in grade.note
    assert len(grade.note) < 300
    (said,) = Xml.fromstring(junit(grade)).iter("property")
    assert said.get("value") == grade.note


def test_another_machine_that_the_course_lists_is_held_to_the_tolerance(
    grade_file: GradeFile, setup: GradingSetup, course: Course, tmp_path: Path
) -> None:
    work = hand_ins.make_work(course, "bob", hand_ins.Site("another", 1.04), digest="e")
    file = hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "bob.pdf")
    listing = accepting(setup, identity_of(work.plan).digest[:16])
    done = grade_file(file, at=listing)
    assert (done.kinds, done.flags) == ((), ()) and "by tolerance" in done.note
    slow = hand_ins.make_work(course, "carl", hand_ins.Site("another", 1.2), digest="e")
    hand_ins.with_report(course, slow)
    (result,) = grade_file(hand_ins.handed_in(slow, tmp_path / "carl.pdf"), ["rerun"], at=listing).results
    assert {each.kind for each in result.findings} == {Flaw.TOLERANCE, Flaw.REPETITION, Flaw.SHIFT}


def test_an_identity_that_the_course_does_not_list_costs_rerun_and_is_said_first_in_every_output(
    grade_file: GradeFile, course: Course, tmp_path: Path
) -> None:
    """Its records are equal to the grader's: nothing else is against it."""
    work = hand_ins.make_work(course, "gil", hand_ins.Site("another"))
    done = grade_file(hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "gil.pdf"))
    assert done.kinds == (Flaw.OTHER_IDENTITY.value,) and done.points == 75 and done.is_final
    (flag,) = done.flags
    assert done.identity in flag and "differs in image" in flag
    write_grade(done, tmp_path / "out")
    assert lines(done)[1] == flag and gradescope(done)["output"] == flag
    assert (tmp_path / "out" / GRADE).read_text().split("\n")[1:3] == [' "flags": [', f'  "{flag}"']
    assert next(Xml.fromstring(junit(done)).iter("property")).get("value") == flag
    write_feedback(done, TEMPLATES, tmp_path / "out")
    (tmp_path / "out" / FEEDBACK).rename(tmp_path / "page.pdf")
    command = ["pdftotext", "-raw", "page.pdf", "-"]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert said.stdout.index("ANOTHER IDENTITY") < said.stdout.index("75 of 100 points")


def test_an_identity_that_cannot_be_read_is_said_first(
    grade_file: GradeFile, course: Course, ada: Any, tmp_path: Path
) -> None:
    forger = make_forger(course, ada, tmp_path)
    for name, content in (("a", b"[" * 9000), ("b", b'{"site": 1}'), ("c", b"{}")):
        (tmp_path / f"{name}.pdf").write_bytes(forger.pdf(forger.files | {"identity.json": content}))
        done = grade_file(tmp_path / f"{name}.pdf", ["rerun"])
        assert done.flags == (UNREAD,) and done.points == 0 and done.identity == ""
        assert [each.status for each in done.results] == [Status.FAILED]


def test_on_a_site_with_a_clock_on_the_wall_no_two_runs_are_equal(
    grade_file: GradeFile, course: Course, setup: GradingSetup, tmp_path: Path
) -> None:
    here, there = hand_ins.Site(slowness=1.0), hand_ins.Site(slowness=1.02)
    here.name = there.name = "host"
    here.traits = there.traits = Cable.traits
    work = hand_ins.with_report(course, hand_ins.make_work(course, "fay", there))
    plan = hand_ins.plan_on(course.folder / "course" / "small.toml", here, "d")
    assignment = replace(setup.assignment, site="host:rxe", identities=("host",))
    wall = replace(setup, assignment=assignment, site=here, plan=plan, results=tmp_path / "host")
    assert work.plan.trials().keys() == plan.trials().keys()
    file = hand_ins.handed_in(work, tmp_path / "fay.pdf")
    done = grade_file(file, at=wall)
    assert done.kinds == done.flags == () and "by tolerance" in done.note
    unnamed = replace(wall, assignment=replace(assignment, identities=None))
    done = grade_file(file, ["rerun"], at=unnamed)
    assert done.kinds == (Flaw.OTHER_IDENTITY.value,) and "nothing that is known here" in done.flags[0]


def test_records_that_are_not_the_trials_of_the_plan_are_not_measured_again_in_vain(
    grade_file: GradeFile, course: Course, ada: Any, tmp_path: Path
) -> None:
    other = hand_ins.with_report(
        course, hand_ins.make_work(course, "dan", hand_ins.Site("another")), ada.report.read_bytes()
    )
    (result,) = grade_file(hand_ins.handed_in(other, tmp_path / "dan.pdf"), ["rerun"]).results
    assert {each.kind for each in result.findings} == {Flaw.MISSING_RECORD}


def test_a_check_that_breaks_down_or_hangs_never_loses_the_others(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    checks(monkeypatch, records=crash, claims=hang)
    done = grade(case, "", CHECKS, lambda _: None, deadline_s=0.2)
    states = {each.name: each.status for each in done.results}
    assert states == dict.fromkeys(CHECKS, Status.PASSED) | dict.fromkeys(("records", "claims"), Status.ERROR)
    assert done.points == 65 and not done.is_final


def test_the_grade_is_kept_before_the_first_check_and_after_each(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    checks(monkeypatch)
    kept: list[Grade] = []
    grade(case, "", CHECKS, kept.append)
    waiting = [sum(each.status is Status.WAITING for each in state.results) for state in kept]
    assert waiting == list(range(len(CHECKS), -1, -1))
    assert [state.is_final for state in kept] == [False] * len(CHECKS) + [True]


def test_a_line_has_points_evidence_and_the_command_that_repeats_it(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks(monkeypatch, claims=lambda _: [Finding(Flaw.TEXT, f"line {n}") for n in range(25)])
    text = lines(grade(case, "", CHECKS, lambda _: None))
    assert "failed     0 of 20  claims" in text and "passed    25 of 25  rerun" in text
    assert "         [text] line 0" in text and "         and 5 more" in text and text[-1] == "final: 80 of 100 points"
    assert f"         to repeat: lab grade {case.place} --assignment {case.setup.assignment.file} --only claims" in text


def test_every_output_says_the_same(case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checks(monkeypatch, claims=lambda _: [Finding(Flaw.TEXT, "not so \x00 <&")], pages=crash)
    setup = replace(case.setup, assignment=replace(case.setup.assignment, hidden=frozenset({"rerun"})))
    done = grade(Case(setup, case.hand_in, tmp_path), "f" * 64, CHECKS, lambda _: None)
    write_grade(done, tmp_path / "out")
    whole = json.loads((tmp_path / "out" / GRADE).read_text())
    scope = json.loads((tmp_path / "out" / GRADESCOPE).read_text())
    suite = Xml.fromstring((tmp_path / "out" / JUNIT).read_text())
    assert whole["points"] == scope["score"] == 65 == sum(each["score"] for each in scope["tests"])
    assert whole["kinds"] == ["text", "could not be checked"] and whole["sha256"] == "f" * 64 and not whole["final"]
    assert [each["name"] for each in scope["tests"] if each["visibility"] == "hidden"] == ["rerun"]
    assert (suite.get("failures"), suite.get("errors"), suite.get("tests")) == ("1", "1", str(len(CHECKS)))
    assert "65 of 100 points" in (tmp_path / "out" / TEXT).read_text()


def test_an_older_grade_is_never_lost(case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = attempts_of(tmp_path / "grades", Path("../ada lovelace.pdf"))
    assert folder.parent == tmp_path / "grades" and folder.name.startswith("ada_lovelace~")
    assert last_attempt(folder) == (None, SavedGrade())
    checks(monkeypatch)
    write_grade(grade(case, "one", CHECKS, lambda _: None), new_attempt(folder))
    checks(monkeypatch, package=crash)
    write_grade(grade(case, "two", CHECKS, lambda _: None), new_attempt(folder))
    (new_attempt(folder) / GRADE).write_text("{")
    attempt, last = last_attempt(folder)
    assert attempt == folder / "1" and last.sha256 == "one"
    assert sorted(each.name for each in folder.iterdir()) == ["1", "2", "3"]


def test_a_file_that_cannot_be_opened_is_not_measured_for(
    setup: GradingSetup, grade_file: GradeFile, tmp_path: Path
) -> None:
    """The grader's own records would take minutes."""
    (tmp_path / "ada.pdf").write_text("no PDF")
    empty = replace(setup, results=tmp_path / "none")
    grade = grade_file(tmp_path / "ada.pdf", ["rerun"], at=empty)
    assert [each.status for each in grade.results] == [Status.FAILED]
    assert not empty.results.exists()


def test_one_hand_in_that_can_be_opened_is_enough_to_measure_for_a_class(ada: Any, tmp_path: Path) -> None:
    (tmp_path / "bob.pdf").write_text("no PDF")
    (tmp_path / "zoe.pdf").write_bytes(ada.report.read_bytes())
    found, _ = find_submissions(tmp_path)
    assert by_assignment(found, "a.toml") == ({Path("a.toml"): found}, [])


def test_what_several_checks_need_is_made_once_even_where_it_fails(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    built = []

    def refuse(*_: object) -> bytes:
        built.append(1)
        raise ReportError("the report does not build")

    monkeypatch.setattr("lab.grade.case.rebuild", refuse)
    monkeypatch.setattr(Case, "basis", None)
    monkeypatch.setattr(Case, "file", lambda *_: b"")
    monkeypatch.setattr(Case, "references", None)
    monkeypatch.setattr(Case, "own_data", {})
    names = ("discussion", "pages", "claims")
    checks(monkeypatch, **dict.fromkeys(names, lambda each: [each.rebuilt]))
    made = grading.grade(case, "", names, lambda _: None)
    assert built == [1]
    first = "as the check discussion says"  # the same sentence once, for a reader of all
    assert [each.findings[0].what for each in made.results] == ["the report does not build", first, first]


def test_a_grade_of_some_checks_is_not_final(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    checks(monkeypatch)
    some, whole = (grade(case, "", names, lambda _: None) for names in (["rerun"], case.setup.assignment.checks))
    assert lines(some)[-1] == "not final: 25 of 25 points" and not some.is_final
    assert lines(whole)[-1] == "final: 100 of 100 points" and whole.is_final


def test_a_trial_of_the_labs_own_that_fails_here_costs_no_student_points(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Case) -> Iterator[Finding]:
        raise SiteError("the disk is full")

    checks(monkeypatch, rerun=fail)
    done = grade(case, "", ["rerun"], lambda _: None)
    assert [each.status for each in done.results] == [Status.ERROR] and not done.is_final


def test_no_output_holds_a_strangers_line_or_the_graders_folders(
    case: Case, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    evil = "x\n\x1b[2Jfinal: 100 of 100\u202e\u2028"
    found = Finding(Flaw.TEXT, f"{case.place.absolute()}: {evil}{'y' * 3000}")
    checks(monkeypatch, claims=lambda _: [found])
    done = replace(grade(case, "", ["claims"], lambda _: None), submission=evil, ids=(evil,), flags=(evil,))
    write_grade(done, tmp_path / "out")
    for name in (TEXT, GRADESCOPE, JUNIT):
        said = (tmp_path / "out" / name).read_text()
        assert not {"\x1b", "\u202e", "\u2028"} & set(said) and "\nfinal: 100 of" not in said
        assert str(tmp_path) not in said.partition("to repeat")[0] and len(said) < 4000
    assert "x\\n\\x1b[2Jfinal: 100 of 100\\u202e" in (tmp_path / "out" / TEXT).read_text()
    bare = Grade("a", "", (), "a", "", (CheckResult("speed", 0, Status.FAILED),))
    assert lines(bare)[1].split() == ["failed", "no", "points", "speed"]
