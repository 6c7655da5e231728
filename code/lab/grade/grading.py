"""Grade one submission: every check, and its points."""

from __future__ import annotations

import hashlib
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from lab.errors import LabError, RecordError, SiteError, SpecError, StorageError
from lab.experiment.experiment import Experiment
from lab.files.store import digest_files
from lab.files.toml import files_of
from lab.grade import remarks
from lab.grade.case import Case, GradingSetup
from lab.grade.checks import CHECKS, Check
from lab.grade.finding import CheckResult, Finding, Flaw, Grade, PartPoints, Status
from lab.places import GRADING, HOSTS, PUBLISHED, ROOT, TEMPLATES
from lab.plan.builds import source_files
from lab.plan.plan import Planned
from lab.plan.planning import open_workshop
from lab.report.stamp import digest_code
from lab.sites.site import Witness, fixed, open_site
from lab.submission.archive import SubmissionError
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.discussion import files_handed_out
from lab.submission.hand_in import own_builds, own_programs

CODE = ROOT / "code" / "lab"


def prepare_grading(file: Path, jobs: int, cluster: Path | None = None) -> GradingSetup:
    """The setup for one assignment. With a cluster, its nodes run the trials that repeat exactly."""
    assignment = load_assignment(file)
    kind = fixed(assignment.site)
    spread = cluster is not None and kind is not None and kind.repeats
    site = open_site(f"slurm:{assignment.site}", cluster or HOSTS) if spread else open_site(assignment.site)
    shop = open_workshop([assignment.experiment], site, _tell)
    (plan,) = shop.plans
    require_shut_in(plan.experiment)
    jobs, grader = shop.site.at_once or jobs, _grader(assignment, plan.experiment)
    witness = open_site(assignment.site) if spread else site  # this computer's own gives the same bytes
    return GradingSetup(
        assignment, shop.site, plan, GRADING / "results", TEMPLATES, GRADING, jobs, _watch(), grader,
        witness if isinstance(witness, Witness) else None,
    )  # fmt: skip


def require_shut_in(experiment: Experiment) -> None:
    """Refuse to run strangers' programs with the rights of whoever starts them."""
    for tool in own_programs(experiment):
        if tool.launched:
            what = f"{tool.name} is started by MPI, and such a program of a student's cannot be shut in"
            raise SpecError(what, file=experiment.file, hint="verbs or TCP without MPI in what is graded")


def digest_of(place: Path) -> str:
    """The digest of all files of a hand-in; the same hand-in has the same digest."""
    digest = hashlib.sha256()
    inside = sorted(each for each in place.rglob("*") if each.is_file() and not each.is_symlink())
    for file in [place] if place.is_file() else inside:
        with file.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{file.relative_to(place) if file != place else ''} {content}\n".encode())
    return digest.hexdigest()


def _grader(assignment: Assignment, experiment: Experiment) -> str:
    """A digest of all that a grade of this assignment comes from; other assignments are no part of it."""
    texts = [each for folder in (TEMPLATES, PUBLISHED) for each in sorted(folder.rglob("*.*"))]
    own = [assignment.file, *files_of(assignment.experiment), *chain(*files_handed_out(assignment))]
    sources = [content for build in own_builds(experiment) for _, content in source_files(build)]
    programs = hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in sources)).hexdigest()
    return hashlib.sha256(f"{digest_files([*own, *texts])} {programs} {digest_code([CODE])}".encode()).hexdigest()


def _watch() -> Callable[[str, Planned], None]:
    """A function that prints each of the grader's own trials when it ends."""

    def watch(result: str, planned: Planned) -> None:
        print(f"{planned.series.name} repetition {planned.repetition}: {result}", file=sys.stderr)

    return watch


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


DEADLINE_S = 3600  # for one check; the longest waits for all trials of the assignment
MOST_FINDINGS, LONGEST_FINDING = 1000, 1000  # of one check, and in letters

Keep = Callable[[Grade], None]


class CheckTookTooLong(Exception):
    """A check missed its deadline. It is no LabError, since the hand-in is not to blame."""


