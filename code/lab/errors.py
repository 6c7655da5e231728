"""Errors that end a command with one sentence, and the exit statuses of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path


@dataclass
class LabError(Exception):
    """Base of all errors that the command line turns into one sentence."""

    what: str
    where: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" (try: {self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"


@dataclass
class SpecError(LabError):
    """An experiment file holds an impossible value."""

    file: Path | None = None
    line: int | None = None
    expected: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        wanted = f", expected {self.expected}" if self.expected else ""
        advice = f" (try: {self.hint})" if self.hint else ""
        return f"{place}{self.what}{wanted}{advice}"


class SizeError(LabError):
    """A size or a list of sizes that cannot be read."""


class ParseError(LabError):
    """A program's output has a format that its parser does not know."""


@dataclass
class SiteError(LabError):
    """A site could not run a trial: the guest panicked, hung, the disk is full. The evidence lies in files."""

    evidence: dict[str, str] = field(default_factory=dict)


class SiteStopped(SiteError):
    """The site was told to stop while a trial was running."""


class TrialFailed(LabError):
    """A trial ran, but its outcome does not pass the checks."""


class RecordError(LabError):
    """A record is missing, broken, or of another format version."""


class StorageError(LabError):
    """A result could not be written: the disk is full or the folder is read-only."""


class VerifyError(LabError):
    """A re-run differs from the reference."""


class OpeningFault(Enum):
    """Each has one meaning for whoever must name it."""

    UNREADABLE = "unreadable"
    NO_REPORT = "no report"
    SEVERAL_REPORTS = "several reports"
    LINK = "link"
    NAME = "name outside the folder"
    TOO_LARGE = "too large"
    NO_DATA = "no data"
    BESIDE = "trailing data"


def one_line(text: str) -> str:
    """The text with an escape in place of each control, format and separator character, line ends too."""
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def all_lines(text: str) -> str:
    """The same for a text that the lab has broken into lines itself."""
    return "\n".join(map(one_line, text.split("\n")))
