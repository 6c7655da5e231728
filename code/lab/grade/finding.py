"""A finding of a check: the kind of the fault, for statistics and tests, and a sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from lab.faults import OpeningFault
from lab.records.table import KEY_LETTERS


class Flaw(Enum):
    """Every fault that a check can name."""

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
    DATA = "other data than the seed's"
    SLOW = "too slow"
    BUILD = "does not build"
    SOURCES = "sources not matching the binary"
    FAILS = "fails at other sizes"
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


@dataclass(frozen=True)
class Finding:
    """One fault of a hand-in."""

    kind: Flaw
    what: str

    def __str__(self) -> str:
        return f"[{self.kind.value}] {self.what}"


def of_record(kind: Flaw, key: str, what: str) -> Finding:
    """A fault of the record with this key."""
    return Finding(kind, f"record {key[:KEY_LETTERS]}: {what}")
