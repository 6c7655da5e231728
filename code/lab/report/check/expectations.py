"""What was expected and came out so, or did not: `I expected RDMA to win, and it did` says that RDMA wins."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from lab.report.check.comparing import comparisons
from lab.report.check.objection import Objection
from lab.report.check.sentence import Clause, Sentence
from lab.report.check.verdicts import false_of

_EXPECTED = re.compile(
    r"\b(?:expect(?:ed|ation)?|thought|hoped?|predict(?:ed|ion)?|assum(?:ed|ption)|supposed|guess(?:ed)?|"
    r"believed|hypothes[ei]s(?:ed)?|idea|suspected)\b",
    re.I,
)
_SO = re.compile(
    r"\b(?:and|which|as|so)\b[^.;,]{0,30}?\b(?:it|they|that|this|he|data|measurements?|is|was|were|which|so)\b[^.;,]{0,20}?"
    r"\b(?:did|does|do|indeed|the case|so|true|right|correct|confirm\w*|holds?|held)\b"
    r"|\b(?:came|comes|turned out|turns out|proved|proves) (?:to be )?(?:true|right|correct|so)\b"
    r"|\b(?:is|was|were|are) (?:indeed |fully )?(?:confirmed|borne out|met|fulfilled)\b",
    re.I,
)
_NOT_SO = re.compile(
    r"\b(?:did|does|do|was|is|were|are|could|has)(?: not|n't)\b(?! expect)|\bwrong\b|\bdisprov\w*|\brefut\w*|"
    r"\bcontradict\w*|\bthe (?:opposite|contrary|reverse)\b|\b(?:not|neither) (?:confirmed|the case|so|true)\b|"
    r"\bin (?:fact|reality)\b|\bdisappoint\w*|\bin vain\b|\bunfulfilled\b|\botherwise\b",
    re.I,
)


def expectations_hold(sentence: Sentence) -> Iterator[Objection]:
    """An expectation that came out is a statement, and one that did not is its denial."""
    found = _EXPECTED.search(sentence.words)
    outcome = found and (_NOT_SO.search(sentence.words, found.end()) or _SO.search(sentence.words, found.end()))
    if found is None or outcome is None:
        return
    expected = Clause(sentence, found.end(), outcome.start())
    for said in comparisons(expected):
        came_out = outcome.re is _SO
        outcome_of = said if came_out else replace(said, denied=not said.denied)
        if what := false_of(outcome_of, expected):
            yield Objection(f"{what} ({said.word!r})", said.at, tuple(filter(None, (said.ours, said.base))))
