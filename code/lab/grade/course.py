"""A class of hand-ins: a process grades each one, several at once. A final grade is not made again."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from lab.grade.attempts import attempts_of, last_attempt
from lab.grade.saved import SavedGrade
from lab.grade.setup import digest_of
from lab.model.trial import DEADLINE_STATUS

DEADLINE_S = 2 * 3600  # of one hand-in, from its start; on a cluster it may wait in the queue before
LIMITS = (
    "timeout",
    "--kill-after=60",
    str(DEADLINE_S),
    "prlimit",
    f"--as={16 * 10**9}",
    f"--fsize={10**9}",
    "--core=0",
)
LAST_WORDS = 500
NOTHING = SavedGrade()

Command = Callable[[Path], list[str]]


@dataclass(frozen=True)
class Graded:
    """One file of a class with its grade, the folder of that grade, and the trouble in grading it."""

    submission: str
    grade: SavedGrade
    folder: Path | None
    trouble: str = ""
    skipped: bool = False  # it is no hand-in: the trouble says why

    @property
    def points(self) -> int:
        return self.grade.points

    @property
    def ids(self) -> str:
        return ", ".join(self.grade.ids)


def grade_class(
    submissions: Iterable[Path], grades: Path, grader: str, command: Command, jobs: int, on: tuple[str, ...] = ()
) -> Iterator[Graded]:
    """Each hand-in as soon as it is done, graded ones first. `on` is the prefix of a command that runs elsewhere."""
    todo = []
    for submission in submissions:
        done = _done(submission, grades, grader)
        if done is None:
            todo.append(submission)
        else:
            yield done
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_grade, each, grades, [*on, *LIMITS, *command(each)]) for each in todo]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)


def _done(submission: Path, grades: Path, grader: str) -> Graded | None:
    """The last grade, if it is final and is of the same bytes by the same grader."""
    attempt, grade = last_attempt(attempts_of(grades, submission))
    if grade.final and grade.grader == grader and grade.sha256 == digest_of(submission):
        return Graded(submission.name, grade, attempt)
    return None


def _grade(submission: Path, grades: Path, command: list[str]) -> Graded:
    before, _ = last_attempt(attempts_of(grades, submission))
    said = _run(command)
    attempt, grade = last_attempt(attempts_of(grades, submission))
    if attempt == before:
        return Graded(submission.name, NOTHING, None, said or "no grade was written")
    return Graded(submission.name, grade, attempt, "" if grade.final else said or "it is not final")


def _run(command: list[str]) -> str:
    """The end of its output, which explains a missing grade. Its temporary folder goes with it, though killed."""
    with tempfile.TemporaryDirectory(prefix="lab-class-", ignore_cleanup_errors=True) as folder:
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "TMPDIR": folder})
    if done.returncode == DEADLINE_STATUS:
        return f"the grading did not end within {DEADLINE_S} s"
    return done.stderr.decode(errors="replace")[-LAST_WORDS:].strip()
