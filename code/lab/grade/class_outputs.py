"""The results of a class: a CSV of points, the faults by cause, ids that come twice, similar pairs, and the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.files.csv_text import csv_text
from lab.files.storage import write_text
from lab.grade.class_page import ClassPage, class_page, same_id
from lab.grade.course import Graded
from lab.grade.fingerprint import read_fingerprint
from lab.grade.likeness import Likeness, alike
from lab.harmless import one_line
from lab.submission.assignment import CHECKS, Assignment

GRADES, ALIKE, PAGE = "grades.csv", "alike.csv", "class.html"
GROWTH = 1.25  # of a class, between two writings
LEAST_WORDS = 0.3  # of two discussions' runs of five words; below it, they only share phrases of the course
SHOWN = 5  # hand-ins that a line names

Groups = dict[str, list[str]]  # what several hand-ins have, and which


class ClassOutputs:
    """The files of a class while its hand-ins are graded, each replaced whole."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._titles: list[str] = []
        self._checks: set[str] = set()
        self._graded: list[Graded] = []
        self._written = 0

    def begin(self, assignment: Assignment) -> None:
        """An assignment whose hand-ins come next."""
        self._titles.append(assignment.title)
        self._checks |= set(assignment.checks)

    def add(self, graded: Graded) -> None:
        """Add a file, and write whenever the class has grown by a quarter: in all, time that grows with the class."""
        self._graded.append(graded)
        if len(self._graded) >= self._written * GROWTH:
            self._write([])

    def finish(self) -> list[str]:
        """All files, with the pairs that are alike, which are looked for only now; lines about the class."""
        made = {each.submission: read_fingerprint(each.folder) for each in self._graded if each.folder}
        pairs = alike(made, LEAST_WORDS)
        write_text(self._folder / ALIKE, alike_csv(pairs))
        page = self._write(pairs)
        lines = [f"{len(which):>4} with the fault: {kind}" for kind, which in page.causes.items()]
        lines += [f"     the id {name} stands in {some(which)}" for name, which in page.twice.items()]
        return [*map(one_line, lines), *([f"{len(pairs):>4} pairs are alike: {ALIKE}"] if pairs else [])]

    def _write(self, pairs: list[Likeness]) -> ClassPage:
        rows = sorted(self._graded, key=lambda each: (not each.grade.flags, each.submission))
        checks = tuple(name for name in CHECKS if name in self._checks)
        page = ClassPage(" and ".join(self._titles), checks, rows, by_cause(rows), by_id(rows), pairs)
        write_text(self._folder / GRADES, grades_csv(page))
        write_text(self._folder / PAGE, class_page(page))
        self._written = len(rows)
        return page


def by_cause(rows: Iterable[Graded]) -> Groups:
    """The hand-ins with each fault, the most frequent fault first."""
    causes: Groups = {}
    for each in rows:
        trouble = ["skipped" if each.skipped else "the grading itself"] if each.trouble else []
        for kind in [*each.grade.kinds, *trouble]:
            causes.setdefault(kind, []).append(each.submission)
    return dict(sorted(causes.items(), key=lambda item: (-len(item[1]), item[0])))


def by_id(rows: Iterable[Graded]) -> Groups:
    """The ids that stand in several hand-ins, and in which."""
    found: Groups = {}
    for each in rows:
        for name in dict.fromkeys(same_id(one) for one in each.grade.ids):
            found.setdefault(name, []).append(each.submission)
    return {name: which for name, which in sorted(found.items()) if len(which) > 1}


def some(which: list[str]) -> str:
    """The first of them by name, and how many there are."""
    more = len(which) - SHOWN
    return f"{len(which)} hand-ins: {', '.join(which[:SHOWN])}{f' and {more} more' if more > 0 else ''}"


def grades_csv(page: ClassPage) -> str:
    """A row for each file of the class; a check that a hand-in's assignment lacks has an empty cell."""
    about = ["submission", "flags", "assignment", "identity", "ids", "hand-ins of an id", "points", "most", "final"]
    return csv_text([*about, *page.checks, "faults", "trouble", "folder"], _grade_rows(page))


def _grade_rows(page: ClassPage) -> Iterator[Iterable[str]]:
    for each in page.rows:
        points = {check.name: check.points for check in each.grade.checks}
        same = max((len(page.twice.get(same_id(name), ())) for name in each.grade.ids), default=0)
        sums = [each.points, each.grade.most, each.grade.final] if each.folder else ["", "", False]
        known = [each.submission, "; ".join(each.grade.flags), each.grade.assignment, each.grade.identity]
        cells = [*known, each.ids, same or "", *sums]
        cells += [points.get(name, "") for name in page.checks]
        yield map(plain, [*cells, "; ".join(each.grade.kinds), each.trouble, each.folder or ""])


def alike_csv(pairs: Iterable[Likeness]) -> str:
    """A row for each pair."""
    rows = ([plain(each.first), plain(each.second), f"{each.words:.3f}", each.records] for each in pairs)
    return csv_text(("one", "other", "words_shared", "records_shared"), rows)


def plain(value: object) -> str:
    """The text for a spreadsheet, which must not run a stranger's text as a formula, nor a terminal as a command."""
    text = one_line(str(value))
    return f"'{text}" if text.lstrip()[:1] in ("=", "+", "-", "@", "\\", "|") and text.strip() else text
