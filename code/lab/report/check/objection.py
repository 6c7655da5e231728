"""What a rule has to say against a sentence: where, what, and the claims that would carry it."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claim import Claim


@dataclass(frozen=True)
class Objection:
    """One fault of a sentence."""

    what: str
    at: int = 0  # its place in the sentence's words
    groups: tuple[str, ...] = ()  # the programs that a fitting claim is about
    rule: str = ""


def against(first: Claim, second: Claim) -> str:
    """What is wrong with a comparison that these two do not bear out."""
    return f"\\claim{{{first.name}}} against \\claim{{{second.name}}} says otherwise"
