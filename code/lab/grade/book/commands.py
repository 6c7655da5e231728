"""The commands of the grade book, and its exports for learning platforms."""

from __future__ import annotations

import json
import secrets
from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path

from lab.errors import SpecError, one_line
from lab.files.storage import csv_text, write_bytes, write_text
from lab.grade.book.entries import POINT_COLUMNS, BookEntry, HandIn, columns_of, read_lines
from lab.grade.class_outputs import plain
from lab.grade.finding import NAMELESS, SENTENCES
from lab.places import from_here
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


CODES, SHEET = "codes.csv", "sheet.csv"

Codes = dict[str, str]  # of each hand-in, by its name


def read_codes(grades: Path) -> Codes:
    """Those that were given before; none where nobody asked for them."""
    file = grades / CODES
    if not file.exists():
        return {}
    names = ("submission", "code")
    return {row["submission"]: row["code"] for _, row in read_lines(file, names, names)}


def give_codes(grades: Path, found: Iterable[HandIn]) -> Codes:
    """The codes of all hand-ins. One that was given stays, so that what was judged by it stays, too."""
    codes = read_codes(grades)
    for each in found:
        codes.setdefault(each.name, secrets.token_hex(4))
    write_text(grades / CODES, csv_text(("submission", "code"), codes.items()))
    return codes


def write_nameless(assignment: Assignment, found: list[HandIn], codes: Codes, folder: Path) -> None:
    """A folder for each code, and a sheet to fill in, in an order that says nothing."""
    for each in found:
        report = each.folder / NAMELESS
        if not report.is_file():
            raise SpecError(
                f"{each.name} has no report without names", file=each.folder,
                hint="anonymous = true in the assignment, and grade again",
            )  # fmt: skip
        for file in (report, each.folder / SENTENCES):
            if file.is_file():
                write_bytes(folder / codes[each.name] / file.name, file.read_bytes())
    rows = [
        (code, each.name, "", "")
        for code in sorted(codes[each.name] for each in found)
        for each in assignment.terms.rubric
    ]
    if not (folder / SHEET).exists():
        write_text(folder / SHEET, csv_text(POINT_COLUMNS, rows))


BOOK, MOODLE, CANVAS, GRADESCOPE = "book.csv", "moodle.csv", "canvas.csv", "gradescope"


def book(options: Namespace) -> int:
    """Everybody of the roster with all points; 1 if a person should look at something."""
    from lab.errors import one_line
    from lab.files.storage import write_text
    from lab.grade.book.entries import entries, hand_ins, read_by_hand, read_roster, strangers, times_of
    from lab.submission.assignment import find_assignment, load_assignment

    assignment = load_assignment(find_assignment(options.assignment))
    roster = read_roster(options.roster)
    found = hand_ins(options.grades, assignment.name, times_of(options.submissions, options.times))
    if options.nameless:
        write_nameless(assignment, found, give_codes(options.grades, found), options.nameless)
        print(f"{from_here(options.nameless)}: {len(found)} hand-ins without names")
    judged = read_by_hand(options.by_hand, assignment) if options.by_hand else {}
    made = list(entries(assignment, roster, found, judged, read_codes(options.grades)))
    folder: Path = options.out or options.grades
    texts = {BOOK: book_csv, MOODLE: moodle_csv, CANVAS: canvas_csv}
    for name, text in texts.items():
        write_text(folder / name, text(assignment, made))
    for each in made:
        if each.hand_in:
            name = each.hand_in.folder.parent.name
            write_text(folder / GRADESCOPE / f"{name}.json", gradescope_json(assignment, each))
    remarks = [f"{each.person.id}: {remark}" for each in made for remark in each.remarks]
    remarks += strangers(roster, found)
    print("".join(f"{one_line(each)}\n" for each in remarks), end="")
    missing = sum(each.hand_in is None for each in made)
    print(f"{from_here(folder / BOOK)}: {len(made)} people, {missing} without a hand-in")
    return int(bool(remarks))
