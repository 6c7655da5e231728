"""The grade book: roster, submissions, entries and points given by hand."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.errors import SpecError
from lab.files.bounded import MOST_BYTES, read_bounded
from lab.grade.class_outputs import same_id
from lab.grade.course import last_attempt
from lab.grade.finding import SavedGrade
from lab.submission.assignment import Assignment

COLUMNS = ("id", "name", "email", "login", "section", "canvas_id", "free_days")


@dataclass(frozen=True)
class Person:
    """One of the course; what the course did not say is empty."""

    id: str
    name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    canvas_id: str = ""
    free_days: int = 0  # late days that cost nothing, for this assignment


Roster = dict[str, Person]  # by the id as two people would type the same one


def read_roster(file: Path) -> Roster:
    """Everybody once; an error names the line of an id that is empty or there before."""
    found: Roster = {}
    lines: dict[str, int] = {}
    for line, row in read_lines(file, ("id",), COLUMNS):
        if not row["id"]:
            raise SpecError("the id is empty", file=file, line=line)
        key = same_id(row["id"])
        if key in found:
            raise SpecError(f"the id {row['id']!r:.60} stands in line {lines[key]} already", file=file, line=line)
        days = whole_number(row.pop("free_days"), "free_days", file, line)
        found[key], lines[key] = Person(**row, free_days=days), line
    if not found:
        raise SpecError("the roster names nobody", file=file)
    return found


Line = dict[str, str]  # by column; what is missing is empty


def read_lines(file: Path, wanted: tuple[str, ...], known: tuple[str, ...]) -> Iterator[tuple[int, Line]]:
    """Each row with its line. Spreadsheets write a mark before the first column, and semicolons in some countries."""
    text = _text(file)
    head = text.partition("\n")[0]
    mark = ";" if head.count(";") > head.count(",") else ","
    rows = csv.DictReader(io.StringIO(text), delimiter=mark)
    columns = [(name or "").strip().lower() for name in rows.fieldnames or ()]
    _require_columns(columns, wanted, known, file)
    rows.fieldnames = columns
    for row in rows:
        if None in row or len(row) > len(columns):
            raise SpecError("this line has more cells than the first", file=file, line=rows.line_num)
        yield rows.line_num, {name: (row.get(name) or "").strip() for name in known}


def _text(file: Path) -> str:
    """As a spreadsheet saves it: with a byte order mark or without."""
    try:
        return read_bounded(file, MOST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpecError("is no UTF-8 text", file=file, hint="save it as CSV UTF-8") from error


def _require_columns(columns: list[str], wanted: tuple[str, ...], known: tuple[str, ...], file: Path) -> None:
    missing = [name for name in wanted if name not in columns]
    if missing:
        raise SpecError(f"there is no column {missing[0]}", file=file, line=1, expected=",".join(known))
    twice = next((name for name in known if columns.count(name) > 1), None)
    if twice:
        raise SpecError(f"the column {twice} is there twice", file=file, line=1)


def whole_number(text: str, what: str, file: Path, line: int) -> int:
    """A number of a cell; an empty one is 0."""
    try:
        return int(text or 0)
    except ValueError:
        raise SpecError(f"{what} is {text!r:.40}", file=file, line=line, expected="a whole number") from None


POINT_COLUMNS = ("who", "criterion", "points", "comment")
MORE = "more"  # a criterion of every assignment: points that are added, or taken off


@dataclass(frozen=True)
class Judgement:
    """One judgement: of a criterion of the rubric, of a check in place of the grader's own, or points added."""

    criterion: str
    points: int
    comment: str


ByHand = dict[str, dict[str, Judgement]]  # who, by id or by the code of a hand-in; then the criterion


def read_by_hand(file: Path, assignment: Assignment) -> ByHand:
    """All judgements. A row without points is a sheet's that nobody has filled in yet."""
    most = {each.name: each.points for each in assignment.terms.rubric}
    most |= {name: assignment.points[name] for name in assignment.checks}
    found: ByHand = {}
    for line, row in read_lines(file, ("who", "criterion", "points"), POINT_COLUMNS):
        if not row["points"]:
            continue
        points = whole_number(row["points"], "points", file, line)
        _require_points(row["criterion"], points, most, file, line)
        given = found.setdefault(same_id(row["who"]), {})
        if row["criterion"] in given:
            raise SpecError(f"{row['who']} has {row['criterion']} twice", file=file, line=line)
        given[row["criterion"]] = Judgement(row["criterion"], points, row["comment"])
    return found


def _require_points(criterion: str, points: int, most: dict[str, int], file: Path, line: int) -> None:
    if criterion == MORE:
        return
    if criterion not in most:
        known = ", ".join([*most, MORE])
        raise SpecError(f"there is no criterion {criterion!r:.60}", file=file, line=line, expected=f"one of {known}")
    if not 0 <= points <= most[criterion]:
        raise SpecError(f"{criterion} has {points} points", file=file, line=line, expected=f"0 to {most[criterion]}")


