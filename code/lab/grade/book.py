"""The grade book of an assignment: roster, late days and points given by hand; `lab gradebook` and its exports."""

import json
import secrets
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from lab.errors import SpecError, one_line, plural
from lab.files.bounded import read_csv
from lab.files.storage import csv_text, write_bytes, write_text
from lab.grade.class_outputs import plain, same_id
from lab.grade.course import last_attempt
from lab.grade.finding import NAMELESS, SENTENCES, Grade, Score
from lab.grade.outputs import gradescope_test, leaderboard_json
from lab.places import from_here
from lab.submission.assignment import MOMENT, Assignment, find_assignment, load_assignment, read_moment
from lab.typed_json import JsonTable, Limits, whole

BOOK, MOODLE, CANVAS, GRADESCOPE = "book.csv", "moodle.csv", "canvas.csv", "gradescope"
CODES, SHEET, LEADERBOARD = "codes.csv", "sheet.csv", "leaderboard.csv"
NAMES = "names"  # in the leaderboard; or codes
ROSTER_COLUMNS = ("id", "name", "email", "login", "section", "canvas_id", "free_days")
POINT_COLUMNS = ("who", "criterion", "points", "comment")
TIME_COLUMNS = ("submission", "handed_in")
CODE_COLUMNS = ("submission", "code")
RANK_COLUMNS = ("rank", "who", "score", "unit", "handed_in")
MORE = "more"  # a criterion of every assignment: points that are added or taken off
FREE_DAYS, POINTS = Limits(least=0, most=1000), Limits(least=-1_000_000, most=1_000_000)


class Person(NamedTuple):
    """A member of the course; columns that the roster lacks are empty."""

    id: str
    name: str = ""
    email: str = ""
    login: str = ""
    section: str = ""
    canvas_id: str = ""
    free_days: int = 0  # late days that cost nothing, for this assignment


class Judgement(NamedTuple):
    """Points given by a person for a criterion of the rubric, instead of a check's, or in addition."""

    points: int
    comment: str


class GradedSubmission(NamedTuple):
    """One graded submission; `handed_in` is None where its time is unknown."""

    grade: Grade
    folder: Path
    handed_in: datetime | None

    @property
    def name(self) -> str:
        return self.grade.submission


@dataclass(frozen=True)
class BookEntry:
    person: Person
    submission: GradedSubmission | None
    points: Mapping[str, int]  # by check and criterion, and MORE
    comments: tuple[str, ...]
    remarks: tuple[str, ...]
    days_late: int = 0
    share: float = 1.0  # of the points, after late days

    @property
    def total(self) -> float:
        return round(max(0, sum(self.points.values())) * self.share, 2)

    @property
    def text(self) -> str:
        return "; ".join((*self.remarks, *self.comments))


Roster = dict[str, Person]  # by same_id
ByHand = dict[str, dict[str, Judgement]]  # by same_id of a person's id or a submission's code; then by criterion
Times = dict[str, datetime]  # by the name of the file
Codes = dict[str, str]  # by the name of the submission


def gradebook(options: Namespace) -> int:
    """Write everybody of the roster with all points; 1 if a person should look at something."""
    assignment = load_assignment(find_assignment(options.assignment))
    roster = read_roster(options.roster)
    require_folder(options.grades, "lab grade-class SUBMISSIONS, which writes it, or --grades DIR")
    submissions = graded_submissions(options.grades, assignment.name, times_of(options.submissions, options.times))
    if options.nameless:
        write_nameless(assignment, submissions, options.grades, options.nameless)
        print(f"{from_here(options.nameless)}: {plural(len(submissions), 'submission')} without names")
    by_hand = read_by_hand(options.by_hand, assignment) if options.by_hand else {}
    lines = list(entries(assignment, roster, submissions, by_hand, read_codes(options.grades)))
    folder: Path = options.out or options.grades
    for name, text in exports(assignment, lines).items():
        write_text(folder / name, text)
    for entry in lines:
        if entry.submission:
            file = folder / GRADESCOPE / f"{entry.submission.folder.parent.name}.json"
            write_text(file, gradescope_json(assignment, entry))
    if options.leaderboard:
        if not assignment.leaderboard:
            hint = "[leaderboard] with a series in the assignment, and grade again"
            raise SpecError("the assignment has no leaderboard", file=assignment.file, hint=hint)
        codes = {} if options.leaderboard == NAMES else new_codes(submissions, options.grades)
        rows = list(ranking(lines, codes))
        write_text(folder / LEADERBOARD, csv_text(RANK_COLUMNS, (map(plain, row) for row in rows)))
        print("".join(f"{rank:>4}  {one_line(who)}: {score} {unit}\n" for rank, who, score, unit, _ in rows), end="")
    remarks = [f"{entry.person.id}: {remark}" for entry in lines for remark in entry.remarks]
    remarks += unknown_ids(roster, submissions)
    print("".join(f"{one_line(remark)}\n" for remark in remarks), end="")
    missing = sum(entry.submission is None for entry in lines)
    print(f"{from_here(folder / BOOK)}: {len(lines)} people, {missing} without a submission")
    return int(bool(remarks))


