"""Why a report is not built: each error names the file and the line that a person must change."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.errors import LabError
from lab.faults import OpeningFault

SHOWN_REFUSALS = 20


@dataclass
class ReportError(LabError):
    """A fault in a template, a text or a figure's data prevents the PDF."""

    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        advice = f" (try: {self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"


@dataclass(frozen=True)
class RefusedSentence:
    """One sentence of a text that the data do not carry."""

    file: str
    line: int
    rule: str
    what: str
    column: int = 1
    sentence: str = ""
    way: str = ""  # what to write instead

    def __str__(self) -> str:
        first = f"{self.file}:{self.line}:{self.column}: {self.what} [{self.rule}]"
        return "\n    ".join(filter(None, (first, self.sentence, self.way)))


@dataclass
class ClaimsRefused(LabError):
    """The claims check found sentences that the data do not support."""

    refusals: tuple[RefusedSentence, ...] = ()

    def __str__(self) -> str:
        shown = [str(each) for each in self.refusals[:SHOWN_REFUSALS]]
        more = len(self.refusals) - len(shown)
        return "\n".join([self.what, *shown, *([f"and {more} more"] if more else [])])


@dataclass
class ReportsRefused(LabError):
    """Some of several reports were not written; the errors, by experiment."""

    errors: dict[str, LabError] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {error}" for name, error in self.errors.items())


@dataclass
class AttachmentError(LabError):
    """A PDF holds attachments that are missing, too large, or named like no file of a report."""

    fault: OpeningFault = OpeningFault.UNREADABLE