@dataclass(frozen=True)
class HandIn:
    """One graded hand-in; `handed_in` is None where nothing says when."""

    grade: SavedGrade
    folder: Path
    handed_in: datetime | None

    @property
    def name(self) -> str:
        return self.grade.submission


Times = dict[str, datetime]  # by the name of the file


def hand_ins(grades: Path, assignment: str, times: Times) -> list[HandIn]:
    """The last attempt of each hand-in for this assignment, the earliest first; those without a time before all."""
    found = []
    for folder in sorted(each for each in grades.glob("*") if each.is_dir()):
        attempt, grade = last_attempt(folder)
        if attempt and grade.assignment == assignment:
            found.append(HandIn(grade, attempt, times.get(grade.submission)))
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(found, key=lambda each: (each.handed_in or never, each.name))


def times_of(submissions: Path | None, table: Path | None) -> Times:
    """When each file came: as a table says, else by the file's own date."""
    found: Times = {}
    if submissions:
        for file in submissions.iterdir():
            found[file.name] = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    if table:
        for line, row in read_lines(table, ("submission", "handed_in"), ("submission", "handed_in")):
            found[row["submission"]] = _moment(row["handed_in"], table, line)
    return found


def _moment(text: str, file: Path, line: int) -> datetime:
    """With its offset; without one it would mean another moment on another computer."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise SpecError(f"handed_in is {text!r:.40}", file=file, line=line, expected="such as 2026-12-01T23:59+01:00")
    return moment


@dataclass(frozen=True)
class BookEntry:
    """One person's line of the book."""

    person: Person
    hand_in: HandIn | None
    points: Mapping[str, int]  # by check and criterion, and what was added
    comments: tuple[str, ...]
    days_late: int
    share: float  # that lateness leaves of the points
    remarks: tuple[str, ...]

    @property
    def total(self) -> float:
        return round(max(0, sum(self.points.values())) * self.share, 2)

    @property
    def words(self) -> str:
        """The remarks, and what people wrote."""
        return "; ".join((*self.remarks, *self.comments))


def entries(
    assignment: Assignment, roster: Roster, found: list[HandIn], judged: ByHand, codes: Mapping[str, str]
) -> Iterator[BookEntry]:
    """A line for each person of the roster; of several hand-ins the last one counts."""
    for key, person in roster.items():
        own = [each for each in found if key in map(same_id, each.grade.ids)]
        if not own:
            yield BookEntry(person, None, {}, (), 0, 1.0, ("nothing was handed in",))
            continue
        last = own[-1]
        by_hand = judged.get(same_id(codes.get(last.name, "")), {}) | judged.get(key, {})
        yield _entry(assignment, person, last, by_hand, tuple(_remarks(assignment, own, by_hand)))


def strangers(roster: Roster, found: Iterable[HandIn]) -> Iterator[str]:
    """A sentence for each id of a hand-in that the roster lacks."""
    for each in found:
        unknown = [name for name in each.grade.ids if same_id(name) not in roster]
        if unknown or not each.grade.ids:
            yield f"{each.name}: {', '.join(unknown) or 'nobody'} is not in the roster"


def _entry(
    assignment: Assignment, person: Person, last: HandIn, by_hand: Mapping[str, Judgement], remarks: tuple[str, ...]
) -> BookEntry:
    points = {each.name: each.points for each in last.grade.checks}
    points |= {each.name: 0 for each in assignment.terms.rubric}
    points |= {name: each.points for name, each in by_hand.items()}
    comments = tuple(f"{each.criterion}: {each.comment}" for each in by_hand.values() if each.comment)
    days, share = _lateness(assignment, last.handed_in, person.free_days)
    late = (f"{days} days late: {share:.0%} of the points",) if days else ()
    return BookEntry(person, last, points, comments, days, share, (*late, *remarks))


def _lateness(assignment: Assignment, handed_in: datetime | None, free_days: int) -> tuple[int, float]:
    deadline = assignment.terms.deadline
    if deadline is None or handed_in is None:
        return 0, 1.0
    days = deadline.days_late(handed_in)
    return days, deadline.share(days, free_days)


def _remarks(assignment: Assignment, own: list[HandIn], by_hand: Mapping[str, Judgement]) -> Iterator[str]:
    """What a person should know of this line."""
    last, terms = own[-1], assignment.terms
    yield from last.grade.flags
    if len(own) > 1:
        yield f"stands in {len(own)} hand-ins, {last.name} counts"
    if terms.people_at_most and len(last.grade.ids) > terms.people_at_most:
        yield f"handed in by {len(last.grade.ids)} people, at most {terms.people_at_most} may"
    if not last.grade.final:
        yield "the grade is not final"
    if terms.deadline and last.handed_in is None:
        yield "nothing says when it was handed in"
    waiting = [each.name for each in terms.rubric if each.name not in by_hand]
    if waiting:
        yield f"not judged yet: {', '.join(waiting)}"


def columns_of(assignment: Assignment) -> tuple[str, ...]:
    """The names of all points, in the order of a book."""
    return (*assignment.checks, *(each.name for each in assignment.terms.rubric), MORE)
