"""The length of a discussion and the asks that it meets, without sentences that the course handed out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lab.files.bounded import read_typed
from lab.report.query.grammar import Relation, Span, parse_query, parse_statement, references
from lab.report.query.numbers import Numbers
from lab.report.query.value import Truth
from lab.report.text.backing import Backing
from lab.report.text.check import Checked
from lab.report.text.macros import Sentence, length_of, sentences
from lab.submission.assignment import Ask, Assignment

_COMMENT = re.compile(r"^[ \t]*%+", re.MULTILINE)
_COMMAND = re.compile(r"\\[A-Za-z]+(?:\[[^\]]*\])?")
_WORD = re.compile(r"[^\W_]+")


def fingerprint(sentence: str) -> str:
    """The words of a sentence in lower case; of a macro only its body, and no blanks, marks or commands."""
    return " ".join(_WORD.findall(_COMMAND.sub(" ", sentence.lower())))


def handed_out(assignment: Assignment, *, starter: bool, solution: bool) -> frozenset[str]:
    """Fingerprints of the sentences of the hand-out, of the starter text and of the kit's solution.

    A student's checkout has the student's text in place of the starter, so only a grader reads the starter.
    """
    starters, others = files_handed_out(assignment)
    texts = [read_typed(file) for file in others if solution or file.suffix == ".md"]
    for text in map(read_typed, starters if starter else ()):
        is_work = 0 < assignment.words_at_least <= length_of(text)[0]  # long enough for somebody's work
        texts += [] if is_work else [_COMMENT.sub("", text)]  # the worked sentences are in comments
    return frozenset(fingerprint(sentence.text) for text in texts for sentence in sentences(text)) - {""}


def files_handed_out(assignment: Assignment) -> tuple[list[Path], list[Path]]:
    """The starter text; the hand-out and the texts of the solution."""
    kit, starter = assignment.file.with_suffix(""), assignment.experiment_file.with_suffix("") / "discussion.tex"
    others = [kit / "handout.md", *sorted(kit.glob("solution/*/discussion.tex"))]
    return [starter] * starter.is_file(), [file for file in others if file.is_file()]


class Proof(NamedTuple):
    """A claim or a true statement: its series, and the sizes that it is about."""

    series: tuple[str, ...]
    sizes: frozenset[int]


@dataclass(frozen=True)
class Counted:
    """The words and proofs of a discussion that count; `copied` are the sentences that do not."""

    words: int
    proofs: tuple[Proof, ...]
    copied: tuple[Sentence, ...]

    def met(self, ask: Ask) -> int:
        """The number of different claims and true statements that an ask is about."""
        return sum(ask.includes(*proof) for proof in self.proofs)


def count(checked: Checked, numbers: Numbers, course_sentences: frozenset[str]) -> Counted:
    """Count the words, claims and true statements outside of the sentences of the course."""
    text = checked.writing.text
    copied = tuple(sentence for sentence in checked.sentences if fingerprint(sentence.text) in course_sentences)
    words = length_of(text)[0] - sum(length_of(text[sentence.start : sentence.end])[0] for sentence in copied)
    lost = {use.start for sentence in copied for use in sentence.evidence}
    proofs = {
        (backing.use.kind, " ".join(backing.use.body.split())): proof
        for backing in checked.backings
        if backing.use.start not in lost and (proof := _proof(backing, numbers))
    }
    return Counted(words, tuple(proofs.values()), copied)


def shortfalls(assignment: Assignment, counted: Counted) -> Iterator[str]:
    """The missing length and evidence of a discussion."""
    copied = f" (not counted: {len(counted.copied)} of the course's sentences)" if counted.copied else ""
    for least, number, what in (
        (assignment.words_at_least, counted.words, "words"),
        (assignment.evidence_at_least, len(counted.proofs), "different claims and true statements"),
    ):
        if number < least:
            yield f"the assignment asks for {least} {what}; the text has {number}{copied}"


def unmet(ask: Ask, counted: Counted) -> str:
    """A line about an ask that is not met; empty for one that is."""
    met, text = counted.met(ask), f" ({ask.text})" if ask.text else ""
    return "" if met >= ask.statements else f"the assignment asks for {ask.words}; the text has {met}{text}"


def _proof(backing: Backing, numbers: Numbers) -> Proof | None:
    """The proof of a claim or a true statement; about whole curves, such as a peak, it includes all sizes."""
    judged, value = backing.judged, backing.value
    if judged and judged.truth is Truth.TRUE:
        return Proof(judged.series, frozenset(judged.sizes) or _named_sizes(backing, judged.series, numbers))
    return Proof(value.series, _named_sizes(backing, value.series, numbers)) if value else None


def _named_sizes(backing: Backing, series: tuple[str, ...], numbers: Numbers) -> frozenset[int]:
    """The sizes at which a query or a comparison names these series."""
    if backing.judged:
        statement = parse_statement(backing.use.body)
        queries = statement.claim.sides if isinstance(statement.claim, Relation) else ()
        default = statement.span or Span()
    else:
        queries, default = (parse_query(backing.use.body)[0],), Span()
    spans = {
        (name, reference.span or default)
        for query in queries
        for reference in references(query)
        for name in series
        if f"{reference.path}.".startswith(f"{name}.")
    }
    site = numbers.evidence.plan.site.name
    return frozenset(size for name, span in spans for size in span.picks(numbers.series[name].sizes(site)))
