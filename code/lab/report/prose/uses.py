"""The claims that a text uses, the form of each use, and the sources that it cites."""

from __future__ import annotations

import re

from lab.report.claim import Claim

MOST_DIGITS = 18
COMMENT = re.compile(r"(?<!\\)%.*")
CLAIM = re.compile(r"\\claim(?:\[(?P<digits>[^\]]*)\])?\{(?P<name>[^{}]*)\}")
CITED = re.compile(r"\\cite\s*\{([^{}]*)\}")
# What a command names is nothing that a reader reads: keys, names, addresses.
_NAMED = re.compile(
    r"\\(?:claim(?:\[[^\]]*\])?|cite|url|figureof|tableof|size|begin|end)\s*\{[^{}]*\}(?:(?<=\{tabular\})\{[^{}]*\})?"
    r"|\\ownfigure\s*(?:\{[^{}]*\}\s*){3}"
)
_WORD = re.compile(r"(?<!\\)\b[^\W\d_]{2,}\b")


def cite(claim: Claim) -> str:
    """A claim as a text uses it."""
    return rf"\claim{{{claim.name}}}"


def claims_used(text: str) -> list[tuple[str, int | None]]:
    """Names with the digits asked for, in the order of the text, each once."""
    return list(
        dict.fromkeys((each["name"], digits_of(each["digits"])) for each in CLAIM.finditer(COMMENT.sub("", text)))
    )


def keys_cited(text: str) -> list[str]:
    """The sources that a text cites, in its order, each once."""
    found = (key.strip() for each in CITED.finditer(COMMENT.sub("", text)) for key in each[1].split(","))
    return list(dict.fromkeys(found))


def length_of(text: str) -> tuple[int, int]:
    """The words of a text, and the different claims that it uses."""
    bare = COMMENT.sub("", text)
    return len(_WORD.findall(_NAMED.sub(" ", bare))), len({name for name, _ in claims_used(bare)})


def digits_of(text: str | None) -> int | None:
    """A number of significant digits; anything else counts as none given."""
    return int(text) if text and text.isdecimal() and 0 < int(text) < MOST_DIGITS else None
