"""The grade book of an assignment: roster, late days and points given by hand; `lab gradebook` and its exports."""

from __future__ import annotations

import csv
import io
import json
import secrets
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.errors import SpecError, one_line
from lab.files.bounded import MOST_BYTES, read_bounded
from lab.files.storage import csv_text, write_bytes, write_text
from lab.grade.class_outputs import plain, same_id
from lab.grade.course import last_attempt
from lab.grade.finding import NAMELESS, SENTENCES, Grade
from lab.places import from_here
from lab.submission.assignment import Assignment, find_assignment, load_assignment
from lab.typed_json import JsonTable

BOOK, MOODLE, CANVAS, GRADESCOPE = "book.csv", "moodle.csv", "canvas.csv", "gradescope"
CODES, SHEET = "codes.csv", "sheet.csv"
ROSTER_COLUMNS = ("id", "name", "email", "login", "section", "canvas_id", "free_days")
POINT_COLUMNS = ("who", "criterion", "points", "comment")
TIME_COLUMNS = ("submission", "handed_in")
CODE_COLUMNS = ("submission", "code")
MORE = "more"  # a criterion of every assignment: points that are added or taken off


@dataclass(frozen=True)
class Person:
    """A member of the course; columns that the roster lacks are empty."""

    id: str
    name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    canvas_id: str = ""
    free_days: int = 0  # late days that cost nothing, for this assignment


@dataclass(frozen=True)
class Judgement:
    """Points given by a person: for a criterion of the rubric, in place of a check's, or added."""

    criterion: str
    points: int
    comment: str


@dataclass(frozen=True)
class HandIn:
    """One graded hand-in; `handed_in` is None where its time is unknown."""

    grade: Grade
    folder: Path
    handed_in: datetime | None

    @property
    def name(self) -> str:
        return self.grade.submission


@dataclass(frozen=True)
class BookEntry:
    person: Person
    hand_in: HandIn | None
    points: Mapping[str, int]  # by check and criterion, and MORE
    comments: tuple[str, ...]
    days_late: int
    share: float  # that lateness leaves of the points
    remarks: tuple[str, ...]

    @property
    def total(self) -> float:
        return round(max(0, sum(self.points.values())) * self.share, 2)

    @property
    def text(self) -> str:
        return "; ".join((*self.remarks, *self.comments))


Roster = dict[str, Person]  # by same_id
ByHand = dict[str, dict[str, Judgement]]  # by same_id of a person's id or a hand-in's code; then by criterion
Times = dict[str, datetime]  # by the name of the file
Codes = dict[str, str]  # by the name of the hand-in


def gradebook(options: Namespace) -> int:
    """Write everybody of the roster with all points; 1 if a person should look at something."""
    assignment = load_assignment(find_assignment(options.assignment))
    roster = read_roster(options.roster)
    graded = hand_ins(options.grades, assignment.name, times_of(options.submissions, options.times))
    if options.nameless:
        write_nameless(assignment, graded, give_codes(options.grades, graded), options.nameless)
        print(f"{from_here(options.nameless)}: {len(graded)} submissions without names")
    by_hand = read_by_hand(options.by_hand, assignment) if options.by_hand else {}
    lines = list(entries(assignment, roster, graded, by_hand, read_codes(options.grades)))
    folder: Path = options.out or options.grades
    for name, text in {BOOK: book_csv, MOODLE: moodle_csv, CANVAS: canvas_csv}.items():
        write_text(folder / name, text(assignment, lines))
    for entry in lines:
        if entry.hand_in:
            file = folder / GRADESCOPE / f"{entry.hand_in.folder.parent.name}.json"
            write_text(file, gradescope_json(assignment, entry))
    remarks = [f"{entry.person.id}: {remark}" for entry in lines for remark in entry.remarks]
    remarks += strangers(roster, graded)
    print("".join(f"{one_line(remark)}\n" for remark in remarks), end="")
    missing = sum(entry.hand_in is None for entry in lines)
    print(f"{from_here(folder / BOOK)}: {len(lines)} people, {missing} without a submission")
    return int(bool(remarks))


