"""Errors that end a command with one sentence, and lines on standard error."""

import sys
from collections.abc import Callable
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
        return _sentence(self.where, self.what, self.hint)


@dataclass
class SpecError(LabError):
    """An experiment file holds an impossible value."""

    file: Path | None = None
    line: int | None = None
    expected: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" if self.line else str(self.file or "")
        return _sentence(where, f"{self.what}, expected {self.expected}" if self.expected else self.what, self.hint)


def _sentence(where: str, what: str, hint: str) -> str:
    return (f"{where}: " if where else "") + what + (f" (try: {hint})" if hint else "")


class SizeError(LabError):
    """A size or a list of sizes that cannot be read."""


class ParseError(LabError):
    """A program's output has an unknown format."""


@dataclass
class SiteError(LabError):
    """A site could not run a trial: the guest panicked or hung, or the disk is full. The evidence is text by file."""

    evidence: dict[str, str] = field(default_factory=dict)


class SiteStopped(SiteError):
    """The site was stopped while a trial was running."""


class TrialFailed(LabError):
    """A trial ran, but its outcome does not pass the checks."""


class RecordError(LabError):
    """A record is missing, broken, or of another format version."""


class StorageError(LabError):
    """A result could not be written: the disk is full or the folder is read-only."""


class OpeningFault(Enum):
    UNREADABLE = "unreadable"
    NO_REPORT = "no report"
    SEVERAL_REPORTS = "several reports"
    LINK = "link"
    NAME = "name outside the folder"
    TOO_LARGE = "too large"
    NO_DATA = "no data"
    BESIDE = "trailing data"


def plural(number: int, noun: str) -> str:
    """`1 trial`, `2 trials`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def one_line(text: str) -> str:
    """The text with an escape in place of each control, format and separator character, line ends too."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def all_lines(text: str) -> str:
    """The text with its unprintable characters escaped, line by line."""
    return "\n".join(map(one_line, text.split("\n")))


Tell = Callable[[str], None]  # prints a sentence about work that takes time: tell, or a bar of progress


def tell(*lines: str) -> None:
    """Print lines to standard error: progress and warnings, which no program reads."""
    for line in lines:  # each in one piece: reports are built side by side
        print(f"{line}\n", end="", file=sys.stderr)
