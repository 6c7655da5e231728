"""Grade one submission: every check with its points, and remarks for the grader."""

import hashlib
import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TypeVar

from lab.errors import LabError, RecordError, SiteError, SpecError, StorageError, one_line, tell
from lab.experiment.experiment import Experiment
from lab.files.store import digest_files, sha256, sha256_of
from lab.files.toml import files_of
from lab.grade.case import Case, GradingSetup
from lab.grade.checks.data import doubt, package, records, rerun
from lab.grade.checks.program import correct, program, sources, speed, steps
from lab.grade.checks.report import claims, discussion, pages
from lab.grade.finding import CheckResult, Finding, Flaw, Grade, PartPoints, Score, Status
from lab.places import GRADING, PUBLISHED, ROOT, TEMPLATES, exact_version
from lab.plan.builds import source_files
from lab.plan.plan import Planned
from lab.plan.planning import open_campaign
from lab.report.evidence.evidence import describe
from lab.report.stamp import digest_code
from lab.sites.site import open_site
from lab.submission.archive import SubmissionError
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.discussion import files_handed_out
from lab.submission.hand_in import student_builds, student_programs

DEADLINE_S = 3600  # for one check; the longest waits for all trials of the assignment
LONGEST_FINDING = 1000  # letters
LONGEST_VERSION = 40
OTHER_VERSION = (
    "This submission was made with version {!r} of Verbyte and is graded with version {!r}. Where the two versions "
    "write different facts or texts, a finding may not be the student's fault."
)
UNREAD = "UNKNOWN IDENTITY: it does not name where it was measured: no points for rerun unless a person gives them"
OF_PAIRS = ("program", "correct", "speed")  # checks of what a client and a server do
BY_TOLERANCE = "Measured on {}, which the assignment accepts: compared with the grader's records by tolerance."

Check = Callable[[Case], Iterable[Finding | PartPoints | Score]]
CHECKS: dict[str, Check] = {  # in the order in which they are made
    check.__name__: check
    for check in (package, records, rerun, program, sources, correct, steps, speed, claims, pages, discussion)
}
Keep = Callable[[Grade], None]
_Value = TypeVar("_Value")


class CheckTookTooLong(Exception):
    """A check missed its deadline. This is not a LabError, since the submission is not to blame."""


def prepare_grading(file: Path, jobs: int) -> GradingSetup:
    assignment = load_assignment(file)
    campaign = open_campaign([assignment.experiment_file], open_site(assignment.site), tell)
    (plan,) = campaign.plans
    require_gradable(plan.experiment, assignment.checks)
    return GradingSetup(
        assignment, campaign.site, plan, GRADING / "results", TEMPLATES, GRADING, campaign.site.at_once or jobs, watch,
        _grader_digest(assignment, plan.experiment),
    )  # fmt: skip


def watch(result: str, planned: Planned) -> None:
    tell(f"{describe(planned)}: {result}")


def require_gradable(experiment: Experiment, checks: Sequence[str]) -> None:
    """Refuse to run untrusted programs with the rights of the user, and checks of two ends where there are more."""
    for tool in student_programs(experiment):
        if tool.launched:
            what = f"{tool.name} is started by MPI, and such a student program cannot be sandboxed"
            raise SpecError(what, file=experiment.file, hint="verbs or TCP without MPI for graded programs")
        if tool.together and (pairs := [check for check in OF_PAIRS if check in checks]):
            what = f"{tool.name} has `each`, and the check {pairs[0]} is for a client and a server"
            raise SpecError(what, file=experiment.file, hint=f"no points for {pairs[0]} in the assignment")


def digest_of(place: Path) -> str:
    """The digest of all files of a submission; equal submissions have equal digests."""
    inside = sorted(file for file in place.rglob("*") if file.is_file() and not file.is_symlink())
    files = {"": place} if place.is_file() else {file.relative_to(place): file for file in inside}
    return sha256_of("".join(f"{name} {sha256(file)}\n" for name, file in files.items()).encode())


def _grader_digest(assignment: Assignment, experiment: Experiment) -> str:
    """A digest of everything that a grade of this assignment depends on."""
    texts = [file for folder in (TEMPLATES, PUBLISHED) for file in sorted(folder.rglob("*.*"))]
    course_files = [assignment.file, *files_of(assignment.experiment_file), *chain(*files_handed_out(assignment))]
    digest = hashlib.sha256(f"{digest_files([*course_files, *texts])} {digest_code()}".encode())
    for build in student_builds(experiment):
        for _, content in source_files(build):
            digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def grade(case: Case, sha256: str, names: Iterable[str], keep: Keep, deadline_s: float = DEADLINE_S) -> Grade:
    """Make the checks of these names; call keep() before the first and after each."""
    state = _waiting(case, sha256, tuple(names))
    keep(state)
    for place, waiting in enumerate(state.checks):
        before, after = state.checks[:place], state.checks[place + 1 :]
        state = replace(state, checks=(*before, _once(_make(case, waiting, deadline_s), before), *after))
        keep(state)
    return state


