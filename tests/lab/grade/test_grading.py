"""Grades of honest submissions, of other machines, and of checks that crash."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.conftest import GradeFile, SetChecks, setup_of
from tests.lab.grade.forger import Forger, accepting
from tests.lab.hand_ins import Course

from lab.errors import SiteError, SpecError
from lab.experiment.reader import load
from lab.files.storage import write_text
from lab.grade.case import Case, GradingSetup
from lab.grade.course import attempts_of, last_attempt, new_attempt
from lab.grade.finding import GRADE, Finding, Flaw, Grade, PartPoints, Status
from lab.grade.grading import UNREAD, grade, require_gradable
from lab.grade.outputs import write_grade
from lab.places import EXAMPLES, exact_version
from lab.records.record import open_record
from lab.report.pdf import extract
from lab.sites.cable import Cable
from lab.submission.assignment import CHECKS
from lab.submission.hand_in import NO_OBSTACLE, identity_of


def raising(error: Exception) -> Callable[[Case], Iterator[Finding]]:
    def check(_: Case) -> Iterator[Finding]:
        raise error

    return check


def hang(_: Case) -> Iterator[Finding]:
    while True:
        pass


def work_of(course: Course, name: str, text: str = hand_ins.DISCUSSION, **files: str) -> Any:
    work = hand_ins.make_work(course, name, hand_ins.Site(), text)
    for file, content in files.items():
        (work.folder / file).write_text(content)
    return work


def with_records_of_another_experiment(course: Course) -> Any:
    """Some trials were measured for an experiment with other parameters."""
    folder, site = course.folder / "cleo", hand_ins.Site()
    folder.mkdir()
    other = hand_ins.EXPERIMENT.replace("repetitions = 6", "repetitions = 2").replace('name = "', 'name = "first_')
    (folder / "other.toml").write_text(other)
    hand_ins.measure(hand_ins.plan_on(folder / "other.toml", site, "d"), folder / "results", site)
    work = work_of(course, "cleo")
    series = [open_record(work.results, key).facts().moment.first_asked_by.series for key in work.plan.trials()]
    assert Counter(series) == {"verbs": 4, "tcp": 4, "first_verbs": 2, "first_tcp": 2}
    return work


def with_sources(course: Course) -> Any:
    text = hand_ins.DISCUSSION + "Others have looked at it before us \\cite{frey}.\n"
    source = "@misc{frey, author = {P. Frey}, title = {The hidden cost}}\n"
    return work_of(course, "dora", text, **{"references.bib": source})


@pytest.mark.parametrize("make", [with_records_of_another_experiment, with_sources])
def test_honest_submission_has_all_points(grade_file: GradeFile, course: Course, make: Callable[[Course], Any]) -> None:
    done = grade_file(make(course))
    assert (done.kinds, done.points, done.note, done.is_final) == ((), 100, "", True)


def split(file: Path) -> None:
    """Move the experiment's link and series to a file that it includes."""
    first, link, series = file.read_text().partition("[link]")
    write_text(file.parent / "shared" / "both.toml", link + series)
    file.write_text(first.replace("[parameters]", 'include = "shared/both.toml"\n[parameters]'))


def test_experiment_with_an_included_file_has_all_points(grade_file: GradeFile, tmp_path: Path) -> None:
    (tmp_path / "lab").mkdir()
    course, site = hand_ins.make_course(tmp_path / "lab"), hand_ins.Site()
    assigned = course.folder / "course" / "small.toml"
    split(assigned)
    work = hand_ins.make_work(course, "ada", site)
    split(work.plan.experiment.file)
    work = hand_ins.with_report(course, replace(work, plan=hand_ins.plan_on(work.plan.experiment.file, site, "d")))
    extract(work.report, tmp_path / "files")
    (alone,) = (tmp_path / "files").rglob("experiment.toml")
    assert load(alone).series == load(assigned).series
    done = grade_file(work, at=setup_of(course))
    assert (done.kinds, done.points) == ((), 100)


def test_other_version_is_noted_and_costs_nothing(grade_file: GradeFile, forger: Forger) -> None:
    done = grade_file(forger.pdf(lab="1.0.0+\x1b[2J" + "x" * 99), ["package"])
    assert done.kinds == () and done.points == done.most and len(done.note) < 300
    assert "version '1.0.0+\\x1b[2Jxxx" in done.note and f"graded with version '{exact_version()}'" in done.note


