"""Files about a whole class: the table of grades, the page of results, and which submissions are alike."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.errors import LabError, one_line
from lab.files.storage import csv_text, write_text
from lab.files.store import sha256_of
from lab.grade.case import Case
from lab.grade.course import Graded
from lab.grade.finding import SENTENCES, CheckResult
from lab.grade.outputs import harmless
from lab.places import TEMPLATES
from lab.records.record import open_record
from lab.records.table import KEY_LETTERS
from lab.report.html.page import filled
from lab.report.text.latex import without_comments
from lab.submission.assignment import CHECKS, Assignment

GRADES, ALIKE, PAGE = "grades.csv", "alike.csv", "class.html"
ABOUT = ("submission", "flags", "assignment", "identity", "ids", "submissions of an id", "points", "most", "final")
GROWTH = 1.25  # of a class, between two writings of its files
LEAST_WORDS = 0.3  # of two discussions' runs of five words; below it, they only share phrases of the course
SHOWN_SUBMISSIONS = 5  # in a line about several
FINGERPRINT = "fingerprint.json"
RUN_WORDS = 5  # words of a run
MOST_DIGESTS = 100_000  # in a fingerprint, of each kind
DIGEST_LETTERS = 16
# Of a record's state: no two measurements share all of it. Submissions of a large class may share a start alone.
MOMENTS = (("started", "load"), ("host_seconds",))
LEAST_LETTERS = 8  # of a moment: a rounded number proves nothing
NEAREST = 10  # pairs of a submission with earlier ones
_WORD = re.compile(r"[^\W_]+")

Groups = dict[str, list[str]]  # the names of submissions by what they share


class Likeness(NamedTuple):
    """Two submissions and what they share: for a person to look at, never for points."""

    first: str
    second: str
    words: float  # Jaccard index of the runs of words
    records: int  # records with a moment of their measurement in common


class ClassOutputs:
    """The files of a class while its submissions are graded, each replaced whole; the page's template reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.written = folder, 0
        self.titles, self.rows, self.alike = list[str](), list[Graded](), list[Likeness]()
        self.checks: tuple[str, ...] = ()
        self.twice, self.causes = Groups(), Groups()  # ids in several submissions, and submissions by fault

    def begin(self, assignment: Assignment) -> None:
        """Announce the assignment of the next submissions."""
        self.titles.append(assignment.title)
        self.checks = tuple(name for name in CHECKS if name in (*self.checks, *assignment.checks))

    def add(self, graded: Graded) -> None:
        """Add a file. The outputs are written when the class has grown by a quarter: in all, in linear time."""
        self.rows.append(graded)
        if len(self.rows) >= self.written * GROWTH:
            self._write()

    def finish(self) -> list[str]:
        """Write all files, with the pairs that are alike; return lines about the class."""
        fingerprints = {row.submission: read_fingerprint(row.folder) for row in self.rows if row.folder}
        self.alike = alike(fingerprints, LEAST_WORDS)
        rows = ([plain(pair.first), plain(pair.second), f"{pair.words:.3f}", pair.records] for pair in self.alike)
        write_text(self.folder / ALIKE, csv_text(("one", "other", "words_shared", "records_shared"), rows))
        self._write()
        lines = [f"{len(names):>4} with the fault: {kind}" for kind, names in self.causes.items()]
        for name, names in self.twice.items():
            more = f" and {len(names) - SHOWN_SUBMISSIONS} more" if len(names) > SHOWN_SUBMISSIONS else ""
            shown = ", ".join(names[:SHOWN_SUBMISSIONS])
            lines.append(f"     the id {name} is in {len(names)} submissions: {shown}{more}")
        if self.alike:
            lines.append(f"{len(self.alike):>4} in the list of similar pairs: {ALIKE}")
        return [*map(one_line, lines)]

    def _write(self) -> None:
        """Write the table and the page, whose cells link to the evidence below. Untrusted text has no tag there, and
        nothing that ends a line."""
        self.rows.sort(key=lambda row: (not row.grade.flags, row.submission))
        kinds = _grouped(self.rows, _kinds)
        self.causes = dict(sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0])))
        ids = _grouped(self.rows, lambda row: dict.fromkeys(map(same_id, row.grade.ids)))
        self.twice = {name: names for name, names in sorted(ids.items()) if len(names) > 1}
        self.written = len(self.rows)
        table = csv_text([*ABOUT, *self.checks, "faults", "trouble", "folder"], map(self._cells, self.rows))
        write_text(self.folder / GRADES, table)
        write_text(self.folder / PAGE, filled(TEMPLATES, PAGE, {"page": self}, finalize=harmless) + "\n")

    def _cells(self, row: Graded) -> Iterator[str]:
        """A row of the table; a check that the submission's assignment lacks has an empty cell."""
        grade, points = row.grade, {check.name: check.points for check in row.grade.checks}
        ids = ", ".join(grade.ids)
        same = max((len(self.twice.get(same_id(name), ())) for name in grade.ids), default=0)
        sums = [grade.points, grade.most, grade.is_final] if row.folder else ["", "", False]
        cells = [row.submission, "; ".join(grade.flags), grade.assignment, grade.identity, ids, same or "", *sums]
        cells += [points.get(name, "") for name in self.checks]
        return map(plain, [*cells, "; ".join(grade.kinds), row.trouble, row.folder or ""])

    def first(self, row: Graded) -> str:
        """The remarks that a grader must read before the points."""
        counts = {name: len(self.twice.get(same_id(name), ())) for name in row.grade.ids}
        again = [f"the id {name} is in {count} submissions" for name, count in counts.items() if count]
        return "; ".join([*row.grade.flags, *again, *([row.trouble] if row.trouble else [])])

    def checks_of(self, row: Graded) -> dict[str, CheckResult]:
        return {check.name: check for check in row.grade.checks}

    def sentences(self, row: Graded) -> str:
        """The path of the page of sentences from the class's page; empty if there is none."""
        has_page = row.folder and (row.folder / SENTENCES).is_file()
        return f"{row.folder.parent.name}/{row.folder.name}/{SENTENCES}" if row.folder and has_page else ""


