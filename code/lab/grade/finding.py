"""Findings about a submission, the points that they cost, the grade, and advice for frequent mistakes."""

import json
import re
import tomllib
from dataclasses import dataclass
from enum import Enum, StrEnum
from pathlib import Path

from lab.errors import OpeningFault
from lab.records.table import KEY_LETTERS
from lab.typed_json import JsonError, JsonTable, as_json, parse_as

GRADE, SENTENCES, NAMELESS = "grade.json", "sentences.html", "nameless.pdf"
SHOWN_FINDINGS = 20


class Flaw(Enum):
    # the package
    UNREADABLE = OpeningFault.UNREADABLE.value
    NO_REPORT = OpeningFault.NO_REPORT.value
    SEVERAL_REPORTS = OpeningFault.SEVERAL_REPORTS.value
    LINK = OpeningFault.LINK.value
    NAME = OpeningFault.NAME.value
    TOO_LARGE = OpeningFault.TOO_LARGE.value
    NO_DATA = OpeningFault.NO_DATA.value
    MISSING_FILE = "missing file"
    STRANGE_FILE = "strange file"
    DIGEST = "digest"
    CHAIN = "chain"
    DRAFT = "draft"
    ASSIGNMENT = "another assignment"
    PERSON = "another person"
    EXPERIMENT = "another experiment"
    SITE = "another site"
    # the records
    OTHER_IDENTITY = "another identity"
    IDENTITY = "identity"
    MISSING_RECORD = "missing record"
    STRANGE_RECORD = "strange record"
    RECORD = "record"
    HEADER = "header"
    STATE = "state"
    OTHER_LINK = "another link"
    STATUS = "status"
    ROWS = "rows"
    COUNTER = "counter"
    CLOCK = "clock"
    TABLE = "table"
    MANIFEST = "manifest"
    # measured again
    NOT_MEASURED = "not measured again"
    SAMPLE = "sample"
    TOLERANCE = "outside the tolerance"
    REPETITION = "repetition outside the tolerance"
    SPREAD = "spread"
    SHIFT = "shift of a whole series"
    RATIO = "ratio outside the tolerance"
    INVENTED = "invented times"
    MESSAGES = "other messages than claimed"
    OPERATION = "another operation than claimed"
    WAY = "another way than claimed"
    METHOD = "another method than asked"
    DATA = "other data than the seed's"
    SLOW = "too slow"
    BUILD = "does not build"
    SOURCES = "sources not matching the binary"
    FRAME = "code in place of the course's frame"
    FAILS = "program fails"
    ENDS_WELL = "ends well after a fault"
    TAKES_ANYTHING = "takes any option"
    # the report's claims and pages
    CLAIM = "claim"
    NOT_REPRODUCED = "claim not reproduced"
    TEXT = "text"
    FIGURE = "figure"
    OTHER_BYTES = "other bytes"
    TRAILING = OpeningFault.BESIDE.value
    LATEX = "LaTeX"
    TYPED = "typed number"
    STATEMENT = "statement"
    SOURCE = "source"
    NO_DISCUSSION = "no discussion"
    ASK = "ask not met"
    # obstacles to a check
    BLOCKED = "could not be checked"


Fault = tuple[Flaw, str]


@dataclass(frozen=True)
class Finding:
    kind: Flaw
    what: str
    hint: str = ""  # what to look at or to do

    def __str__(self) -> str:
        return f"[{self.kind.value}] {self.what}"


def of_record(kind: Flaw, key: str, what: str) -> Finding:
    return Finding(kind, f"record {key[:KEY_LETTERS]}: {what}")


class Status(StrEnum):
    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # the grader's fault: the check crashed or took too long


@dataclass(frozen=True)
class PartPoints:
    name: str
    most: int
    points: int

    def __str__(self) -> str:
        return f"{self.points} of {self.most}: {self.name}"


@dataclass(frozen=True)
class Score:
    """What a leaderboard ranks: exact where the site's measurements are."""

    name: str
    value: float
    unit: str
    least_is_best: bool

    def __str__(self) -> str:
        return f"{self.value:g} {self.unit}" if self.value % 1 else f"{self.value:.0f} {self.unit}"


@dataclass(frozen=True)
class CheckResult:
    name: str
    most: int
    status: Status = Status.WAITING
    findings: tuple[Finding, ...] = ()
    hidden: bool = False
    command: str = ""  # repeats the check
    seconds: float = 0.0
    parts: tuple[PartPoints, ...] = ()
    score: Score | None = None

    @property
    def points(self) -> int:
        """The points of the parts; a check without parts gives all its points or none."""
        if self.parts and self.status is not Status.ERROR:
            return sum(part.points for part in self.parts)
        return self.most if self.status is Status.PASSED else 0

    def evidence(self) -> list[str]:
        """The parts, and the first findings, for people."""
        more = len(self.findings) - SHOWN_FINDINGS
        shown = [*map(str, self.parts)]
        for finding in self.findings[:SHOWN_FINDINGS]:
            shown += [str(finding), *([f"hint: {finding.hint}"] if finding.hint else [])]
        return [*shown, *([f"and {more} more"] if more > 0 else [])]


@dataclass(frozen=True)
class Grade:
    """The checks of a submission; without arguments, the grade of an ungraded submission."""

    flags: tuple[str, ...] = ()  # a grader must read them before the points
    submission: str = ""
    sha256: str = ""  # of the submitted file
    ids: tuple[str, ...] = ()
    assignment: str = ""
    grader: str = ""  # digest of the grader's code, texts and experiment
    identity: str = ""  # of the records, as the submission names it
    note: str = ""  # explains odd findings; it costs no points
    whole: bool = False  # these are all checks of the assignment
    checks: tuple[CheckResult, ...] = ()

    @property
    def points(self) -> int:
        return sum(check.points for check in self.checks)

    @property
    def most(self) -> int:
        return sum(check.most for check in self.checks)

    @property
    def score(self) -> Score | None:
        """The score for a leaderboard, if the assignment has one and the submission earned a place."""
        return next((check.score for check in self.checks if check.score), None)

    @property
    def is_final(self) -> bool:
        """Whether every check of the assignment was made, and none crashed."""
        return self.whole and all(check.status in (Status.PASSED, Status.FAILED) for check in self.checks)

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(finding.kind.value for check in self.checks for finding in check.findings))


def grade_json(grade: Grade) -> JsonTable:
    checks = [as_json(check) | {"points": check.points} for check in grade.checks]
    sums: JsonTable = {
        "points": grade.points, "most": grade.most, "final": grade.is_final, "kinds": grade.kinds, "format": 1
    }  # fmt: skip
    return {**as_json(grade), **sums, "checks": checks}


def read_grade(attempt: Path) -> Grade | None:
    """The grade of one attempt; None if it is missing or damaged."""
    try:
        document = json.loads((attempt / GRADE).read_text())
        return parse_as(Grade, {"whole": document.get("final", False), **document})
    except (OSError, ValueError, AttributeError, TypeError, JsonError, RecursionError):
        return None


# The most frequent causes by the text of a finding (the first pattern that matches), else by its kind.
ADVICE = tomllib.loads(Path(__file__).with_name("advice.toml").read_text())


def with_advice(kind: Flaw, what: str, step_advice: str = "") -> Finding:
    """The finding with its most frequent cause and the assignment's advice for the step."""
    by_text = (cause for pattern, cause in ADVICE["text"].items() if re.search(pattern, what, re.IGNORECASE))
    cause = next(by_text, ADVICE["kind"].get(kind.value))
    return Finding(kind, what, "; ".join(filter(None, (cause, step_advice))))