@pytest.mark.parametrize(
    ("reason", "is_preview", "passes"),
    [(NO_OBSTACLE, True, True), (NO_OBSTACLE, False, False), ("the report is stale", True, False)],
)
def test_a_draft_without_obstacles_loses_points_as_a_submission_but_not_in_a_preview(
    grade_file: GradeFile, setup: GradingSetup, forger: Forger, reason: str, is_preview: Any, passes: Any
) -> None:
    done = grade_file(forger.pdf(draft=(reason,)), ["package"], replace(setup, is_preview=is_preview))
    assert done.kinds == (() if passes else (Flaw.DRAFT.value,)) and (done.points == done.most) is passes


@pytest.mark.parametrize(("slowness", "kinds"), [(1.04, set()), (1.2, {Flaw.TOLERANCE, Flaw.REPETITION, Flaw.SHIFT})])
def test_listed_machine_is_compared_by_tolerance(
    grade_file: GradeFile, setup: GradingSetup, course: Course, slowness: float, kinds: set[Flaw]
) -> None:
    work = hand_ins.make_work(course, f"bob-{slowness}", hand_ins.Site("another", slowness), digest="e")
    listing = accepting(setup, identity_of(work.plan).digest[:16])
    done = grade_file(work, ["rerun"] if kinds else CHECKS, at=listing)
    assert {finding.kind for check in done.checks for finding in check.findings} == kinds
    assert done.flags == () and "by tolerance" in done.note


def test_unlisted_identity_is_flagged_and_costs_only_rerun(grade_file: GradeFile, course: Course) -> None:
    done = grade_file(hand_ins.make_work(course, "gil", hand_ins.Site("another")))
    assert done.kinds == (Flaw.OTHER_IDENTITY.value,) and done.points == 75 and done.is_final
    (flag,) = done.flags
    assert flag.startswith("ANOTHER IDENTITY") and done.identity in flag and "differs in image" in flag


@pytest.mark.parametrize("content", [b"[" * 9000, b'{"site": 1}'])
def test_unreadable_identity_is_flagged(grade_file: GradeFile, forger: Forger, content: bytes) -> None:
    done = grade_file(forger.pdf(forger.files | {"identity.json": content}), ["rerun"])
    assert done.flags == (UNREAD,) and done.points == 0 and done.identity == ""
    assert [check.status for check in done.checks] == [Status.FAILED]


def test_wall_clock_is_compared_by_tolerance_if_it_is_listed(
    grade_file: GradeFile, course: Course, setup: GradingSetup, tmp_path: Path
) -> None:
    here, there = hand_ins.Site(slowness=1.0), hand_ins.Site(slowness=1.02)
    here.name = there.name = "host"
    here.traits = there.traits = Cable.traits
    work = hand_ins.make_work(course, "fay", there)
    plan = hand_ins.plan_on(course.folder / "course" / "small.toml", here, "d")
    assert work.plan.trials().keys() == plan.trials().keys()
    assignment = replace(setup.assignment, site="host:rxe", identities=("host",))
    wall = replace(setup, assignment=assignment, site=here, course_plan=plan, results=tmp_path / "host")
    done = grade_file(work, at=wall)
    assert done.kinds == done.flags == () and "by tolerance" in done.note
    done = grade_file(work, ["rerun"], at=replace(wall, assignment=replace(assignment, identities=None)))
    assert done.kinds == (Flaw.OTHER_IDENTITY.value,) and "nothing that is known here" in done.flags[0]


def test_records_of_other_trials_are_missing(grade_file: GradeFile, course: Course, ada: Any) -> None:
    other = hand_ins.make_work(course, "dan", hand_ins.Site("another"))
    work = hand_ins.with_report(course, other, ada.report.read_bytes())
    assert grade_file(work, ["rerun"]).kinds == (Flaw.MISSING_RECORD.value,)


def test_nothing_is_measured_for_an_unreadable_file(setup: GradingSetup, grade_file: GradeFile, tmp_path: Path) -> None:
    empty = replace(setup, results=tmp_path / "none")
    (check,) = grade_file(b"no PDF", ["rerun"], at=empty).checks
    assert check.status is Status.FAILED and not empty.results.exists()


