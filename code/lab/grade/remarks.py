"""What a grader must know of a hand-in before its points: another identity, another version of the lab."""

from __future__ import annotations

from lab.errors import LabError
from lab.grade.case import Case
from lab.version import exact_version

LONGEST_VERSION = 40
DRIFT = (
    "It was made with version {!r} of the lab, and is graded with {!r}: where the two write other facts or words, "
    "a finding may be no fault of the student."
)
ANOTHER = (
    "ANOTHER IDENTITY: measured on {}, which the assignment does not accept (it differs in {}): "
    "no points for rerun unless a person gives them."
)
UNREAD = "UNKNOWN IDENTITY: nothing in it says where it was measured: no points for rerun unless a person gives them."
BY_TOLERANCE = "Measured on {}, which the assignment accepts: compared with the grader's records by tolerance."


def flags(case: Case) -> tuple[str, ...]:
    """The sentences that stand first in every output, and colour the row of a class."""
    if not _is_open(case):
        return ()
    try:
        return () if case.is_accepted else (another_identity(case),)
    except (LabError, RecursionError):
        return (UNREAD,)


def another_identity(case: Case) -> str:
    """The sentence about an identity that the assignment does not list."""
    differing = case.identity.differing(case.own_identity)
    return ANOTHER.format(case.identity.words, differing or "nothing that is known here")


def note(case: Case) -> str:
    """The sentences for a reader of odd findings; they change no points."""
    version = ids_and_version(case)[1]
    said = [] if version in ("", exact_version()) else [DRIFT.format(version[:LONGEST_VERSION], exact_version())]
    return " ".join([*said, *_tolerance(case)])


def ids_and_version(case: Case) -> tuple[tuple[str, ...], str]:
    """The ids and the version of the lab in a hand-in, as far as it can be read."""
    try:
        return case.page.ids, case.page.lab
    except (LabError, RecursionError):
        return (), ""


def identity_words(case: Case) -> str:
    """The identity as outputs name it; empty where it cannot be read."""
    try:
        return case.identity.words
    except (LabError, RecursionError):
        return ""


def _tolerance(case: Case) -> list[str]:
    try:
        return [BY_TOLERANCE.format(case.identity.words)] if case.is_accepted and not case.repeats_exactly else []
    except (LabError, RecursionError):
        return []


def _is_open(case: Case) -> bool:
    """Of what cannot be opened, the check of the package says so."""
    try:
        return bool(case.submission.files)
    except (LabError, RecursionError):
        return False
