"""What a grader must know of a hand-in before its points: another identity, another version of the lab."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lab.grade.case import Case
from lab.places import exact_version

Said = TypeVar("Said")

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
    if not _read(lambda: bool(case.submission.files), otherwise=False):
        return ()  # of what cannot be opened, the check of the package says so
    return _read(lambda: () if case.is_accepted else (another_identity(case),), otherwise=(UNREAD,))


def another_identity(case: Case) -> str:
    """The sentence about an identity that the assignment does not list."""
    differing = case.identity.differing(case.own_identity)
    return ANOTHER.format(case.identity.words, differing or "nothing that is known here")


def note(case: Case) -> str:
    """The sentences for a reader of odd findings; they change no points."""
    version = ids_and_version(case)[1]
    said = [] if version in ("", exact_version()) else [DRIFT.format(version[:LONGEST_VERSION], exact_version())]
    by_tolerance = _read(lambda: case.is_accepted and not case.repeats_exactly, otherwise=False)
    return " ".join([*said, BY_TOLERANCE.format(identity_words(case))] if by_tolerance else said)


def ids_and_version(case: Case) -> tuple[tuple[str, ...], str]:
    """The ids and the version of the lab in a hand-in, as far as it can be read."""
    nobody: tuple[tuple[str, ...], str] = ((), "")
    return _read(lambda: (case.page.ids, case.page.lab), nobody)


def identity_words(case: Case) -> str:
    """The identity as outputs name it; empty where it cannot be read."""
    return _read(lambda: case.identity.words, otherwise="")


def _read(read: Callable[[], Said], otherwise: Said) -> Said:
    """What a hand-in says of itself. No bytes of a stranger end the grading before its first check."""
    try:
        return read()
    except Exception:  # noqa: BLE001 - as in lab.grade.grading
        return otherwise