def read_roster(file: Path) -> Roster:
    """Everybody once; an error names the line of an id that is empty or repeated."""
    roster: Roster = {}
    lines: dict[str, int] = {}
    for line, row in read_lines(file, ("id",), ROSTER_COLUMNS):
        if not row["id"]:
            raise SpecError("the id is empty", file=file, line=line, hint="type the id, or remove the line")
        key = same_id(row["id"])
        if key in roster:
            what = f"the id {row['id']!r:.60} is already in line {lines[key]}"
            raise SpecError(what, file=file, line=line, hint="remove one of the two lines")
        days = whole_number(row.pop("free_days"), "free_days", FREE_DAYS, file, line)
        roster[key], lines[key] = Person(**row, free_days=days), line
    if not roster:
        raise SpecError("the roster names nobody", file=file, expected="a line for each person")
    return roster


def read_by_hand(file: Path, assignment: Assignment) -> ByHand:
    """All judgements; a row without points is not filled in yet."""
    most = assignment.criteria | {name: assignment.points[name] for name in assignment.checks}
    by_hand: ByHand = {}
    for line, row in read_lines(file, POINT_COLUMNS[:3], POINT_COLUMNS):
        if not row["points"]:
            continue
        criterion, points = row["criterion"], whole_number(row["points"], "points", POINTS, file, line)
        if criterion != MORE and criterion not in most:
            expected = f"one of {', '.join([*most, MORE])}"
            raise SpecError(f"unknown criterion {criterion!r:.60}", file=file, line=line, expected=expected)
        if criterion != MORE and not 0 <= points <= most[criterion]:
            expected = f"0 to {most[criterion]}"
            raise SpecError(f"{criterion} has {points} points", file=file, line=line, expected=expected)
        judgements = by_hand.setdefault(same_id(row["who"]), {})
        if criterion in judgements:
            what = f"{row['who']} has {criterion} twice"
            raise SpecError(what, file=file, line=line, hint="remove one of the two lines")
        judgements[criterion] = Judgement(points, row["comment"])
    return by_hand


def times_of(submissions: Path | None, table: Path | None) -> Times:
    """When each file was handed in: by a table, else by the date of the file."""
    if submissions:
        require_folder(submissions, "--submissions DIR, the folder that lab grade-class graded")
    files = submissions.iterdir() if submissions else ()
    times = {file.name: datetime.fromtimestamp(file.stat().st_mtime, UTC) for file in files}
    for line, row in read_lines(table, TIME_COLUMNS, TIME_COLUMNS) if table else ():
        if not (moment := read_moment(row["handed_in"])):
            raise SpecError(f"handed_in is {row['handed_in']!r:.40}", file=table, line=line, expected=MOMENT)
        times[row["submission"]] = moment
    return times


