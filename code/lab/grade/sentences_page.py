"""sentences.html: a discussion sentence by sentence with its evidence, for the person who judges the rubric."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from lab.errors import LabError
from lab.files.storage import write_text
from lab.grade.case import Case
from lab.grade.saved import SENTENCES
from lab.harmless import one_line
from lab.places import TEMPLATES
from lab.report.query.judge import words
from lab.report.text.check import Backing
from lab.report.text.latex import without_comments
from lab.report.text.macros import Sentence

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
