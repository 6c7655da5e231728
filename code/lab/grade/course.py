"""Grade a class: find the submissions, and grade each in its own process."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.files.storage import storage
from lab.grade.case import SubmissionFile
from lab.grade.finding import SavedGrade, read_grade
from lab.grade.grading import digest_of
from lab.model.trial import DEADLINE_STATUS
from lab.places import ASSIGNMENTS
from lab.submission.archive import MAGIC, SUFFIXES, SubmissionError
from lab.submission.assignment import find_assignment, names

_PLAIN = re.compile(r"([A-Za-z0-9_-]{1,100})\.pdf", re.ASCII)
MARK = "~"  # in no plain name: what stands behind it tells apart names that look the same without their odd letters


def new_attempt(folder: Path) -> Path:
    """A new folder with the next number."""
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        number = max(_numbers(folder), default=0) + 1
        while True:
            try:
                (folder / str(number)).mkdir()
                return folder / str(number)
            except FileExistsError:
                number += 1


def last_attempt(folder: Path) -> tuple[Path | None, SavedGrade]:
    """The newest attempt with a final grade, else the newest with any: its folder and its grade."""
    attempts = [folder / str(number) for number in sorted(_numbers(folder), reverse=True)]
    graded = [(attempt, grade) for attempt in attempts if (grade := read_grade(attempt))]
    final = [each for each in graded if each[1].final]
    return (final or graded)[0] if graded else (None, SavedGrade())


def attempts_of(grades: Path, submission: Path) -> Path:
    """The folder of one hand-in's grades: no two names of files share one."""
    if plain := _PLAIN.fullmatch(submission.name):
        return grades / plain[1]
    like = re.sub(r"[^A-Za-z0-9_-]+", "_", submission.stem)[:80]
    return grades / f"{like}{MARK}{hashlib.sha256(submission.name.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _numbers(folder: Path) -> list[int]:
    return [int(each.name) for each in folder.glob("*") if each.name.isdecimal()] if folder.is_dir() else []


Assigned = dict[Path, list[Path]]  # assignment -> its hand-ins
NO_ASSIGNMENT = "it names no assignment of this course (try: --assignment)"


class ClassError(LabError):
    """A folder of hand-ins that cannot be graded."""


def find_submissions(folder: Path) -> tuple[list[Path], list[Graded]]:
    """Every PDF, zip and folder to grade; every other file with the reason why it is skipped."""
    if not folder.is_dir():
        raise ClassError("is no folder of hand-ins", where=str(folder), hint="lab grade, for a single file")
    reasons = {each: _reason(each) for each in sorted(folder.iterdir())}
    found = [each for each, reason in reasons.items() if not reason]
    if not found:
        raise ClassError("holds no PDF, zip or folder", where=str(folder))
    return found, [_skipped(each, reason) for each, reason in reasons.items() if reason]


def by_assignment(
    submissions: Iterable[Path], named: str | None, folder: Path = ASSIGNMENTS
) -> tuple[Assigned, list[Graded]]:
    """The hand-ins of each assignment: of the one that is named, of the only one, else of those that they name.
    A folder without a readable hand-in is the wrong folder, and refused before any measurement."""
    hand_ins = [SubmissionFile(place) for place in submissions]
    _require_readable(hand_ins)
    if named or len(names(folder)) == 1:
        return {find_assignment(named, folder): [each.place for each in hand_ins]}, []
    assigned: Assigned = {}
    skipped = []
    while hand_ins:
        each = hand_ins.pop(0)  # and drop its content
        if own := assignment_in(each, folder):
            assigned.setdefault(find_assignment(own, folder), []).append(each.place)
        else:
            skipped.append(Graded(each.place.name, NOTHING, None, NO_ASSIGNMENT))
    if not assigned:
        find_assignment(None, folder)  # its error says what to type
    return assigned, skipped


def _require_readable(hand_ins: Iterable[SubmissionFile]) -> None:
    first = None
    for each in hand_ins:
        try:
            _ = each.submission
        except SubmissionError as error:
            first = first or error
        else:
            return
    if first is not None:
        raise ClassError(f"none of its hand-ins can be opened, first {first}", where=str(Path(first.where).parent))


def assignment_in(hand_in: SubmissionFile, folder: Path = ASSIGNMENTS) -> str | None:
    """The course's assignment that a hand-in names, if it names one."""
    try:
        named = hand_in.page.assignment
    except SubmissionError:
        return None
    return named if named in names(folder) else None


def _skipped(place: Path, reason: str) -> Graded:
    return Graded(place.name, NOTHING, None, f"skipped: {reason}", skipped=True)


def _reason(place: Path) -> str:
    """The reason why this is no hand-in; empty for one, whatever the case of its letters."""
    if place.name.startswith(".") or place.name == "__MACOSX":
        return "it is hidden, or a computer put it there"
    if place.is_dir() or place.suffix.lower() in SUFFIXES or _begins_as_pdf(place):
        return ""
    return f"it is no PDF, zip or folder{f' but {place.suffix}' if place.suffix else ''}"


def _begins_as_pdf(place: Path) -> bool:
    """Only a regular file is opened: a pipe would be waited for."""
    try:
        if not place.is_file():
            return False
        with place.open("rb") as stream:
            return stream.read(len(MAGIC[0])) == MAGIC[0]
    except OSError:
        return False


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
