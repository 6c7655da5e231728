"""The check of a discussion: every fault with its line."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lab.errors import LabError, SpecError
from lab.files.bounded import read_typed
from lab.report.errors import FaultKind, ReportError, TextFault
from lab.report.evidence.environment import SHOWN_LETTERS
from lab.report.query.judge import judge
from lab.report.query.numbers import Numbers
from lab.report.query.value import StatementResult, Truth
from lab.report.text.backing import Backing, Surroundings, claim_of, measured_numbers_typed
from lab.report.text.contradictions import contradictions
from lab.report.text.latex import fault, lost_targets, swallowed, unclosed, unsafe
from lab.report.text.macros import NAMES, Sentence, Use, macros_of, malformed, sentences
from lab.report.text.references import lost_sources, references_refused

_COMPARES = re.compile(
    r"(?<!\bno )(?<!\bone )(?<!\bone byte )\b"
    r"(?:faster|slower|higher|lower|larger|smaller|greater|longer|shorter|better|worse|more|less|fewer|than|best|worst"
    r"|fastest|slowest|highest|lowest|largest|smallest|twice|(?:doubl|halv)(?:es?|ed|ing)|exceed(?:s|ed)?"
    r"|outperform(?:s|ed)?|dominate[sd]?|peak(?:s|ed)?|saturate[sd]?|increase[sd]?|decrease[sd]?|gr[eo]ws?|dropp?(?:s|ed)?"
    r"|rises?|rose|falls?|fell|jump(?:s|ed)?|equal(?:s|led|ly)?|same as|times (?:as|the|higher|lower))\b",
    re.IGNORECASE,
)


def unsupported(text: str) -> Iterator[Sentence]:
    r"""Sentences that compare without a macro of evidence: notes for a person, not errors."""
    for sentence in sentences(text):
        if not sentence.evidence and _COMPARES.search(NAMES.sub(" ", sentence.text)):
            yield sentence


TEXT, REFERENCES = "discussion.tex", "references.bib"


@dataclass(frozen=True)
class Writing:
    """A student's discussion and references."""

    file: str
    text: str
    references_file: str = REFERENCES
    references: str = ""


def read_writing(folder: Path) -> Writing:
    """Read the texts beside an experiment, once, so that the checked text is printed."""
    text, references = (_typed(folder / name) for name in (TEXT, REFERENCES))
    return Writing(f"{folder.name}/{TEXT}", text, f"{folder.name}/{REFERENCES}", references)


def _typed(file: Path) -> str:
    try:
        return read_typed(file) if file.exists() else ""
    except SpecError as error:
        raise ReportError(error.what, hint=error.hint, file=file.name, line=error.line) from error


@dataclass(frozen=True)
class Checked:
    """The result of a check; faults stop a report, notes do not."""

    writing: Writing
    backings: tuple[Backing, ...]
    faults: tuple[TextFault, ...]
    sentences: tuple[Sentence, ...] = field(repr=False)

    @property
    def notes(self) -> tuple[Sentence, ...]:
        """The sentences that compare without evidence."""
        return tuple(unsupported(self.writing.text))


def check(writing: Writing, numbers: Numbers, targets: Collection[str] | None = None) -> Checked:
    """All faults of a text, in its order; without targets, its figures and tables are not looked up."""
    faults = [*unsafe(writing.text, writing.file), *swallowed(writing.text, writing.file)]
    faults += unclosed(writing.text, writing.file)
    faults += malformed(writing.text, writing.file)
    judged = list(_backings(writing, numbers))
    backings = [backing for backing, _ in judged]
    faults += [refusal for _, refusal in judged if refusal]
    around = Surroundings(writing.text, numbers, backings)
    faults += measured_numbers_typed(around, writing.file)
    faults += contradictions(around, writing.file)
    faults += [] if targets is None else lost_targets(writing.text, writing.file, targets)
    faults += lost_sources(writing.text, writing.file, writing.references)
    faults = sorted(dict.fromkeys(faults), key=lambda fault: (fault.line, fault.column))
    faults += references_refused(writing.references, writing.references_file) if writing.references else []
    return Checked(writing, tuple(backings), tuple(faults), tuple(sentences(writing.text)))


def _backings(writing: Writing, numbers: Numbers) -> Iterator[tuple[Backing, TextFault | None]]:
    count = 0
    for use in macros_of(writing.text):
        try:
            if use.kind == "claim":
                value = numbers.ask(use.body)
                yield Backing(use, value=value), _unsound(writing, use, value.unchecked)
            elif use.kind == "shows":
                count += 1
                judged = judge(numbers, use.body)
                unchecked = [key for point in judged.points for key in point.value.unchecked]
                holds = judged.truth is Truth.TRUE
                refusal = _unsound(writing, use, unchecked) if holds else _refused(writing, use, judged, numbers)
                yield Backing(use, judged=judged, number=f"S{count}"), refusal
            else:
                yield Backing(use), None
        except LabError as error:
            kind = FaultKind.CLAIM if use.kind == "claim" else FaultKind.STATEMENT
            at = min(use.body_start + getattr(error, "column", 0), use.end - 1)
            yield Backing(use), fault(writing.text, writing.file, at, kind, error.what, error.hint)


def _unsound(writing: Writing, use: Use, keys: Sequence[str]) -> TextFault | None:
    """The fault of evidence from records that did not pass every check."""
    if not keys:
        return None
    key = keys[0][:SHOWN_LETTERS]
    what = f"it rests on record {key}, which did not pass every check"
    return fault(writing.text, writing.file, use.body_start, FaultKind.CLAIM, what, f"lab show {key}")


def _refused(writing: Writing, use: Use, judged: StatementResult, numbers: Numbers) -> TextFault:
    nearest = judged.nearest.replace("%", r"\%")
    hint = rf"\shows{{{nearest}}}" if nearest else ""
    if not hint and judged.truth is Truth.UNDECIDED:
        hint = claim_of(numbers, judged)
    return fault(writing.text, writing.file, use.body_start, FaultKind.STATEMENT, judged.objection, hint)
