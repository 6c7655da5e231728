"""The results of a class: a CSV of points, the faults by cause, similar pairs, and the page."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from lab.files.storage import write_text
from lab.grade.class_page import class_page
from lab.grade.course import Graded
from lab.grade.fingerprint import Likeness, Likenesses, read_fingerprint
from lab.submission.assignment import CHECKS, Assignment

GRADES, ALIKE, PAGE = "grades.csv", "alike.csv", "class.html"
GROWTH = 1.25  # of a class, between two writings
LEAST_WORDS = 0.3  # of two discussions' runs of five words; below it, they only share phrases of the course


class ClassOutputs:
    """The files of a class while its hand-ins are graded, each replaced whole."""

    def __init__(self, assignment: Assignment, folder: Path) -> None:
        self._assignment, self._folder = assignment, folder
        self._graded: list[Graded] = []
        self._alike = Likenesses(LEAST_WORDS)
        self._written = 0

    def add(self, graded: Graded) -> None:
        """Add a hand-in, and write all files whenever the class has grown by a quarter. A write takes time for each
        similar pair, so a write after every hand-in would take time with the cube of the class."""
        self._graded.append(graded)
        if graded.folder:
            self._alike.add(graded.submission, read_fingerprint(graded.folder))
        if len(self._graded) >= self._written * GROWTH:
            self.write()

    def write(self) -> dict[str, list[str]]:
        """All files as they are now; the faults by cause."""
        rows = sorted(self._graded, key=lambda each: each.submission)
        causes, alike = by_cause(rows), self._alike.most_alike_first()
        write_text(self._folder / GRADES, grades_csv(rows))
        write_text(self._folder / ALIKE, alike_csv(alike))
        write_text(self._folder / PAGE, class_page(self._assignment.title, CHECKS, rows, causes, alike))
        self._written = len(rows)
        return causes


def by_cause(rows: Iterable[Graded]) -> dict[str, list[str]]:
    """The hand-ins with each fault, the most frequent fault first."""
    causes: dict[str, list[str]] = {}
    for each in rows:
        for kind in [*each.grade.get("kinds", ()), *(["the grading itself"] if each.trouble else [])]:
            causes.setdefault(kind, []).append(each.submission)
    return dict(sorted(causes.items(), key=lambda item: (-len(item[1]), item[0])))


def grades_csv(rows: Iterable[Graded]) -> str:
    """A row for each hand-in."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["submission", "ids", "points", "most", "final", *CHECKS, "faults", "trouble", "folder"])
    for each in rows:
        points = {check["name"]: check["points"] for check in each.grade.get("checks", ())}
        about = [each.submission, each.ids, each.points, each.grade.get("most", ""), each.grade.get("final", False)]
        faults = "; ".join(each.grade.get("kinds", ()))
        checks = [points.get(name, 0) for name in CHECKS]
        writer.writerow(map(plain, [*about, *checks, faults, each.trouble, each.folder or ""]))
    return text.getvalue()


def alike_csv(alike: Iterable[Likeness]) -> str:
    """A row for each pair."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["one", "other", "words_shared", "records_shared"])
    writer.writerows([plain(each.first), plain(each.second), f"{each.words:.3f}", each.records] for each in alike)
    return text.getvalue()


def plain(value: object) -> str:
    """The text for a spreadsheet, which must not run a stranger's text as a formula."""
    text = str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
