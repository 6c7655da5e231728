"""The book as files: for people, and as course systems document what they import.

Moodle: https://docs.moodle.org/en/Grade_import (columns are mapped by a person; feedback goes with its grade).
Canvas: https://community.canvaslms.com, "How do I import grades in the Gradebook?": five columns about the student,
then one for each assignment, and a second line with the points possible.
Gradescope: https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from lab.files.csv_text import csv_text
from lab.grade.book.entries import BookEntry, columns_of
from lab.grade.class_outputs import plain
from lab.harmless import one_line
from lab.submission.assignment import Assignment
from lab.typed_json import JsonTable


def book_csv(assignment: Assignment, entries: Iterable[BookEntry]) -> str:
    """A row for each person of the roster."""
    names = columns_of(assignment)
    head = ("id", "name", "section", "submission", "handed_in", "days_late", *names, "total", "most", "words")
    return csv_text(head, (map(plain, _row(assignment, names, each)) for each in entries))


def _row(assignment: Assignment, names: Sequence[str], each: BookEntry) -> list[object]:
    found = each.hand_in
    when = found.handed_in.isoformat(timespec="seconds") if found and found.handed_in else ""
    about = [each.person.id, each.person.name, each.person.section, found.name if found else "", when]
    points = [each.points.get(name, "") for name in names]
    return [*about, each.days_late, *points, shown(each.total), assignment.most, each.words]


def moodle_csv(assignment: Assignment, entries: Iterable[BookEntry]) -> str:
    """For a grade import; who handed in nothing has a dash, as in Moodle's own exports."""
    head = ("ID number", "Email address", assignment.title, f"{assignment.title} (feedback)")
    rows = (
        (each.person.id, each.person.email, shown(each.total) if each.hand_in else "-", each.words) for each in entries
    )
    return csv_text(head, (map(plain_but_dash, row) for row in rows))


def canvas_csv(assignment: Assignment, entries: Iterable[BookEntry]) -> str:
    """For the gradebook's import; who handed in nothing has an empty cell, which changes nothing there."""
    head = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title)
    possible = ("    Points Possible", "", "", "", "", assignment.most)
    rows = ((*_of_canvas(each), shown(each.total) if each.hand_in else "") for each in entries)
    return csv_text(head, (possible, *(tuple(map(plain, row)) for row in rows)))


def _of_canvas(each: BookEntry) -> tuple[str, str, str, str, str]:
    person = each.person
    return person.name or person.id, person.canvas_id, person.id, person.login, person.section


def gradescope_json(assignment: Assignment, each: BookEntry) -> str:
    """The results of one hand-in with what people gave: the score of the whole takes the place of the tests' sum."""
    most = assignment.points | {one.name: one.points for one in assignment.terms.rubric}
    tests: list[JsonTable] = [
        {
            "name": name,
            "score": points,
            "max_score": most.get(name, 0),
            "visibility": "hidden" if name in assignment.hidden else "visible",
        }
        for name, points in each.points.items()
    ]
    document: JsonTable = {"score": each.total, "output": one_line(each.words), "tests": tests}
    return json.dumps(document, indent=1) + "\n"


def shown(points: float) -> str:
    """Whole points without a point."""
    return f"{points:.2f}".rstrip("0").rstrip(".")


def plain_but_dash(value: object) -> str:
    """As a spreadsheet may open it; a lone dash is no formula."""
    return "-" if value == "-" else plain(value)
