"""A grade for its readers: text for people, grade.json, Gradescope's results.json, JUnit's XML."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

from lab.files.storage import write_text
from lab.grade.result import CheckResult, Grade, Status
from lab.typed_json import JsonTable
from lab.typed_json import as_json as table_of

GRADE, TEXT, GRADESCOPE, JUNIT = "grade.json", "grade.txt", "results.json", "junit.xml"


def write_grade(grade: Grade, folder: Path) -> None:
    """All files, each replaced whole; grade.json last, since it marks the end of the grading."""
    write_text(folder / TEXT, "\n".join([*lines(grade), ""]))
    write_text(folder / GRADESCOPE, _json(gradescope(grade)))
    write_text(folder / JUNIT, junit(grade))
    write_text(folder / GRADE, _json(as_json(grade)))


def lines(grade: Grade) -> list[str]:
    """A line for each check, its evidence below, the score at the end."""
    who = ", ".join(grade.ids) or "nobody"
    text = [f"{grade.submission}: {grade.assignment}, handed in by {who}", *([grade.note] if grade.note else [])]
    for result in grade.results:
        text.append(f"{result.status.value:<8} {result.points:>3} of {result.most:<3} {result.name}")
        text += [f"         {each}" for each in result.evidence()]
        if result.status is not Status.PASSED:
            text.append(f"         to repeat: {result.command}")
    return [*text, f"{'final' if grade.is_final else 'not final'}: {grade.points} of {grade.most} points"]


def as_json(grade: Grade) -> JsonTable:
    """All fields of a grade, for programs."""
    results = [_result(each) for each in grade.results]
    about = {name: value for name, value in table_of(grade).items() if name != "results"}
    sums: JsonTable = {"points": grade.points, "most": grade.most, "final": grade.is_final, "kinds": grade.kinds}
    return {"format": 1, **about, **sums, "checks": results}


def gradescope(grade: Grade) -> JsonTable:
    """As Gradescope's autograder reads it: https://gradescope-autograders.readthedocs.io/en/latest/specs/."""
    tests = [
        {
            "name": each.name,
            "score": each.points,
            "max_score": each.most,
            "status": "passed" if each.status is Status.PASSED else "failed",
            "output": "\n".join([*each.evidence(), f"to repeat: {each.command}"]),
            "visibility": "hidden" if each.hidden else "visible",
        }
        for each in grade.results
    ]
    said = {"output": grade.note} if grade.note else {}
    return {"score": grade.points, "tests": tests, "stdout_visibility": "hidden", **said}


def junit(grade: Grade) -> str:
    """A test case for each check."""
    counts = {status: sum(each.status is status for each in grade.results) for status in Status}
    numbers = {
        "name": printable(grade.submission),
        "tests": str(len(grade.results)),
        "failures": str(counts[Status.FAILED]),
        "errors": str(counts[Status.ERROR]),
        "skipped": str(counts[Status.WAITING]),
    }
    suite = Xml.Element("testsuite", numbers)
    if grade.note:
        Xml.SubElement(Xml.SubElement(suite, "properties"), "property", name="note", value=printable(grade.note))
    for each in grade.results:
        _case(suite, each)
    Xml.indent(suite)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def printable(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "?" for character in text)


def _case(suite: Xml.Element, result: CheckResult) -> None:
    case = Xml.SubElement(suite, "testcase", name=result.name, time=f"{result.seconds:.1f}")
    tags = {Status.FAILED: "failure", Status.ERROR: "error", Status.WAITING: "skipped"}
    if result.status in tags:
        evidence = result.evidence()
        message = printable(evidence[0]) if evidence else result.status.value
        Xml.SubElement(case, tags[result.status], message=message).text = printable("\n".join(evidence))


def _result(result: CheckResult) -> JsonTable:
    values = {name: value for name, value in table_of(result).items() if name not in ("findings", "status")}
    found = [{"kind": each.kind.value, "what": each.what} for each in result.findings]
    return {**values, "status": result.status.value, "points": result.points, "findings": found}


def _json(value: JsonTable) -> str:
    return json.dumps(value, indent=1, sort_keys=True) + "\n"
