"""Files about a whole class: the table of grades, the page of results, and which hand-ins are alike."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.errors import LabError, one_line
from lab.files.storage import csv_text, write_text
from lab.grade.case import Case
from lab.grade.course import Graded
from lab.grade.finding import SENTENCES, CheckResult
from lab.places import TEMPLATES
from lab.records.record import read_document
from lab.records.table import KEY_LETTERS
from lab.report.text.latex import without_comments
from lab.submission.assignment import CHECKS, Assignment

GRADES, ALIKE, PAGE = "grades.csv", "alike.csv", "class.html"
GROWTH = 1.25  # of a class, between two writings of its files
LEAST_WORDS = 0.3  # of two discussions' runs of five words; below it, they only share phrases of the course
SHOWN_HAND_INS = 5  # in a line about several
FINGERPRINT = "fingerprint.json"
RUN_WORDS = 5  # words of a run
MOST_DIGESTS = 100_000  # in a fingerprint, of each kind
DIGEST_LETTERS = 16
# Of a record's state: no two measurements share all of it. Hand-ins of a large class may share a start alone.
MOMENTS = (("started", "load"), ("host_seconds",))
LEAST_LETTERS = 8  # of a moment: a rounded number proves nothing
NEAREST = 10  # earlier hand-ins that a hand-in is compared with
HOLDERS = 20  # hand-ins with one piece: so many, the last ones, are considered
WEIGHED = 2000  # pieces of a hand-in by which the nearest are found
_WORD = re.compile(r"[^\W_]+")

Groups = dict[str, list[str]]  # what several hand-ins have -> the names of these hand-ins


class ClassOutputs:
    """The files of a class while its hand-ins are graded, each replaced whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._titles: list[str] = []
        self._checks: set[str] = set()
        self._graded: list[Graded] = []
        self._written = 0

    def begin(self, assignment: Assignment) -> None:
        """Announce the assignment of the next hand-ins."""
        self._titles.append(assignment.title)
        self._checks |= set(assignment.checks)

    def add(self, graded: Graded) -> None:
        """Add a file. The outputs are written when the class has grown by a quarter: in all, in linear time."""
        self._graded.append(graded)
        if len(self._graded) >= self._written * GROWTH:
            self._write([])

    def finish(self) -> list[str]:
        """Write all files, with the pairs that are alike; return lines about the class."""
        fingerprints = {row.submission: read_fingerprint(row.folder) for row in self._graded if row.folder}
        pairs = alike(fingerprints, LEAST_WORDS)
        write_text(self._folder / ALIKE, alike_csv(pairs))
        page = self._write(pairs)
        lines = [f"{len(names):>4} with the fault: {kind}" for kind, names in page.causes.items()]
        for name, names in page.twice.items():
            more = f" and {len(names) - SHOWN_HAND_INS} more" if len(names) > SHOWN_HAND_INS else ""
            shown = ", ".join(names[:SHOWN_HAND_INS])
            lines.append(f"     the id {name} is in {len(names)} submissions: {shown}{more}")
        return [*map(one_line, lines), *([f"{len(pairs):>4} pairs are alike: {ALIKE}"] if pairs else [])]

    def _write(self, pairs: list[Likeness]) -> ClassPage:
        rows = sorted(self._graded, key=lambda row: (not row.grade.flags, row.submission))
        checks = tuple(name for name in CHECKS if name in self._checks)
        page = ClassPage(" and ".join(self._titles), checks, rows, by_cause(rows), by_id(rows), pairs)
        write_text(self._folder / GRADES, grades_csv(page))
        write_text(self._folder / PAGE, class_page(page))
        self._written = len(rows)
        return page


@dataclass(frozen=True)
class ClassPage:
    title: str
    checks: tuple[str, ...]  # of its assignments
    rows: list[Graded]
    causes: Mapping[str, list[str]]
    twice: Mapping[str, list[str]]  # ids in several hand-ins
    alike: list[Likeness]

    def first(self, row: Graded) -> str:
        """What a grader must know before the points."""
        again = [
            f"the id {name} is in {len(self.twice[same_id(name)])} submissions"
            for name in row.grade.ids
            if same_id(name) in self.twice
        ]
        return "; ".join([*row.grade.flags, *again, *([row.trouble] if row.trouble else [])])

    def checks_of(self, row: Graded) -> dict[str, CheckResult]:
        return {check.name: check for check in row.grade.checks}

    def sentences(self, row: Graded) -> str:
        """The path of the page of sentences from the class's page; empty if there is none."""
        if not row.folder or not (row.folder / SENTENCES).is_file():
            return ""
        return f"{row.folder.parent.name}/{row.folder.name}/{SENTENCES}"

    def findings(self, check: CheckResult) -> list[str]:
        nothing = [] if check.findings else ["nothing found"]
        return [*check.evidence(), *nothing, f"to repeat: {check.command}"]


def class_page(page: ClassPage) -> str:
    """The table, whose cells link to the evidence below. Untrusted text has no tag, and nothing that ends a line."""
    loader = FileSystemLoader(TEMPLATES)
    pages = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True, finalize=_harmless)
    return pages.get_template("class.html").render(page=page) + "\n"


def _harmless(value: object) -> object:
    return value if isinstance(value, Markup) else one_line(str(value))  # a macro returns markup


def same_id(name: str) -> str:
    """An id in the form that all spellings of it share."""
    return " ".join(name.split()).casefold()


def by_cause(rows: Iterable[Graded]) -> Groups:
    """The hand-ins with each fault, the most frequent fault first."""
    causes: Groups = {}
    for row in rows:
        trouble = ["skipped" if row.skipped else "the grading itself"] if row.trouble else []
        for kind in [*row.grade.kinds, *trouble]:
            causes.setdefault(kind, []).append(row.submission)
    return dict(sorted(causes.items(), key=lambda item: (-len(item[1]), item[0])))