def read_roster(file: Path) -> Roster:
    """Everybody once; an error names the line of an id that is empty or repeated."""
    roster: Roster = {}
    lines: dict[str, int] = {}
    for line, row in read_lines(file, ("id",), ROSTER_COLUMNS):
        if not row["id"]:
            raise SpecError("the id is empty", file=file, line=line)
        key = same_id(row["id"])
        if key in roster:
            raise SpecError(f"the id {row['id']!r:.60} is already in line {lines[key]}", file=file, line=line)
        days = whole_number(row.pop("free_days"), "free_days", file, line)
        roster[key], lines[key] = Person(**row, free_days=days), line
    if not roster:
        raise SpecError("the roster names nobody", file=file)
    return roster


def read_by_hand(file: Path, assignment: Assignment) -> ByHand:
    """All judgements. A sheet's row without points is not filled in yet."""
    most = {criterion.name: criterion.points for criterion in assignment.terms.rubric}
    most |= {name: assignment.points[name] for name in assignment.checks}
    by_hand: ByHand = {}
    for line, row in read_lines(file, POINT_COLUMNS[:3], POINT_COLUMNS):
        if not row["points"]:
            continue
        criterion, points = row["criterion"], whole_number(row["points"], "points", file, line)
        if criterion != MORE and criterion not in most:
            expected = f"one of {', '.join([*most, MORE])}"
            raise SpecError(f"there is no criterion {criterion!r:.60}", file=file, line=line, expected=expected)
        if criterion != MORE and not 0 <= points <= most[criterion]:
            expected = f"0 to {most[criterion]}"
            raise SpecError(f"{criterion} has {points} points", file=file, line=line, expected=expected)
        judgements = by_hand.setdefault(same_id(row["who"]), {})
        if criterion in judgements:
            raise SpecError(f"{row['who']} has {criterion} twice", file=file, line=line)
        judgements[criterion] = Judgement(criterion, points, row["comment"])
    return by_hand


def times_of(submissions: Path | None, table: Path | None) -> Times:
    """When each file was handed in: by a table, else by the date of the file."""
    times: Times = {}
    if submissions:
        for file in submissions.iterdir():
            times[file.name] = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if table:
        for line, row in read_lines(table, TIME_COLUMNS, TIME_COLUMNS):
            times[row["submission"]] = _moment(row["handed_in"], table, line)
    return times


def _moment(text: str, file: Path, line: int) -> datetime:
    """A time with its offset; without one it would depend on the computer."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise SpecError(f"handed_in is {text!r:.40}", file=file, line=line, expected="such as 2026-12-01T23:59+01:00")
    return moment


def read_lines(file: Path, required: tuple[str, ...], columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row by column, with its line; a missing cell is empty. Spreadsheets write a byte order mark, and semicolons
    in some countries."""
    try:
        text = read_bounded(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError("is not UTF-8 text", file=file, hint="save it as CSV UTF-8") from error
    head = text.partition("\n")[0]
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if head.count(";") > head.count(",") else ",")
    names = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    if missing := [name for name in required if name not in names]:
        raise SpecError(f"there is no column {missing[0]}", file=file, line=1, expected=",".join(columns))
    if twice := next((name for name in columns if names.count(name) > 1), None):
        raise SpecError(f"the column {twice} is there twice", file=file, line=1)
    rows.fieldnames = names
    for row in rows:
        if None in row or len(row) > len(names):
            raise SpecError("this line has more cells than the first", file=file, line=rows.line_num)
        yield rows.line_num, {name: (row.get(name) or "").strip() for name in columns}


