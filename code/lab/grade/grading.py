"""Make the checks of one hand-in, one after the other; a check that breaks down does not stop the others."""

from __future__ import annotations

import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice

from lab.errors import LabError, RecordError, SiteError, StorageError
from lab.grade import remarks
from lab.grade.case import Case
from lab.grade.checks import CHECKS, Check
from lab.grade.finding import Finding, Flaw
from lab.grade.result import CheckResult, Grade, PartPoints, Status
from lab.places import ROOT
from lab.submission.archive import SubmissionError

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
