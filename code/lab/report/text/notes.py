"""Notes for the writer and the grader: sentences that compare, and have no evidence attached."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.text.macros import NAMES, Sentence, sentences

_COMPARES = re.compile(
    r"(?<!\bno )(?<!\bone )(?<!\bone byte )\b"
    r"(?:faster|slower|higher|lower|larger|smaller|greater|longer|shorter|better|worse|more|less|fewer|than|best|worst"
    r"|fastest|slowest|highest|lowest|largest|smallest|twice|(?:doubl|halv)(?:es?|ed|ing)|exceed(?:s|ed)?"
    r"|outperform(?:s|ed)?|dominate[sd]?|peak(?:s|ed)?|saturate[sd]?|increase[sd]?|decrease[sd]?|gr[eo]ws?|dropp?(?:s|ed)?"
    r"|rises?|rose|falls?|fell|jump(?:s|ed)?|equal(?:s|led|ly)?|same as|times (?:as|the|higher|lower))\b",
    re.IGNORECASE,
)


def unsupported(text: str) -> Iterator[Sentence]:
    r"""Sentences that compare, with no macro of evidence. This is no error: a person judges the words."""
    for sentence in sentences(text):
        if not sentence.evidence and _COMPARES.search(NAMES.sub(" ", sentence.text)):
            yield sentence