def same_id(name: str) -> str:
    """An id in the form that all spellings of it share."""
    return " ".join(name.split()).casefold()


def _kinds(row: Graded) -> Iterable[str]:
    trouble = ["skipped" if row.skipped else "the grading itself"] if row.trouble else []
    return (*row.grade.kinds, *trouble)


def _grouped(rows: Iterable[Graded], keys: Callable[[Graded], Iterable[str]]) -> Groups:
    groups: Groups = defaultdict(list)
    for row in rows:
        for key in keys(row):
            groups[key].append(row.submission)
    return groups


def plain(value: object) -> str:
    """A cell of a table that neither a spreadsheet reads as a formula nor a terminal as a command."""
    text = one_line(str(value))
    starts = text.strip() != "-" and text.lstrip()[:1] in ("=", "+", "-", "@", "\\", "|")
    return f"'{text}" if starts and text.strip() else text


@dataclass(frozen=True)
class Fingerprint:
    """The digests of a submission's runs of words, and of the moments of its records."""

    words: frozenset[str] = frozenset()
    records: frozenset[str] = frozenset()


def fingerprint(case: Case) -> Fingerprint:
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
    state = open_record(case.results, key).document().get("state")
    for names in MOMENTS:
        moment = " ".join(str(state.get(name, "")) for name in names) if isinstance(state, dict) else ""
        if len(moment) >= LEAST_LETTERS:
            yield f"{key[:KEY_LETTERS]} {_digest(moment)}"


def _digest(text: str) -> str:
    return sha256_of(text.encode(errors="replace"))[:DIGEST_LETTERS]


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


def alike(fingerprints: Mapping[str, Fingerprint], least_words: float) -> list[Likeness]:
    """The pairs that share a record or many words, the most alike first. Each submission has pairs only with the
    nearest of those before it, so that a ring of copies is a chain of pairs, and a class of copies a short list."""
    names, pairs = sorted(fingerprints), list[Likeness]()
    for number, name in enumerate(names):
        earlier = (_likeness(before, name, fingerprints) for before in names[:number])
        similar = [pair for pair in earlier if pair.records or pair.words >= least_words]
        pairs += sorted(similar, key=_rank)[:NEAREST]
    return sorted(pairs, key=_rank)


def _rank(pair: Likeness) -> tuple[float, float, str, str]:
    return -pair.records, -pair.words, pair.first, pair.second


def _likeness(first: str, second: str, fingerprints: Mapping[str, Fingerprint]) -> Likeness:
    ours, theirs = fingerprints[first], fingerprints[second]
    shared = len(ours.words & theirs.words)
    every = len(ours.words) + len(theirs.words) - shared
    records = {piece.partition(" ")[0] for piece in ours.records & theirs.records}
    return Likeness(first, second, shared / (every or 1), len(records))
