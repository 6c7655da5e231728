"""Errors about hand-ins: one that is not made, and one that is refused."""

from __future__ import annotations

from dataclasses import dataclass

from lab.errors import LabError
from lab.faults import OpeningFault


@dataclass
class SubmissionError(LabError):
    """A file that was handed in cannot be opened safely."""

    fault: OpeningFault = OpeningFault.UNREADABLE


@dataclass
class SubmissionRefused(LabError):
    """A hand-in is not made, for these reasons."""

    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join([self.what, *(f"  {reason}" for reason in self.reasons)])
