"""One submission: the time budget of its programs, and work that several checks share."""

import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.conftest import GradeFile, SetChecks

from lab.errors import SiteError, SiteStopped, TrialFailed
from lab.grade.case import Case, GradingSetup, Metered, SubmissionFile
from lab.grade.checks.report import read_lines
from lab.grade.finding import Finding, Flaw
from lab.grade.grading import grade, watch
from lab.machine.qemu import MachineError
from lab.model.trial import NS_PER_S, Job, Link, Outcome, Perturbation
from lab.report.errors import ReportError
from lab.submission.archive import Submission, open_submission

STUDENTS = Job((), Link(), Perturbation(), deadline_s=20, untrusted=True)
LASTED = Outcome((), {}, {}, 5 * NS_PER_S, 11 * NS_PER_S, "", 99.0)


class OneOutcome:
    """A site where each job has the same outcome, or raises the same error."""

    def __init__(self, outcome: Outcome | SiteError) -> None:
        self.outcome = outcome

    def run(self, _: Job) -> Outcome:
        if isinstance(self.outcome, SiteError):
            raise self.outcome
        return self.outcome


def test_time_budget_is_charged_for_the_students_programs_only() -> None:
    metered = Metered(OneOutcome(LASTED), 12)
    for _ in range(2):
        assert metered.run(STUDENTS) is LASTED
    with pytest.raises(TrialFailed, match="for more than 12 s, in all checks together"):
        metered.run(STUDENTS)
    assert metered.run(replace(STUDENTS, untrusted=False)) is LASTED


def test_broken_machine_costs_the_deadline() -> None:
    metered = Metered(OneOutcome(MachineError("it went off")), 20)
    with pytest.raises(TrialFailed, match="broke the machine: it went off"):
        metered.run(STUDENTS)
    with pytest.raises(TrialFailed, match="for more than 20 s"):
        metered.run(STUDENTS)


@pytest.mark.parametrize("error", [SiteStopped("stopped"), SiteError("the disk is full")])
def test_faults_of_the_graders_host_cost_nothing(error: SiteError) -> None:
    site = OneOutcome(error)
    metered = Metered(site, 1)
    with pytest.raises(type(error)):
        metered.run(STUDENTS)
    site.outcome = LASTED
    assert metered.run(STUDENTS) is LASTED


def test_interrupted_grading_ends_the_running_trials(setup: GradingSetup, tmp_path: Path) -> None:
    site = hand_ins.Site()
    case = Case(replace(setup, site=site), SubmissionFile(tmp_path / "ada.pdf"), tmp_path)

    def interrupted(_: int) -> bool:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return site.stopped.wait(30)

    with pytest.raises(KeyboardInterrupt):
        case.each(interrupted, [1])
    assert site.stopped.is_set()


def test_failed_work_is_not_repeated_for_another_check(
    setup: GradingSetup, ada: Any, tmp_path: Path, set_checks: SetChecks, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(setup, SubmissionFile(hand_ins.handed_in(ada, tmp_path / "ada.pdf")), tmp_path)
    builds = []

    def refuse(*_: object) -> bytes:
        builds.append(1)
        raise ReportError("the report does not build")

    def needs_report(case: Case) -> list[Finding]:
        return [Finding(Flaw.TEXT, str(case.rebuilt))]

    monkeypatch.setattr("lab.grade.rebuild.rebuild", refuse)
    names = ("discussion", "pages", "claims")
    set_checks(**dict.fromkeys(names, needs_report))
    done = grade(case, "", names, lambda _: None)
    assert builds == [1]
    again = "see the check discussion"  # a reader of all checks needs the sentence once
    assert [check.findings[0].what for check in done.checks] == ["the report does not build", again, again]


def test_submission_is_opened_once_for_all_checks(
    grade_file: GradeFile, ada: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, opened = hand_ins.handed_in(ada, tmp_path / "ada.pdf"), []

    def count(place: Path) -> Submission:
        opened.append(place)
        return open_submission(place)

    monkeypatch.setattr("lab.submission.archive.open_submission", count)
    grade_file(file, ("package", "records", "discussion"))
    assert opened == [file]


def test_anonymous_report_has_no_names(setup: GradingSetup, ada: Any, tmp_path: Path) -> None:
    case = Case(setup, SubmissionFile(hand_ins.handed_in(ada, tmp_path / "ada.pdf")), tmp_path)
    pdf = case.anonymous()
    assert pdf.startswith(b"%PDF") and pdf != case.rebuilt
    text = " ".join(read_lines(pdf))
    assert "Not shown" in text and "ada" not in text.split()


def test_grader_counts_the_trials_that_it_measures(
    setup: GradingSetup, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    planned = setup.course_plan.planned
    replace(setup, results=tmp_path, watch=watch).measure(planned)
    last = [line for line in capfd.readouterr().err.splitlines() if "measured" in line][-1]
    assert last.endswith(f" repetition {planned[-1].repetition}: measured ({len(planned)} of {len(planned)})")