def by_id(rows: Iterable[Graded]) -> Groups:
    holders: Groups = {}
    for row in rows:
        for name in dict.fromkeys(map(same_id, row.grade.ids)):
            holders.setdefault(name, []).append(row.submission)
    return {name: submissions for name, submissions in sorted(holders.items()) if len(submissions) > 1}


def grades_csv(page: ClassPage) -> str:
    """A row for each file of the class; a check that a hand-in's assignment lacks has an empty cell."""
    about = ["submission", "flags", "assignment", "identity", "ids", "submissions of an id", "points", "most", "final"]
    return csv_text([*about, *page.checks, "faults", "trouble", "folder"], _grade_rows(page))


def _grade_rows(page: ClassPage) -> Iterator[Iterable[str]]:
    for row in page.rows:
        grade, points = row.grade, {check.name: check.points for check in row.grade.checks}
        same = max((len(page.twice.get(same_id(name), ())) for name in grade.ids), default=0)
        sums = [grade.points, grade.most, grade.is_final] if row.folder else ["", "", False]
        cells = [row.submission, "; ".join(grade.flags), grade.assignment, grade.identity, row.ids, same or "", *sums]
        cells += [points.get(name, "") for name in page.checks]
        yield map(plain, [*cells, "; ".join(grade.kinds), row.trouble, row.folder or ""])


def plain(value: object) -> str:
    """The text for a spreadsheet, which must not run a stranger's text as a formula, nor a terminal as a command."""
    text = one_line(str(value))
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@", "\\", "|") and text.strip() else text


@dataclass(frozen=True)
class Fingerprint:
    """The digests of a hand-in's runs of words, and of the moments of its records."""

    words: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()


def fingerprint(case: Case) -> Fingerprint:
    """The fingerprint of the readable parts."""
    try:
        text = without_comments(case.file("discussion.tex").decode(errors="replace"))
        moments = frozenset(moment for key in sorted(case.records) for moment in _moments(case, key))
    except (LabError, RecursionError):
        return Fingerprint()
    words = [word.lower() for word in _WORD.findall(text)]
    runs = (" ".join(words[start : start + RUN_WORDS]) for start in range(len(words) - RUN_WORDS + 1))
    return Fingerprint(frozenset(map(_digest, runs)), moments)


def _moments(case: Case, key: str) -> Iterator[str]:
    """The moments of a record, each by itself: to hide a copy, all must be invented."""
    state = read_document(case.results, key).get("state")
    for names in MOMENTS:
        moment = " ".join(str(state.get(name, "")) for name in names) if isinstance(state, dict) else ""
        if len(moment) >= LEAST_LETTERS:
            yield f"{key[:KEY_LETTERS]} {_digest(moment)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:DIGEST_LETTERS]


def write_fingerprint(content: Fingerprint, folder: Path) -> None:
    values = {"words": sorted(content.words)[:MOST_DIGESTS], "records": sorted(content.records)[:MOST_DIGESTS]}
    write_text(folder / FINGERPRINT, json.dumps(values) + "\n")


def read_fingerprint(folder: Path) -> Fingerprint:
    """The fingerprint that write_fingerprint wrote; an empty one if the file is missing or damaged."""
    try:
        values = json.loads((folder / FINGERPRINT).read_text())
        return Fingerprint(frozenset(values["words"]), frozenset(values["records"]))
    except (OSError, ValueError, KeyError, TypeError):
        return Fingerprint()


@dataclass(frozen=True)
class Likeness:
    """Two hand-ins and what they share: for a person to look at, never for points."""

    first: str
    second: str
    words: float  # Jaccard index of the runs of words
    records: int  # records with a moment of their measurement in common


def alike(fingerprints: Mapping[str, Fingerprint], least_words: float) -> list[Likeness]:
    """The pairs that share a record or many words, the most alike first. Each hand-in is compared with the nearest of
    those before it, so that a ring of copies is a chain of pairs, and a class of copies is as quick as any other."""
    pairs = [pair for pair in _pairs(fingerprints) if pair.records or pair.words >= least_words]
    return sorted(pairs, key=lambda pair: (-pair.records, -pair.words, pair.first, pair.second))


def _pairs(fingerprints: Mapping[str, Fingerprint]) -> Iterator[Likeness]:
    holders: dict[str, list[str]] = defaultdict(list)
    count: Counter[str] = Counter()
    for name in sorted(fingerprints):
        mine = fingerprints[name]
        pieces = [*sorted(mine.records)[:WEIGHED], *sorted(mine.words)[:WEIGHED]]
        weight: Counter[str] = Counter()  # of the earlier submissions: rare pieces weigh most
        for piece in pieces:
            for earlier in holders.get(piece, ()):
                weight[earlier] += round(1_000_000 / count[piece])
        for earlier, _ in weight.most_common(NEAREST):
            theirs = fingerprints[earlier]
            shared = len(mine.words & theirs.words)
            every = len(mine.words) + len(theirs.words) - shared
            records = {piece.partition(" ")[0] for piece in mine.records & theirs.records}
            yield Likeness(earlier, name, shared / (every or 1), len(records))
        for piece in pieces:
            holders[piece] = [*holders[piece][-HOLDERS + 1 :], name]
            count[piece] += 1


def alike_csv(pairs: Iterable[Likeness]) -> str:
    rows = ([plain(pair.first), plain(pair.second), f"{pair.words:.3f}", pair.records] for pair in pairs)
    return csv_text(("one", "other", "words_shared", "records_shared"), rows)