def grade(case: Case, sha256: str, names: Iterable[str], keep: Keep, deadline_s: float = DEADLINE_S) -> Grade:
    """All checks of these names; keep() is called before the first and after each."""
    state = _waiting(case, sha256, names)
    keep(state)
    for place, waiting in enumerate(state.results):
        done = _make(CHECKS[waiting.name], case, waiting, deadline_s)
        before, after = state.results[:place], state.results[place + 1 :]
        results = (*before, _once(done, before), *after)
        state = replace(state, results=results)
        keep(state)
    return state


def _waiting(case: Case, sha256: str, names: Iterable[str]) -> Grade:
    assignment, chosen = case.setup.assignment, tuple(names)
    results = tuple(
        CheckResult(
            name,
            assignment.points.get(name, 0),
            hidden=name in assignment.hidden,
            command=f"lab grade {shlex.quote(str(case.place))} --assignment {assignment.named} --only {name}",
        )
        for name in chosen
    )
    whole = set(chosen) >= set(assignment.checks)
    ids, _ = remarks.ids_and_version(case)
    made = Grade(case.place.name, sha256, ids, assignment.name, case.setup.grader, results, whole=whole)
    words = remarks.identity_words(case)
    return replace(made, flags=remarks.flags(case), note=remarks.note(case), identity=words)


def _once(result: CheckResult, before: Iterable[CheckResult]) -> CheckResult:
    """What stops several checks is said by the first of them; the others name it."""
    same = next((each.name for each in before if result.findings and each.findings == result.findings), None)
    if same is None:
        return result
    kind = result.findings[0].kind
    return replace(result, findings=(Finding(kind, f"as the check {same} says"),))


def _make(check: Check, case: Case, waiting: CheckResult, deadline_s: float) -> CheckResult:
    started = time.monotonic()
    status, found = _judge(check, case, deadline_s)
    shown = tuple(replace(each, what=_said(each.what, case)) for each in found if isinstance(each, Finding))
    parts = tuple(each for each in found if isinstance(each, PartPoints))
    return replace(waiting, status=status, findings=shown, parts=parts, seconds=round(time.monotonic() - started, 1))


def _judge(check: Check, case: Case, deadline_s: float) -> tuple[Status, tuple[Finding | PartPoints, ...]]:
    try:
        with _deadline(deadline_s):
            findings = tuple(islice(check(case), MOST_FINDINGS))
    except SubmissionError as error:
        return Status.FAILED, (Finding(Flaw(error.fault.value), str(error)),)
    except (CheckTookTooLong, SiteError, StorageError) as error:  # of the grader's own computer
        return Status.ERROR, (Finding(Flaw.BLOCKED, str(error)),)
    except LabError as error:
        return Status.FAILED, (Finding(Flaw.RECORD if isinstance(error, RecordError) else Flaw.BLOCKED, str(error)),)
    except RecursionError:
        return Status.FAILED, (
            Finding(Flaw.UNREADABLE, "a file is nested more deeply than anything that the lab writes"),
        )
    except Exception as error:  # noqa: BLE001 - a stranger's data may break anything; the other checks go on
        return Status.ERROR, (Finding(Flaw.BLOCKED, f"the check broke down: {error!r:.300}"),)
    is_whole = all(isinstance(each, PartPoints) and each.points == each.most for each in findings)
    return Status.PASSED if is_whole else Status.FAILED, findings


def _said(what: str, case: Case) -> str:
    """A finding without the grader's folders, and cut: a student reads it, and a stranger may have written it."""
    setup = case.setup
    for folder in (case.folder, case.place.absolute().parent, case.place.parent, setup.results, setup.cache, ROOT):
        if len(folder.parts) > 1:
            what = what.replace(f"{folder}/", "")
    return what if len(what) <= LONGEST_FINDING else f"{what[:LONGEST_FINDING]}..."


@contextmanager
def _deadline(seconds: float) -> Iterator[None]:
    """Only the main thread can be interrupted; a class is graded in processes, each with its own."""
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