def test_check_that_crashes_or_hangs_does_not_stop_the_others(case: Case, set_checks: SetChecks) -> None:
    set_checks(records=raising(ZeroDivisionError()), claims=hang, rerun=raising(SiteError("the disk is full")))
    done = grade(case, "", CHECKS, lambda _: None, deadline_s=0.2)
    errors = {check.name for check in done.checks if check.status is Status.ERROR}
    assert errors == {"records", "claims", "rerun"} and done.points == 40 and not done.is_final
    assert {check.status for check in done.checks if check.name not in errors} == {Status.PASSED}


def test_grade_is_written_before_the_first_check_and_after_each(case: Case, set_checks: SetChecks) -> None:
    set_checks()
    states: list[Grade] = []
    grade(case, "", CHECKS, states.append)
    waiting = [sum(check.status is Status.WAITING for check in state.checks) for state in states]
    assert waiting == list(range(len(CHECKS), -1, -1))
    assert [state.is_final for state in states] == [False] * len(CHECKS) + [True]


def test_points_are_those_of_the_checks_and_parts(case: Case, set_checks: SetChecks) -> None:
    set_checks()
    some, whole = (grade(case, "", names, lambda _: None) for names in (["rerun"], case.setup.assignment.checks))
    assert (some.points, some.most, some.is_final) == (25, 25, False)
    assert (whole.points, whole.most, whole.is_final) == (100, 100, True)
    parts = (PartPoints("open", 9, 9), PartPoints("write", 6, 4))
    set_checks(discussion=lambda _: parts, claims=lambda _: parts[:1])
    done = grade(case, "", ("discussion", "claims"), lambda _: None)
    assert [(check.points, check.status) for check in done.checks] == [(13, Status.FAILED), (9, Status.PASSED)]


def test_findings_are_cut_and_name_no_folder_of_the_grader(case: Case, set_checks: SetChecks, tmp_path: Path) -> None:
    set_checks(claims=lambda _: [Finding(Flaw.TEXT, f"{case.place.absolute()}: {'y' * 3000}")] * 2000)
    (check,) = grade(case, "", ["claims"], lambda _: None).checks
    assert check.findings[0].what.startswith("ada.pdf: y") and len(check.findings[0].what) < 1100
    assert len(check.findings) == 1000 and str(tmp_path) not in " ".join(check.evidence())


def test_last_final_grade_counts_and_none_is_lost(case: Case, set_checks: SetChecks, tmp_path: Path) -> None:
    folder = attempts_of(tmp_path / "grades", Path("../ada lovelace.pdf"))
    assert folder.parent == tmp_path / "grades" and folder.name.startswith("ada_lovelace~")
    assert last_attempt(folder) == (None, Grade())
    set_checks()
    first = grade(case, "one", CHECKS, lambda _: None)
    write_grade(first, new_attempt(folder))
    set_checks(package=raising(ZeroDivisionError()))
    write_grade(grade(case, "two", CHECKS, lambda _: None), new_attempt(folder))
    (new_attempt(folder) / GRADE).write_text("{")
    assert last_attempt(folder) == (folder / "1", first)
    assert sorted(attempt.name for attempt in folder.iterdir()) == ["1", "2", "3"]


def test_mpi_programs_of_students_are_refused() -> None:
    with pytest.raises(SpecError, match=r"mpi_bootstrap\.toml: ranks is started by MPI"):
        require_gradable(load(EXAMPLES / "mpi_bootstrap.toml"), ())
    require_gradable(load(EXAMPLES / "read_rate.toml"), ("program", "correct", "steps", "speed"))


def test_checks_of_a_client_and_a_server_are_refused_for_several_computers(tmp_path: Path) -> None:
    copytree(EXAMPLES / "ring", tmp_path / "ring")
    text = (EXAMPLES / "ring.toml").read_text()
    file = tmp_path / "ring.toml"
    file.write_text(re.sub(r'\[programs\.mpi\].*?\n\n|\[\[series\]\]\nname = "mpi".*', "", text, flags=re.DOTALL))
    require_gradable(load(file), ("rerun", "sources", "steps"))
    for check in ("program", "correct", "speed"):
        with pytest.raises(SpecError, match=rf"ring has `each`, and the check {check} is for a client and a server"):
            require_gradable(load(file), ("rerun", check))
