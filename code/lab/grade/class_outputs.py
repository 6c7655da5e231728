"""Files about a whole class: tables, a page of results, a page of sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from lab.errors import LabError, one_line
from lab.files.storage import csv_text, write_text
from lab.grade.case import Case
from lab.grade.course import Graded
from lab.grade.finding import SENTENCES, SHOWN_FINDINGS, SavedCheck
from lab.grade.likeness import Likeness, alike, read_fingerprint
from lab.places import TEMPLATES
from lab.report.query.judge import words
from lab.report.text.check import Backing
from lab.report.text.latex import without_comments
from lab.report.text.macros import Sentence
from lab.submission.assignment import CHECKS, Assignment


@dataclass(frozen=True)
class ClassPage:
    """All that the page says of a class."""

    title: str
    checks: tuple[str, ...]  # of its assignments
    rows: list[Graded]
    causes: Mapping[str, list[str]]
    twice: Mapping[str, list[str]]  # ids in several hand-ins
    alike: list[Likeness]

    def first(self, row: Graded) -> str:
        """What a grader must know before the points."""
        again = [(name, len(self.twice[same_id(name)])) for name in row.grade.ids if same_id(name) in self.twice]
        said = [*row.grade.flags, *(f"the id {name} stands in {count} hand-ins" for name, count in again)]
        return "; ".join([*said, row.trouble] if row.trouble else said)

    def checks_of(self, row: Graded) -> dict[str, SavedCheck]:
        return {check.name: check for check in row.grade.checks}

    def sentences(self, row: Graded) -> str:
        """The page of the discussion as seen from the class's page; empty if there is none."""
        folder = row.folder
        there = folder and (folder / SENTENCES).is_file()
        return f"{folder.parent.name}/{folder.name}/{SENTENCES}" if folder and there else ""

    def findings(self, check: SavedCheck) -> list[str]:
        """The first of them, and the command that repeats the check."""
        found = [f"[{each.kind}] {each.what}" for each in check.findings[:SHOWN_FINDINGS]]
        more = len(check.findings) - len(found)
        ending = [*([f"and {more} more"] if more else []), f"to repeat: {check.command}"]
        return [*map(str, check.parts), *(found or ["nothing found"]), *ending]


def class_page(page: ClassPage) -> str:
    """The table, whose cells link to the evidence below. Untrusted text has no tag, and nothing that ends a line."""
    loader = FileSystemLoader(TEMPLATES)
    pages = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True, finalize=_harmless)
    return pages.get_template("class.html").render(page=page) + "\n"


def same_id(name: str) -> str:
    """An id as two people would type the same one."""
    return " ".join(name.split()).casefold()


def _harmless(value: object) -> object:
    """What a macro returns is markup already."""
    return value if isinstance(value, Markup) else one_line(str(value))


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


NO_EVIDENCE = "compares, with no evidence attached"
COPIED = "handed out by the course: it does not count"


@dataclass(frozen=True)
class ShownEvidence:
    """A statement or a query, and what the data show."""

    name: str
    text: str
    verdict: str
    shows: str
    n: str


@dataclass(frozen=True)
class ShownSentence:
    """A sentence with what its macros print, and a remark for who judges it."""

    line: int
    text: str
    evidence: tuple[ShownEvidence, ...]
    remark: str


def sentences_page(case: Case) -> str:
    """The page; it names nobody, so that a person may judge it without names."""
    assignment = case.setup.assignment
    backings = {backing.use.start: backing for backing in case.checked.backings}
    context = {
        "title": f"{assignment.title}: the discussion, sentence by sentence",
        "rubric": assignment.terms.rubric,
        "sentences": [_shown(sentence, case, backings) for sentence in case.checked.sentences],
    }
    loader = FileSystemLoader(TEMPLATES)
    pages = Environment(autoescape=True, undefined=StrictUndefined, loader=loader, trim_blocks=True)
    return pages.get_template(SENTENCES).render(context) + "\n"


def write_sentences(case: Case, folder: Path) -> None:
    """Write the page beside the grade, if a check has read the discussion."""
    with suppress(LabError, RecursionError):
        if "counted" in vars(case):
            write_text(folder / SENTENCES, sentences_page(case))


def _shown(sentence: Sentence, case: Case, backings: dict[int, Backing]) -> ShownSentence:
    found = [backings[use.start] for use in sentence.evidence if use.start in backings]
    remark = COPIED if sentence in case.counted.copied else NO_EVIDENCE if sentence in case.checked.notes else ""
    text = without_comments(case.text)[sentence.start : sentence.end]
    for backing in reversed(found):
        start, end = (place - sentence.start for place in (backing.use.start, backing.use.end))
        text = text[:start] + _printed(backing) + text[end:]
    line = one_line(" ".join(text.split()))
    return ShownSentence(sentence.line, line, tuple(map(_evidence, found)), remark)


def _printed(backing: Backing) -> str:
    """What a reader of the report sees in the macro's place."""
    if backing.use.kind == "shows":
        return f" [{backing.number}]" if backing.judged else " [?]"
    return words(backing.value, with_interval=False) if backing.value else "?"


def _evidence(backing: Backing) -> ShownEvidence:
    name, text = backing.number or backing.use.kind, one_line(backing.use.body)
    if judged := backing.judged:
        return ShownEvidence(name, text, judged.truth.value, judged.shows, str(judged.n or ""))
    if value := backing.value:
        return ShownEvidence(name, text, "computed", words(value), str(value.estimate.n or ""))
    return ShownEvidence(name, text, "no answer", "", "")