def whole_number(text: str, what: str, file: Path, line: int) -> int:
    """A number of a cell; an empty cell is 0."""
    try:
        return int(text or 0)
    except ValueError:
        raise SpecError(f"{what} is {text!r:.40}", file=file, line=line, expected="a whole number") from None


def hand_ins(grades: Path, assignment: str, times: Times) -> list[HandIn]:
    """The last attempt of each hand-in for this assignment, the earliest first; those without a time before all."""
    graded = []
    for folder in sorted(place for place in grades.glob("*") if place.is_dir()):
        attempt, grade = last_attempt(folder)
        if attempt and grade.assignment == assignment:
            graded.append(HandIn(grade, attempt, times.get(grade.submission)))
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(graded, key=lambda hand_in: (hand_in.handed_in or never, hand_in.name))


def entries(
    assignment: Assignment, roster: Roster, graded: list[HandIn], by_hand: ByHand, codes: Mapping[str, str]
) -> Iterator[BookEntry]:
    """A line for each person of the roster; of several hand-ins the last one counts."""
    for key, person in roster.items():
        persons = [hand_in for hand_in in graded if key in map(same_id, hand_in.grade.ids)]
        if not persons:
            yield BookEntry(person, None, {}, (), 0, 1.0, ("nothing was handed in",))
            continue
        code = same_id(codes.get(persons[-1].name, ""))
        yield _entry(assignment, person, persons, by_hand.get(code, {}) | by_hand.get(key, {}))


def _entry(
    assignment: Assignment, person: Person, persons: list[HandIn], judgements: Mapping[str, Judgement]
) -> BookEntry:
    last, deadline = persons[-1], assignment.terms.deadline
    points = {check.name: check.points for check in last.grade.checks}
    points |= {criterion.name: 0 for criterion in assignment.terms.rubric}
    points |= {name: judgement.points for name, judgement in judgements.items()}
    comments = tuple(f"{item.criterion}: {item.comment}" for item in judgements.values() if item.comment)
    days, share = 0, 1.0
    if deadline and last.handed_in:
        days = deadline.days_late(last.handed_in)
        share = deadline.share(days, person.free_days)
    late = (f"{days} days late: {share:.0%} of the points",) if days else ()
    return BookEntry(person, last, points, comments, days, share, (*late, *_remarks(assignment, persons, judgements)))


def _remarks(assignment: Assignment, persons: list[HandIn], judgements: Mapping[str, Judgement]) -> Iterator[str]:
    """What a person should look at in this line."""
    last, terms = persons[-1], assignment.terms
    yield from last.grade.flags
    if len(persons) > 1:
        yield f"is in {len(persons)} submissions, {last.name} counts"
    if terms.people_at_most and len(last.grade.ids) > terms.people_at_most:
        yield f"handed in by {len(last.grade.ids)} people, at most {terms.people_at_most} may"
    if not last.grade.is_final:
        yield "the grade is not final"
    if terms.deadline and last.handed_in is None:
        yield "nothing says when it was handed in"
    if waiting := [criterion.name for criterion in terms.rubric if criterion.name not in judgements]:
        yield f"not judged yet: {', '.join(waiting)}"


def strangers(roster: Roster, graded: Iterable[HandIn]) -> Iterator[str]:
    """A sentence for each hand-in with an id that the roster lacks."""
    for hand_in in graded:
        unknown = [name for name in hand_in.grade.ids if same_id(name) not in roster]
        if unknown or not hand_in.grade.ids:
            yield f"{hand_in.name}: {', '.join(unknown) or 'nobody'} is not in the roster"


def read_codes(grades: Path) -> Codes:
    """The codes that were given before; none where nobody asked for them."""
    file = grades / CODES
    if not file.exists():
        return {}
    return {row["submission"]: row["code"] for _, row in read_lines(file, CODE_COLUMNS, CODE_COLUMNS)}