def read_lines(file: Path, required: tuple[str, ...], columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row by column, with its line; a missing cell is empty."""
    rows = read_csv(file, ",".join(columns))
    names = [name.lower() for name in next(rows, (1, []))[1]]
    if missing := [name for name in required if name not in names]:
        raise SpecError(f"the column {missing[0]} is missing", file=file, line=1, expected=",".join(columns))
    if twice := next((name for name in columns if names.count(name) > 1), None):
        raise SpecError(f"the column {twice} is there twice", file=file, line=1, hint="remove one of the two")
    for line, row in rows:
        yield line, {name: row[names.index(name)] if name in names else "" for name in columns}


def whole_number(text: str, what: str, limits: Limits, file: Path, line: int) -> int:
    """The number in a cell; 0 for an empty cell."""
    try:
        if limits.broken_by(number := whole(text or "0")) is None:
            return number
    except ValueError:
        pass
    expected = f"a whole number, {limits.least} to {limits.most}"
    raise SpecError(f"{what} is {text!r:.40}", file=file, line=line, expected=expected)


def require_folder(folder: Path, hint: str) -> None:
    if not folder.is_dir():
        raise SpecError("is not a folder", file=folder, hint=hint)


def graded_submissions(grades: Path, assignment: str, times: Times) -> list[GradedSubmission]:
    """The last attempt of each submission for this assignment, the earliest first; unknown times before all."""
    attempts = [last_attempt(folder) for folder in sorted(grades.glob("*")) if folder.is_dir()]
    graded = [
        GradedSubmission(grade, attempt, times.get(grade.submission))
        for attempt, grade in attempts
        if attempt and grade.assignment == assignment
    ]
    never = datetime.min.replace(tzinfo=UTC)
    return sorted(graded, key=lambda submission: (submission.handed_in or never, submission.name))


def entries(
    assignment: Assignment, roster: Roster, submissions: list[GradedSubmission], by_hand: ByHand, codes: Codes
) -> Iterator[BookEntry]:
    """A line for each person of the roster; of several submissions the last one counts."""
    deadline = assignment.deadline
    for key, person in roster.items():
        of_person = [submission for submission in submissions if key in map(same_id, submission.grade.ids)]
        if not of_person:
            yield BookEntry(person, None, {}, (), ("nothing was handed in",))
            continue
        last = of_person[-1]
        judgements = by_hand.get(same_id(codes.get(last.name, "")), {}) | by_hand.get(key, {})
        points = {check.name: check.points for check in last.grade.checks}
        points |= dict.fromkeys(assignment.criteria, 0)
        points |= {name: judgement.points for name, judgement in judgements.items()}
        comments = tuple(f"{name}: {judgement.comment}" for name, judgement in judgements.items() if judgement.comment)
        days, share = 0, 1.0
        if deadline and last.handed_in:
            days = deadline.days_late(last.handed_in)
            share = deadline.share(days, person.free_days)
        late = (f"{plural(days, 'day')} late: {share:.0%} of the points",) if days else ()
        remarks = (*late, *_remarks(assignment, of_person, judgements))
        yield BookEntry(person, last, points, comments, remarks, days, share)


def _remarks(
    assignment: Assignment, submissions: list[GradedSubmission], judgements: Mapping[str, Judgement]
) -> Iterator[str]:
    last, most = submissions[-1], assignment.people_at_most
    yield from last.grade.flags
    if len(submissions) > 1:
        yield f"is in {len(submissions)} submissions, {last.name} counts"
    if most and len(last.grade.ids) > most:
        yield f"handed in by {len(last.grade.ids)} people, at most {most} may"
    if not last.grade.is_final:
        yield "the grade is not final"
    if assignment.deadline and last.handed_in is None:
        yield "the time of handing in is unknown"
    if waiting := [name for name in assignment.criteria if name not in judgements]:
        yield f"not judged yet: {', '.join(waiting)}"


def ranking(lines: Iterable[BookEntry], codes: Codes) -> Iterator[tuple[int, str, str, str, str]]:
    """A row for each submission that counts and has a score, the best first. Of equal scores the earlier submission is
    better. With codes, nothing else names a person."""
    people: dict[str, list[str]] = {}
    counted: dict[str, tuple[Score, GradedSubmission]] = {}
    for entry in lines:
        if entry.submission and (score := entry.submission.grade.score) and entry.share:
            counted[entry.submission.name] = score, entry.submission
            people.setdefault(entry.submission.name, []).append(entry.person.name or entry.person.id)
    for rank, (score, submission) in enumerate(sorted(counted.values(), key=_place), 1):
        who = codes.get(submission.name) or " and ".join(people[submission.name])
        when = "" if codes or not submission.handed_in else submission.handed_in.isoformat(timespec="seconds")
        yield rank, who, f"{score.value:.15g}", score.unit, when


def _place(counted: tuple[Score, GradedSubmission]) -> tuple[float, datetime, str]:
    score, submission = counted
    last = datetime.max.replace(tzinfo=UTC)
    return score.value if score.least_is_best else -score.value, submission.handed_in or last, submission.name


def unknown_ids(roster: Roster, submissions: Iterable[GradedSubmission]) -> Iterator[str]:
    for submission in submissions:
        unknown = [name for name in submission.grade.ids if same_id(name) not in roster]
        if unknown:
            yield f"{submission.name}: {', '.join(unknown)} is not in the roster"
        elif not submission.grade.ids:
            yield f"{submission.name}: no id could be read, so a person must find whose it is"


def read_codes(grades: Path) -> Codes:
    """The codes of earlier calls; none before the first."""
    file = grades / CODES
    rows = read_lines(file, CODE_COLUMNS, CODE_COLUMNS) if file.exists() else ()
    return {row["submission"]: row["code"] for _, row in rows}


def new_codes(submissions: Iterable[GradedSubmission], grades: Path) -> Codes:
    """The code of each submission. A code never changes, so that points given by it stay valid."""
    codes = read_codes(grades)
    for submission in submissions:
        codes.setdefault(submission.name, secrets.token_hex(4))
    write_text(grades / CODES, csv_text(CODE_COLUMNS, codes.items()))
    return codes


def write_nameless(assignment: Assignment, submissions: list[GradedSubmission], grades: Path, folder: Path) -> None:
    """Write a folder for each submission under its code, and a sheet to fill in, in the order of the codes."""
    codes = new_codes(submissions, grades)
    for submission in submissions:
        if not (submission.folder / NAMELESS).is_file():
            what, hint = "has no report without names", "anonymous = true in the assignment, and grade again"
            raise SpecError(f"{submission.name} {what}", file=submission.folder, hint=hint)
        for file in (submission.folder / NAMELESS, submission.folder / SENTENCES):
            if file.is_file():
                write_bytes(folder / codes[submission.name] / file.name, file.read_bytes())
    if not (folder / SHEET).exists():
        of_submissions = sorted(codes[submission.name] for submission in submissions)
        rows = [(code, name, "", "") for code in of_submissions for name in assignment.criteria]
        write_text(folder / SHEET, csv_text(POINT_COLUMNS, rows))


def exports(assignment: Assignment, lines: Iterable[BookEntry]) -> dict[str, str]:
    """The tables by file: the book, and those for the imports of Moodle and Canvas.

    A person without a submission has a dash in Moodle, as in its exports, and in Canvas an empty cell, which changes
    nothing."""
    title, names = assignment.title, [*assignment.checks, *assignment.criteria, MORE]
    about = ("id", "name", "section", "submission", "handed_in", "days_late")
    book: list[list[object]] = [[*about, *names, "total", "most", "words"]]
    moodle: list[list[object]] = [["ID number", "Email address", title, f"{title} (feedback)"]]
    canvas: list[list[object]] = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]]
    canvas.append(["    Points Possible", "", "", "", "", assignment.most])
    for entry in lines:
        person, submission = entry.person, entry.submission
        total = f"{entry.total:.2f}".rstrip("0").rstrip(".")
        when = submission.handed_in.isoformat(timespec="seconds") if submission and submission.handed_in else ""
        handed_in = [submission.name if submission else "", when, entry.days_late]
        points = [entry.points.get(name, "") for name in names]
        book.append([person.id, person.name, person.section, *handed_in, *points, total, assignment.most, entry.text])
        moodle.append([person.id, person.email, total if submission else "-", entry.text])
        about_person = [person.name or person.id, person.canvas_id, person.id, person.login, person.section]
        canvas.append([*about_person, total if submission else ""])
    tables = {BOOK: book, MOODLE: moodle, CANVAS: canvas}
    return {file: csv_text(head, (map(plain, row) for row in rows)) for file, (head, *rows) in tables.items()}


def gradescope_json(assignment: Assignment, entry: BookEntry) -> str:
    """The results of one submission with the points given by hand; Gradescope takes the score, not the sum of tests."""
    most = {**assignment.points, **assignment.criteria}
    tests = [
        gradescope_test(name, points, most.get(name, 0), hidden=name in assignment.hidden)
        for name, points in entry.points.items()
    ]
    more = leaderboard_json(entry.submission.grade) if entry.submission else {}
    document: JsonTable = {"score": entry.total, "output": one_line(entry.text), "tests": tests, **more}
    return json.dumps(document, indent=1) + "\n"
