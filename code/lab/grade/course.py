"""A class of hand-ins: a process grades each one, several at once. A final grade is not made again."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.grade.attempts import GradeTable, attempts_of, last_attempt
from lab.grade.setup import digest_of
from lab.model.trial import DEADLINE_STATUS
from lab.submission.errors import SubmissionError
from lab.submission.opening import open_submission

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

Command = Callable[[Path], list[str]]


@dataclass(frozen=True)
class Graded:
    """One hand-in with its grade.json, the folder of that grade, and the trouble in grading it."""

    submission: str
    grade: GradeTable
    folder: Path | None
    trouble: str = ""

    @property
    def points(self) -> int:
        return int(self.grade.get("points", 0))

    @property
    def ids(self) -> str:
        return ", ".join(self.grade.get("ids", ()))


class ClassError(LabError):
    """A folder of hand-ins that cannot be graded."""


def find_submissions(folder: Path) -> list[Path]:
    """Every PDF, zip and folder; two that would share a folder of grades are refused."""
    if not folder.is_dir():
        raise ClassError("is no folder of hand-ins", where=str(folder), hint="lab grade, for a single file")
    found = [each for each in sorted(folder.iterdir()) if each.suffix in (".pdf", ".zip") or each.is_dir()]
    names = [attempts_of(Path(), each).name for each in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ClassError(f"two hand-ins would be graded as {name}", where=str(folder), hint="other file names")
    if not found:
        raise ClassError("holds no PDF, zip or folder", where=str(folder))
    return found


def require_one(submissions: Iterable[Path]) -> None:
    """Refuse a folder without a readable hand-in before any measurement; it is the wrong folder."""
    first = None
    for each in submissions:
        try:
            open_submission(each)
        except SubmissionError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise ClassError(f"none of its hand-ins can be opened, first {first}", where=str(Path(first.where).parent))


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
    if grade.get("final") and grade.get("grader") == grader and grade.get("sha256") == digest_of(submission):
        return Graded(submission.name, grade, attempt)
    return None


def _grade(submission: Path, grades: Path, command: list[str]) -> Graded:
    before, _ = last_attempt(attempts_of(grades, submission))
    said = _run(command)
    attempt, grade = last_attempt(attempts_of(grades, submission))
    if attempt == before:
        return Graded(submission.name, {}, None, said or "no grade was written")
    return Graded(submission.name, grade, attempt, "" if grade.get("final") else said or "it is not final")


def _run(command: list[str]) -> str:
    """The last line of its output; it explains a missing grade."""
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == DEADLINE_STATUS:
        return f"the grading did not end within {DEADLINE_S} s"
    return done.stderr.decode(errors="replace")[-LAST_WORDS:].strip()
