"""The files of a class: which are hand-ins and of which assignment, and why the others are none."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.errors import LabError
from lab.grade.case import SubmissionFile
from lab.grade.course import NOTHING, Graded
from lab.places import ASSIGNMENTS
from lab.submission.archive import SubmissionError
from lab.submission.assignment import find_assignment, names
from lab.submission.opening import MAGIC, SUFFIXES

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
