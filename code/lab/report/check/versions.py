"""Versions that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lab.report.check.objection import Objection
from lab.report.check.sentence import Sentence


def versions_are_the_records(sentence: Sentence) -> Iterator[Objection]:
    """A version beside a program's name is the one of the identity, where that names one."""
    known = sentence.ledger.setting.versions
    for number in sentence.numbers:
        typed = re.match(r"\d+(?:\.\d+)+", sentence.words[number.start :])
        before = sentence.words[: number.start]
        if (
            typed
            and known
            and re.search(r"\bqemu\s*\Z", before, re.I)
            and not any(each == typed[0] or each.startswith(f"{typed[0]}.") for each in known)
        ):
            yield Objection(
                f"the records are not of version {typed[0]}: their identity says {', '.join(known)}", number.start
            )
