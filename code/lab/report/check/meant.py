"""Which series a clause means, where its claims or its words leave no doubt."""

from __future__ import annotations

from collections.abc import Iterable

from lab.report.check.sentence import Clause, Use
from lab.report.check.subjects import group_of
from lab.report.setting import Strand


def meant(part: Clause) -> tuple[Strand, ...]:
    """Those whose claim or whole name stands in the clause, else those in its sentence that the clause may speak of."""
    groups = {each.group for each in part.mentions}
    of_clause = _claimed(part, part.uses) or _named(part, part.words)
    of_sentence = _named(part, part.sentence.words) or _claimed(part, part.sentence.uses)
    return of_clause or tuple(each for each in of_sentence if not groups or group_of(each) in groups)


def _claimed(part: Clause, uses: Iterable[Use]) -> tuple[Strand, ...]:
    names = {name for each in uses if each.claim and len(each.claim.series) == 1 for name in each.claim.series}
    return tuple(each for each in part.sentence.ledger.setting.strands if each.name in names)


def _named(part: Clause, words: str) -> tuple[Strand, ...]:
    """By a name in brackets: a plain one, such as TCP, stands in the names of others too."""
    strands = part.sentence.ledger.setting.strands
    return tuple(each for each in strands if each.label.endswith(")") and each.label in words)