def _waiting(case: Case, sha256: str, names: tuple[str, ...]) -> Grade:
    assignment = case.setup.assignment
    checks = tuple(
        CheckResult(
            name,
            assignment.points.get(name, 0),
            hidden=name in assignment.hidden,
            command=f"lab grade {shlex.quote(str(case.place))} --assignment {assignment.named} --only {name}",
        )
        for name in names
    )
    return Grade(
        flags=_flags(case),
        submission=case.place.name,
        sha256=sha256,
        ids=_read(lambda: case.page.ids, ()),
        assignment=assignment.name,
        grader=case.setup.grader,
        identity=_identity(case),
        note=_note(case),
        whole=set(names) >= set(assignment.checks),
        checks=checks,
    )


def _flags(case: Case) -> tuple[str, ...]:
    """The sentences at the beginning of every output, which also mark the row of a class."""
    if not _read(lambda: bool(case.submission.files), otherwise=False):
        return ()  # the check of the package reports what cannot be opened
    identity = _read(lambda: "" if case.is_accepted else case.identity_flag, otherwise=UNREAD)
    return tuple(filter(None, (identity, one_line(_read(lambda: doubt(case), otherwise="")))))


def _note(case: Case) -> str:
    """The sentences that explain odd findings; they change no points."""
    version = _read(lambda: case.page.lab, "")
    is_equal, versions = version in ("", exact_version()), (version[:LONGEST_VERSION], exact_version())
    notes = [] if is_equal else [OTHER_VERSION.format(*versions)]
    if _read(lambda: case.is_accepted and not case.repeats_exactly, otherwise=False):
        notes.append(BY_TOLERANCE.format(_identity(case)))
    return " ".join(notes)


def _identity(case: Case) -> str:
    return _read(lambda: case.claimed_identity.words, "")


def _read(read: Callable[[], _Value], otherwise: _Value) -> _Value:
    """Read from a submission. No untrusted bytes end the grading before its first check."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - as in _judge
        return otherwise


def _once(result: CheckResult, before: Iterable[CheckResult]) -> CheckResult:
    """Report a fault that stops several checks in the first of them; the others name that check."""
    for check in before:
        if result.findings and check.findings == result.findings:
            return replace(result, findings=(Finding(result.findings[0].kind, f"see the check {check.name}"),))
    return result


def _make(case: Case, waiting: CheckResult, deadline_s: float) -> CheckResult:
    started = time.monotonic()
    status, results = _judge(CHECKS[waiting.name], case, deadline_s)
    findings = tuple(replace(item, what=_shown(item.what, case)) for item in results if isinstance(item, Finding))
    parts = tuple(item for item in results if isinstance(item, PartPoints))
    score = next((item for item in results if isinstance(item, Score)), None)
    seconds = round(time.monotonic() - started, 1)
    return replace(waiting, status=status, findings=findings, parts=parts, score=score, seconds=seconds)


def _judge(check: Check, case: Case, deadline_s: float) -> tuple[Status, tuple[Finding | PartPoints | Score, ...]]:
    def only(status: Status, kind: Flaw, what: object) -> tuple[Status, tuple[Finding]]:
        return status, (Finding(kind, str(what)),)

    try:
        with _deadline(deadline_s):
            results = case.made(check)
    except SubmissionError as error:
        return only(Status.FAILED, Flaw(error.fault.value), error)
    except (CheckTookTooLong, SiteError, StorageError) as error:  # the grader's host is at fault
        return only(Status.ERROR, Flaw.BLOCKED, error)
    except LabError as error:
        return only(Status.FAILED, Flaw.RECORD if isinstance(error, RecordError) else Flaw.BLOCKED, error)
    except RecursionError:
        return only(Status.FAILED, Flaw.UNREADABLE, "a file is nested more deeply than anything that Verbyte writes")
    except Exception as error:  # noqa: BLE001 - untrusted data may break anything; the other checks go on
        return only(Status.ERROR, Flaw.BLOCKED, f"the check broke down: {error!r:.300}")
    parts = [item for item in results if isinstance(item, PartPoints)]
    has_faults = any(isinstance(item, Finding) for item in results) or any(part.points < part.most for part in parts)
    return Status.FAILED if has_faults else Status.PASSED, results


def _shown(what: str, case: Case) -> str:
    """A finding without the grader's folders, and cut, since students read it and it may have untrusted text."""
    setup = case.setup
    for folder in (case.folder, case.place.absolute().parent, case.place.parent, setup.results, setup.cache, ROOT):
        if len(folder.parts) > 1:
            what = what.replace(f"{folder}/", "")
    return what if len(what) <= LONGEST_FINDING else f"{what[:LONGEST_FINDING]}..."


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Interrupt the block after some seconds. Only the main thread can be interrupted."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise CheckTookTooLong(f"it did not end within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
