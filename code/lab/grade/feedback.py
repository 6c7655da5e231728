"""One page of feedback for the student: a grade as a PDF. Names and evidence are a stranger's words."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.files.storage import write_bytes, write_text
from lab.grade.result import CheckResult, Grade, Status
from lab.harmless import all_lines
from lab.report.errors import ReportError
from lab.report.tex.escape import PRINTED, Markup, escape
from lab.report.tex.latex import compile_pdf
from lab.report.tex.render import render

FEEDBACK, TROUBLE = "feedback.pdf", "feedback.trouble.txt"
TEMPLATE, STYLE = "feedback.tex", "lab.sty"
SHOWN_FINDINGS, SHOWN_LETTERS = 2, 100  # of each check, so that all fit on one page
LONGEST_NAME, LONGEST_NOTE = 60, 300
NOT_FINAL = "This grade is not final: not every check has been made."
LONGEST_PIECE = 12  # letters between two places where a line may break


@dataclass(frozen=True)
class ShownCheck:
    """One check as the page shows it."""

    name: Markup
    status: str
    points: int
    most: int
    evidence: tuple[Markup, ...]


def feedback_pdf(grade: Grade, templates: Path) -> bytes:
    """The page; the same grade gives the same bytes."""
    context = {
        "title": Markup(f"Feedback: {printed(grade.assignment, LONGEST_NAME)}"),
        "who": printed(", ".join(grade.ids) or "nobody", 2 * LONGEST_NAME),
        "submission": printed(grade.submission, 2 * LONGEST_NAME),
        "notes": [printed(each, LONGEST_NOTE) for each in _notes(grade)],
        "points": grade.points,
        "most": grade.most,
        "checks": [_shown(each) for each in grade.results],
        "command": printed(f"make preview-grade ASSIGNMENT={grade.assignment}", 2 * LONGEST_NAME),
    }
    text = render(templates, TEMPLATE, context).text.encode()
    return compile_pdf({TEMPLATE: text, STYLE: (templates / STYLE).read_bytes()}, TEMPLATE)


def write_feedback(grade: Grade, templates: Path, folder: Path) -> None:
    """Write the page beside the finished grade; a page that does not build leaves the grade as it is."""
    try:
        write_bytes(folder / FEEDBACK, feedback_pdf(grade, templates))
    except ReportError as error:
        write_text(folder / TROUBLE, f"{all_lines(str(error))}\n")


def printed(text: str, longest: int) -> Markup:
    """Any text as LaTeX on few lines: cut, breakable, with a question mark for letters that the font lacks."""
    good = "".join(each if PRINTED.fullmatch(each) else "?" for each in " ".join(text.split()))
    cut = good if len(good) <= longest else f"{good[: longest - 3]}..."
    return Markup(" ".join(_breakable(word) for word in cut.split(" ")))


def _notes(grade: Grade) -> list[str]:
    """The sentences above the points."""
    ending = "" if grade.is_final else NOT_FINAL
    return [each for each in (*grade.flags, grade.note, ending) if each]


def _breakable(word: str) -> str:
    pieces = (word[start : start + LONGEST_PIECE] for start in range(0, len(word), LONGEST_PIECE))
    return r"\hspace{0pt}".join(escape(piece) for piece in pieces)


def _shown(result: CheckResult) -> ShownCheck:
    """The lines of findings; those of a hidden check stay with the grader."""
    found = () if result.hidden else result.findings
    lines = [printed(str(each), SHOWN_LETTERS) for each in found[:SHOWN_FINDINGS]]
    if len(found) > SHOWN_FINDINGS:
        lines[-1] = Markup(f"{lines[-1]} (and {len(found) - SHOWN_FINDINGS} more)")
    parts = [] if result.hidden else result.parts
    lines += [printed(str(each), SHOWN_LETTERS) for each in parts]
    status = "could not be made" if result.status is Status.ERROR else result.status.value
    return ShownCheck(printed(result.name, LONGEST_NAME), status, result.points, result.most, tuple(lines))
