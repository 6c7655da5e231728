"""The claims that a text uses, and the form of each use."""

from __future__ import annotations

import re

from lab.report.claim import Claim

MOST_DIGITS = 18
COMMENT = re.compile(r"(?<!\\)%.*")
CLAIM = re.compile(r"\\claim(?:\[(?P<digits>[^\]]*)\])?\{(?P<name>[^{}]*)\}")


def cite(claim: Claim) -> str:
    """A claim as a text uses it."""
    return rf"\claim{{{claim.name}}}"


def claims_used(text: str) -> list[tuple[str, int | None]]:
    """Names with the digits asked for, in the order of the text, each once."""
    return list(
        dict.fromkeys((each["name"], digits_of(each["digits"])) for each in CLAIM.finditer(COMMENT.sub("", text)))
    )


def digits_of(text: str | None) -> int | None:
    """A number of significant digits; anything else counts as none given."""
    return int(text) if text and text.isdecimal() and 0 < int(text) < MOST_DIGITS else None
