"""Findings about a submission, the points that they cost, the grade, and advice for frequent mistakes."""

import json
import re
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


EARLY = (
    "the clock stops too early or starts too late: it must run until the completion of the last message, not until the "
    "last ibv_post_send"
)

# The first pattern that matches the text of strerror(), ibv_wc_status_str() or a check.
BY_TEXT = {
    r"no end after": (
        "each computer waits for another one, or for a completion that was taken and not counted: post receives (or "
        "send the address) before you wait, send before you wait for your own message, and count every completion that "
        "ibv_poll_cq returns"
    ),
    r"result of rank[ \d]* alone": (
        "a sum lacks the other ranks: in step s, rank r sends chunk r - s and adds what arrives to chunk r - s - 1; "
        "a message must not be added before it is complete, and messages that may be there at once need separate slots"
    ),
    r"bytes by send, and [1-9]": "use IBV_WR_SEND into a buffer of ibv_post_recv: an RDMA WRITE does not count here",
    r"belongs to chunk": "in step s, rank r sends chunk r - s of reduce-scatter, and chunk r + 1 - s of all-gather",
    r"belongs to an earlier call": (
        "a message of the next call replaced one that was not used, or an old one was used: the previous rank may be "
        "ranks - 1 messages ahead, each needs a separate slot, and a slot is posted again only once it is used"
    ),
    r"no chunk, call or set of ranks has": (
        "numbers were added twice, or changed while they were sent or received: a buffer belongs to the device until "
        "its request is complete, and messages that may be there at once need separate slots; or the call has another "
        "operation (SUM, MAX) or another type (size_of)"
    ),
    r"nothing was written there": (
        "the last numbers of a vector count too: chunks differ in length (chunk_of), and numbers have 4 or 8 bytes "
        "(size_of)"
    ),
    r"does `out` lead": "rank r sends to rank r + 1 and receives from rank r - 1: compare sockets and queue pairs",
    r"not written yet": "this step still ends as it was handed out",
    r"ibv_post_send.*(?:Cannot allocate memory|No space left on device)": (
        "the send queue is full: take completions with ibv_poll_cq before more requests than its depth are posted, "
        "and signal at least one request of each queue"
    ),
    r"ibv_post_send.*Invalid argument": (
        "the device refused the request: is the queue pair in RTS, is an inline message at most max_inline_data long, "
        "and does a post list end with next = NULL?"
    ),
    r"local protection error": (
        "the address, the length or the lkey of the request's sg_list is not inside a region of ibv_reg_mr at the "
        "client"
    ),
    r"remote (?:access|operation|invalid request) error": (
        "the server's device refused: the rkey and the address must be the server's, its region and its "
        "queue pair must allow IBV_ACCESS_REMOTE_WRITE, and the message must end inside the region"
    ),
    r"RNR retry": (
        "the receiver had posted no receive: a SEND takes one of ibv_post_recv for each message, an RDMA WRITE none"
    ),
    r"transport retry counter exceeded": (
        "no answer came: the peer's queue pair number, GID or path MTU is wrong, or the peer had ended"
    ),
    r"Work Request Flushed": "an earlier request failed: the status of the first completion has the reason",
    r"did not come to the beginning": ("the WRITE is not posted, or goes to another address than the server's"),
    r"the data took another way": (
        "fewer bytes crossed the link than the program prints: each message must be posted, with all of its bytes"
    ),
    r"delays an acknowledgement": (
        "Nagle's algorithm holds a message's second, small part back until the first is acknowledged: set "
        "TCP_NODELAY, or pass the whole message to one send()"
    ),
    r"but the link carries": EARLY,
    r"the region is not all": "count the bytes of all messages that the buffer holds",
    r"did not end|deadline": (
        "it waits without end for a completion of a request that was not signalled or not posted, or for more "
        "completions than requests that are signalled"
    ),
}
BY_FLAW = {
    Flaw.MESSAGES: (
        "each message must be a separate request with all of its bytes: one large message in place of many, or a "
        "length that is one too small, does not count"
    ),
    Flaw.OPERATION: "use IBV_WR_RDMA_WRITE",
    Flaw.INVENTED: EARLY,
    Flaw.DATA: (
        "a message was written over before it had left: its buffer is free again when its request is complete, and "
        "requests in flight need separate buffers"
    ),
    Flaw.CLOCK: "the clock starts too early: warm-up, connecting and registering must be over before it starts",
    Flaw.WAY: "the messages must go by RDMA over the link",
}


def with_advice(kind: Flaw, what: str, step_advice: str = "") -> Finding:
    """The finding with its most frequent cause and the assignment's advice for the step."""
    cause = next((advice for pattern, advice in BY_TEXT.items() if re.search(pattern, what, re.IGNORECASE)), "")
    return Finding(kind, what, "; ".join(filter(None, (cause or BY_FLAW.get(kind, ""), step_advice))))
