"""Grade a class: find the submissions, and grade each in a separate process."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from lab.errors import LabError
from lab.files.storage import storage
from lab.files.store import sha256_of
from lab.grade.case import SubmissionFile
from lab.grade.finding import Grade, read_grade
from lab.grade.grading import digest_of
from lab.model.trial import DEADLINE_STATUS
from lab.places import ASSIGNMENTS
from lab.submission.archive import MAGIC, SUFFIXES, SubmissionError
from lab.submission.assignment import find_assignment, names

DEADLINE_S = 2 * 3600  # of one submission, from its start; on a cluster it may wait in the queue before
LIMITS = f"timeout --kill-after=60 {DEADLINE_S} prlimit --as={16 * 10**9} --fsize={10**9} --core=0".split()
LAST_LETTERS = 500  # of a failed grading's output
NO_ASSIGNMENT = "it names no assignment of this course (try: --assignment)"
MARK = "~"  # not in any plain name: before the digest that distinguishes names which look the same
NAME_LETTERS = 16  # of that digest
_PLAIN = re.compile(r"([A-Za-z0-9_-]{1,100})\.pdf", re.ASCII)

Assigned = dict[Path, list[Path]]  # assignment -> its submissions


@dataclass(frozen=True)
class Graded:
    """One file of a class with its grade, the folder of that grade, and the trouble in grading it."""

    submission: str
    grade: Grade
    folder: Path | None
    trouble: str = ""
    skipped: bool = False  # not a submission: the trouble has the reason


def find_submissions(folder: Path) -> tuple[list[Path], list[Graded]]:
    """Every PDF, zip and folder to grade; every other file with the reason why it is skipped."""
    if not folder.is_dir():
        raise LabError("is not a folder of submissions", where=str(folder), hint="lab grade, for a single file")
    reasons = {place: _skip_reason(place) for place in sorted(folder.iterdir())}
    submissions = [place for place, reason in reasons.items() if not reason]
    if not submissions:
        raise LabError("holds no PDF, zip or folder", where=str(folder))
    skipped = {place.name: f"skipped: {reason}" for place, reason in reasons.items() if reason}
    return submissions, [Graded(name, Grade(), None, reason, skipped=True) for name, reason in skipped.items()]


def _skip_reason(place: Path) -> str:
    """The reason why this is not a submission; empty for a submission."""
    if place.name.startswith(".") or place.name == "__MACOSX":
        return "it is hidden, or a computer put it there"
    if place.is_dir() or place.suffix.lower() in SUFFIXES or _begins_as_pdf(place):
        return ""
    return f"it is not a PDF, zip or folder{f' but {place.suffix}' if place.suffix else ''}"


def _begins_as_pdf(place: Path) -> bool:
    try:
        if not place.is_file():  # reading a pipe would wait
            return False
        with place.open("rb") as stream:
            return stream.read(len(MAGIC[0])) == MAGIC[0]
    except OSError:
        return False


def by_assignment(
    places: Iterable[Path], named: str | None, folder: Path = ASSIGNMENTS
) -> tuple[Assigned, list[Graded]]:
    """The submissions by assignment: the one that is `named`, the course's only one, or the one in each submission.

    A folder without a readable submission is the wrong folder; it is refused before any measurement."""
    files = [SubmissionFile(place) for place in places]
    _require_readable(files)
    if named or len(names(folder)) == 1:
        return {find_assignment(named, folder): [file.place for file in files]}, []
    assigned: Assigned = {}
    unassigned = []
    while files:
        file = files.pop(0)  # so that its content is freed
        if assignment := assignment_in(file, folder):
            assigned.setdefault(find_assignment(assignment, folder), []).append(file.place)
        else:
            unassigned.append(Graded(file.place.name, Grade(), None, NO_ASSIGNMENT))
    if not assigned:
        find_assignment(None, folder)  # raises an error with a hint
    return assigned, unassigned


def _require_readable(files: Iterable[SubmissionFile]) -> None:
    errors = []
    for file in files:
        try:
            _ = file.submission
        except SubmissionError as error:
            errors.append(error)
        else:
            return
    where = str(Path(errors[0].where).parent)
    raise LabError(f"none of its submissions can be opened, first {errors[0]}", where=where)


def assignment_in(file: SubmissionFile, folder: Path = ASSIGNMENTS) -> str | None:
    """The assignment that a submission names, if the course has it."""
    try:
        named = file.page.assignment
    except SubmissionError:
        return None
    return named if named in names(folder) else None


def grade_class(
    submissions: Iterable[Path], grades: Path, grader: str, command: list[str], jobs: int, on: tuple[str, ...] = ()
) -> Iterator[Graded]:
    """Each submission as soon as it is done, graded ones first. The command ends with its path; `on` begins
    a command that runs on another host."""
    todo = []
    for submission in submissions:
        attempt, grade = last_attempt(attempts_of(grades, submission))
        if grade.is_final and grade.grader == grader and grade.sha256 == digest_of(submission):
            yield Graded(submission.name, grade, attempt)
        else:
            todo.append(submission)
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(_grade, place, grades, [*on, *LIMITS, *command, str(place)]) for place in todo]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:
            pool.shutdown(cancel_futures=True)


def _grade(submission: Path, grades: Path, command: list[str]) -> Graded:
    folder = attempts_of(grades, submission)
    before, _ = last_attempt(folder)
    output = _run(command)
    attempt, grade = last_attempt(folder)
    if attempt == before:
        return Graded(submission.name, Grade(), None, output or "no grade was written")
    return Graded(submission.name, grade, attempt, "" if grade.is_final else output or "it is not final")


def _run(command: list[str]) -> str:
    """Run the command; return the end of its output. Its temporary folder is removed even if it was killed."""
    with tempfile.TemporaryDirectory(prefix="lab-class-", ignore_cleanup_errors=True) as folder:
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "TMPDIR": folder})
    if done.returncode == DEADLINE_STATUS:
        return f"the grading did not end within {DEADLINE_S} s"
    return done.stderr.decode(errors="replace")[-LAST_LETTERS:].strip()


def attempts_of(grades: Path, submission: Path) -> Path:
    """The folder of one submission's grades: no two file names share a folder."""
    if plain := _PLAIN.fullmatch(submission.name):
        return grades / plain[1]
    similar = re.sub(r"[^A-Za-z0-9_-]+", "_", submission.stem)[:80]
    digest = sha256_of(submission.name.encode(errors="surrogateescape"))
    return grades / f"{similar}{MARK}{digest[:NAME_LETTERS]}"


def new_attempt(folder: Path) -> Path:
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for number in count(max(_numbers(folder), default=0) + 1):
            try:
                (folder / str(number)).mkdir()
            except FileExistsError:  # another grading took this number
                continue
            break
    return folder / str(number)


def last_attempt(folder: Path) -> tuple[Path | None, Grade]:
    """The newest attempt with a final grade, else the newest with any: its folder and its grade."""
    attempts = [folder / str(number) for number in sorted(_numbers(folder), reverse=True)]
    graded = [(attempt, grade) for attempt in attempts if (grade := read_grade(attempt))]
    return next((pair for pair in graded if pair[1].is_final), graded[0] if graded else (None, Grade()))


def _numbers(folder: Path) -> list[int]:
    return [int(place.name) for place in folder.glob("*") if place.name.isdecimal()]