def give_codes(grades: Path, graded: Iterable[HandIn]) -> Codes:
    """A code for each hand-in. A code never changes, so that points given by it stay valid."""
    codes = read_codes(grades)
    for hand_in in graded:
        codes.setdefault(hand_in.name, secrets.token_hex(4))
    write_text(grades / CODES, csv_text(CODE_COLUMNS, codes.items()))
    return codes


def write_nameless(assignment: Assignment, graded: list[HandIn], codes: Codes, folder: Path) -> None:
    """A folder for each code, and a sheet to fill in, in the order of the codes."""
    for hand_in in graded:
        report = hand_in.folder / NAMELESS
        if not report.is_file():
            raise SpecError(
                f"{hand_in.name} has no report without names", file=hand_in.folder,
                hint="anonymous = true in the assignment, and grade again",
            )  # fmt: skip
        for file in (report, hand_in.folder / SENTENCES):
            if file.is_file():
                write_bytes(folder / codes[hand_in.name] / file.name, file.read_bytes())
    sorted_codes = sorted(codes[hand_in.name] for hand_in in graded)
    rows = [(code, criterion.name, "", "") for code in sorted_codes for criterion in assignment.terms.rubric]
    if not (folder / SHEET).exists():
        write_text(folder / SHEET, csv_text(POINT_COLUMNS, rows))


def book_csv(assignment: Assignment, lines: Iterable[BookEntry]) -> str:
    names = (*assignment.checks, *(criterion.name for criterion in assignment.terms.rubric), MORE)
    head = ("id", "name", "section", "submission", "handed_in", "days_late", *names, "total", "most", "words")
    rows = []
    for entry in lines:
        person, hand_in = entry.person, entry.hand_in
        when = hand_in.handed_in.isoformat(timespec="seconds") if hand_in and hand_in.handed_in else ""
        about = [person.id, person.name, person.section, hand_in.name if hand_in else "", when, entry.days_late]
        points = [entry.points.get(name, "") for name in names]
        rows.append(map(plain, [*about, *points, _number(entry.total), assignment.most, entry.text]))
    return csv_text(head, rows)


def moodle_csv(assignment: Assignment, lines: Iterable[BookEntry]) -> str:
    """For Moodle's grade import; a person without a submission has a dash, as in Moodle's exports."""
    head = ("ID number", "Email address", assignment.title, f"{assignment.title} (feedback)")
    rows = []
    for entry in lines:
        cells = (entry.person.id, entry.person.email, _number(entry.total) if entry.hand_in else "-", entry.text)
        rows.append([cell if cell == "-" else plain(cell) for cell in cells])  # a lone dash is no formula
    return csv_text(head, rows)


def canvas_csv(assignment: Assignment, lines: Iterable[BookEntry]) -> str:
    """For the import of Canvas's gradebook; a person without a submission has an empty cell, which changes nothing."""
    head = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title)
    rows: list[Iterable[object]] = [("    Points Possible", "", "", "", "", assignment.most)]
    for entry in lines:
        person, total = entry.person, _number(entry.total) if entry.hand_in else ""
        cells = (person.name or person.id, person.canvas_id, person.id, person.login, person.section, total)
        rows.append([plain(cell) for cell in cells])
    return csv_text(head, rows)


def gradescope_json(assignment: Assignment, entry: BookEntry) -> str:
    """The results of one hand-in with the points given by hand; Gradescope takes the score, not the sum of tests."""
    most = assignment.points | {criterion.name: criterion.points for criterion in assignment.terms.rubric}
    tests: list[JsonTable] = [
        {
            "name": name,
            "score": points,
            "max_score": most.get(name, 0),
            "visibility": "hidden" if name in assignment.hidden else "visible",
        }
        for name, points in entry.points.items()
    ]
    document: JsonTable = {"score": entry.total, "output": one_line(entry.text), "tests": tests}
    return json.dumps(document, indent=1) + "\n"


def _number(points: float) -> str:
    """The points without a fraction of zeros."""
    return f"{points:.2f}".rstrip("0").rstrip(".")
