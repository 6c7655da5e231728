"""Errors of a report, with the file and the line to change."""

from dataclasses import dataclass, field
from enum import Enum

from lab.errors import LabError, OpeningFault

MOST_PRINTED = 20  # faults of a text


@dataclass
class ReportError(LabError):
    """A fault in a template, a text or a figure's data prevents a report."""

    file: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: " if self.file else ""
        advice = f" (try: {self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"


class FaultKind(Enum):
    LATEX = "LaTeX"
    NUMBER = "typed number"
    STATEMENT = "statement"
    CLAIM = "claim"
    SOURCE = "source"
    FIGURE = "figure"


@dataclass(frozen=True)
class TextFault:
    file: str
    line: int
    column: int
    kind: FaultKind
    what: str
    hint: str = ""
    source: str = ""

    def __str__(self) -> str:
        first = f"{self.file}:{self.line}:{self.column}: {self.what} [{self.kind.value}]"
        return "\n    ".join(filter(None, (first, self.source, self.hint and f"hint: {self.hint}")))


@dataclass
class TextRefused(LabError):
    faults: tuple[TextFault, ...] = ()

    def __str__(self) -> str:
        more = len(self.faults) - MOST_PRINTED
        rest = [f"and {more} more"] if more > 0 else []
        return "\n".join([self.what, *map(str, self.faults[:MOST_PRINTED]), *rest])


@dataclass
class ReportsRefused(LabError):
    errors: dict[str, LabError] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(f"{name}: {error}" for name, error in self.errors.items())


@dataclass
class AttachmentError(LabError):
    """A PDF's attachments are missing, too large, or have names that no report uses."""

    fault: OpeningFault = OpeningFault.UNREADABLE
