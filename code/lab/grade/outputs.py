"""A grade for its readers: text for people, grade.json, Gradescope's results.json, JUnit's XML.

Each of them shows a stranger's words, so each has one place where they are made harmless.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as Xml

from lab.files.storage import write_text
from lab.grade.result import CheckResult, Grade, PartPoints, Status
from lab.grade.saved import GRADE, saved
from lab.harmless import one_line
from lab.typed_json import JsonTable, as_json

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
