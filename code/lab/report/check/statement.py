"""A statement of a text beside the data: the only input of the rules of the claims check."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claim import Claim


@dataclass(frozen=True)
class Statement:
    """One sentence and one claim in it; fields that do not apply are left empty."""

    words: str  # the sentence, with its claims taken out
    name: str = ""  # of the claim, as the text spells it
    found: Claim | None = None  # the data's claim of that name
    place: int | None = None  # power of ten of the last digit that is printed, in the claim's unit
