"""The grade of a hand-in: a line for each check, with points, evidence and the command that repeats it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from lab.grade.finding import Finding

SHOWN_FINDINGS = 20


class Status(StrEnum):
    """The state of a check."""

    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # the grader's own fault: it crashed or took too long


@dataclass(frozen=True)
class PartPoints:
    """A part of a check with points of its own."""

    name: str
    most: int
    points: int

    def __str__(self) -> str:
        return f"{self.points} of {self.most}: {self.name}"


@dataclass(frozen=True)
class CheckResult:
    """One check."""

    name: str
    most: int
    status: Status = Status.WAITING
    findings: tuple[Finding, ...] = ()
    hidden: bool = False
    command: str = ""
    seconds: float = 0.0
    parts: tuple[PartPoints, ...] = ()

    @property
    def points(self) -> int:
        """Those of its parts; of a check without parts all or none: a claim is true or false."""
        if self.parts and self.status is not Status.ERROR:
            return sum(each.points for each in self.parts)
        return self.most if self.status is Status.PASSED else 0

    def evidence(self) -> list[str]:
        """The parts and the findings that people are shown."""
        more = len(self.findings) - SHOWN_FINDINGS
        found = [str(each) for each in self.findings[:SHOWN_FINDINGS]]
        return [*map(str, self.parts), *found, *([f"and {more} more"] if more > 0 else [])]


@dataclass(frozen=True)
class Grade:
    """A hand-in's checks, done or waiting."""

    submission: str
    sha256: str  # of the handed-in file
    ids: tuple[str, ...]
    assignment: str
    grader: str  # digest of the grader's code, texts and experiment
    results: tuple[CheckResult, ...]
    flags: tuple[str, ...] = ()  # a grader must know them before the points
    note: str = ""  # for a reader of odd findings; it has no points
    whole: bool = True  # these are all checks of the assignment
    identity: str = ""  # of the records, as the hand-in names it

    @property
    def points(self) -> int:
        return sum(each.points for each in self.results)

    @property
    def most(self) -> int:
        return sum(each.most for each in self.results)

    @property
    def is_final(self) -> bool:
        """Whether every check of the assignment has been made, and none broke down."""
        return self.whole and all(each.status in (Status.PASSED, Status.FAILED) for each in self.results)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The faults of all findings, each once."""
        return tuple(dict.fromkeys(each.kind.value for result in self.results for each in result.findings))
