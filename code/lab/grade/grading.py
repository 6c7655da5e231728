"""Make the checks of one hand-in, one after the other; a check that breaks down does not stop the others."""

from __future__ import annotations

import shlex
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from lab.compiler.shut_in import CompilerMissing
from lab.errors import LabError, RecordError
from lab.grade.case import Case
from lab.grade.checks import CHECKS, Check
from lab.grade.finding import Finding, Flaw
from lab.grade.result import CheckResult, Grade, Status
from lab.submission.errors import SubmissionError
from lab.version import exact_version

DEADLINE_S = 3600  # for one check; the longest waits for all trials of the assignment

LONGEST_VERSION = 40
DRIFT = (
    "It was made with version {!r} of the lab, and is graded with {!r}: where the two write other facts or words, "
    "a finding may be no fault of the student."
)

Keep = Callable[[Grade], None]


class CheckTookTooLong(Exception):
    """A check missed its deadline. It is no LabError, since the hand-in is not to blame."""


def grade(case: Case, sha256: str, names: Iterable[str], keep: Keep, deadline_s: float = DEADLINE_S) -> Grade:
    """All checks of these names; keep() is called before the first and after each."""
    state = _waiting(case, sha256, names)
    keep(state)
    for place, waiting in enumerate(state.results):
        done = _make(CHECKS[waiting.name], case, waiting, deadline_s)
        results = (*state.results[:place], done, *state.results[place + 1 :])
        state = replace(state, results=results)
        keep(state)
    return state


def _waiting(case: Case, sha256: str, names: Iterable[str]) -> Grade:
    assignment = case.setup.assignment
    results = tuple(
        CheckResult(
            name,
            assignment.points[name],
            hidden=name in assignment.hidden,
            command=f"lab grade {shlex.quote(str(case.place))} --assignment {assignment.named} --only {name}",
        )
        for name in names
    )
    ids, version = _page(case)
    note = "" if version in ("", exact_version()) else DRIFT.format(version[:LONGEST_VERSION], exact_version())
    return Grade(case.place.name, sha256, ids, assignment.name, case.setup.grader, results, note)


def _make(check: Check, case: Case, waiting: CheckResult, deadline_s: float) -> CheckResult:
    started = time.monotonic()
    status, findings = _judge(check, case, deadline_s)
    return replace(waiting, status=status, findings=findings, seconds=round(time.monotonic() - started, 1))


def _judge(check: Check, case: Case, deadline_s: float) -> tuple[Status, tuple[Finding, ...]]:
    try:
        with _deadline(deadline_s):
            findings = tuple(check(case))
    except SubmissionError as error:
        return Status.FAILED, (Finding(Flaw(error.fault.value), str(error)),)
    except (CheckTookTooLong, CompilerMissing) as error:
        return Status.ERROR, (Finding(Flaw.BLOCKED, str(error)),)
    except LabError as error:
        return Status.FAILED, (Finding(Flaw.RECORD if isinstance(error, RecordError) else Flaw.BLOCKED, str(error)),)
    except RecursionError:
        return Status.FAILED, (
            Finding(Flaw.UNREADABLE, "a file is nested more deeply than anything that the lab writes"),
        )
    except Exception as error:  # noqa: BLE001 - a stranger's data may break anything; the other checks go on
        return Status.ERROR, (Finding(Flaw.BLOCKED, f"the check broke down: {error!r:.300}"),)
    return Status.FAILED if findings else Status.PASSED, findings


def _page(case: Case) -> tuple[tuple[str, ...], str]:
    """The ids and the version of the lab in a hand-in, as far as it can be read."""
    try:
        return case.page.ids, case.page.lab
    except (LabError, RecursionError):
        return (), ""


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
