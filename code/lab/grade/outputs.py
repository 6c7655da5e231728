"""Files about one submission: results for Gradescope, and feedback for the student."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as Xml

from lab.errors import all_lines, one_line
from lab.files.storage import write_bytes, write_text
from lab.grade.finding import GRADE, CheckResult, Grade, PartPoints, Status, saved
from lab.report.errors import ReportError
from lab.report.tex.latex import compile_pdf
from lab.report.tex.render import PRINTED, Markup, escape, render
from lab.typed_json import JsonTable, as_json

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


TEXT, GRADESCOPE, JUNIT = "grade.txt", "results.json", "junit.xml"


def write_grade(grade: Grade, folder: Path) -> None:
    """All files, each replaced whole; grade.json last, since it marks the end of the grading."""
    write_text(folder / TEXT, "\n".join([*lines(grade), ""]))
    write_text(folder / GRADESCOPE, _json(gradescope(grade)))
    write_text(folder / JUNIT, junit(grade))
    write_text(folder / GRADE, _json(as_json(saved(grade))))


def lines(grade: Grade) -> list[str]:
    """A line for each check, its evidence below, the score at the end; none holds more than one line."""
    who = ", ".join(grade.ids) or "nobody"
    text = [f"{grade.submission}: {grade.assignment}, handed in by {who}", *_remarks(grade)]
    for result in grade.results:
        text.append(f"{result.status.value:<8} {_points(result):<10} {result.name}")
        text += [f"         {each}" for each in result.evidence()]
        if result.status is not Status.PASSED:
            text.append(f"         to repeat: {result.command}")
    ending = f"{'final' if grade.is_final else 'not final'}: {grade.points} of {grade.most} points"
    return [one_line(each) for each in (*text, ending)]


def gradescope(grade: Grade) -> JsonTable:
    """As Gradescope's autograder reads it: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""
    tests = [test for each in grade.results for test in _tests(each)]
    remarks = "\n".join(map(one_line, _remarks(grade)))
    said = {"output": remarks} if remarks else {}
    return {"score": grade.points, "tests": tests, "stdout_visibility": "hidden", **said}


def _tests(result: CheckResult) -> Iterator[JsonTable]:
    """One of the check, or one of each of its parts; the words stand in the first."""
    words = "\n".join(map(one_line, [*result.evidence(), f"to repeat: {result.command}"]))
    whole = PartPoints(result.name, result.most, result.points)
    for number, part in enumerate(result.parts or (whole,)):
        good = part.points == part.most if result.parts else result.status is Status.PASSED
        yield {
            "name": result.name if part is whole else f"{result.name}: {one_line(part.name)}",
            "score": part.points if result.points else 0,
            "max_score": part.most,
            "status": "passed" if good else "failed",
            "output": "" if number else words,
            "visibility": "hidden" if result.hidden else "visible",
        }


def junit(grade: Grade) -> str:
    """A test case for each check."""
    counts = {status: sum(each.status is status for each in grade.results) for status in Status}
    numbers = {
        "name": one_line(grade.submission),
        "tests": str(len(grade.results)),
        "failures": str(counts[Status.FAILED]),
        "errors": str(counts[Status.ERROR]),
        "skipped": str(counts[Status.WAITING]),
    }
    suite = Xml.Element("testsuite", numbers)
    if remarks := _remarks(grade):
        properties = Xml.SubElement(suite, "properties")
        for each in remarks:
            Xml.SubElement(properties, "property", name="note", value=one_line(each))
    for result in grade.results:
        _case(suite, result)
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _remarks(grade: Grade) -> list[str]:
    """The sentences above the checks: what a grader must know first, then the note."""
    return [*grade.flags, *([grade.note] if grade.note else [])]


def _points(result: CheckResult) -> str:
    return f"{result.points:>3} of {result.most:<3}" if result.most else "no points"


def _case(suite: Xml.Element, result: CheckResult) -> None:
    case = Xml.SubElement(suite, "testcase", name=result.name, time=f"{result.seconds:.1f}")
    tags = {Status.FAILED: "failure", Status.ERROR: "error", Status.WAITING: "skipped"}
    if result.status in tags:
        evidence = [one_line(each) for each in result.evidence()]
        message = evidence[0] if evidence else result.status.value
        Xml.SubElement(case, tags[result.status], message=message).text = "\n".join(evidence)


def _json(value: JsonTable) -> str:
    return json.dumps(value, indent=1) + "\n"  # in the order of the fields
