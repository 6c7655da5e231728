"""The names of report.toml, which the first page shows: they say nothing of what was measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.report.check.latex import read, split
from lab.report.check.numbers import Sort
from lab.report.check.sentence import Sentence
from lab.report.check.typed_texts import REFUSED
from lab.report.check.verdicts import comparisons_hold
from lab.report.claim import Ledger
from lab.report.errors import ClaimsRefused, RefusedSentence

RULE = "names are names"
RESULTS = frozenset({Sort.RATE, Sort.TIME, Sort.RATIO, Sort.PERCENT})  # others count a year, a group, an exercise


def require_names(names: Iterable[str], file: str, ledger: Ledger) -> None:
    """An error for people and courses that claim something; names are LaTeX."""
    if found := tuple(_refused(names, file, ledger)):
        raise ClaimsRefused(REFUSED, refusals=found)


def _refused(names: Iterable[str], file: str, ledger: Ledger) -> Iterator[RefusedSentence]:
    for name in names:
        for plain in split(read(f"{name}.")):
            for what in _claimed(Sentence(plain, ledger)):
                yield RefusedSentence(file, 1, RULE, what, sentence=name, way="names, and no results")


def _claimed(sentence: Sentence) -> Iterator[str]:
    for number in sentence.numbers:
        if number.sort in RESULTS and not number.worded:
            yield f"{number.typed!r} is {number.sort.value} among the names"
    yield from (each.what for each in comparisons_hold(sentence))
