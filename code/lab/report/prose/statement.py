"""What a text says, beside what the data say: the one thing that the rules of the claims check look at."""

from __future__ import annotations

from dataclasses import dataclass

from lab.report.claim import Claim


@dataclass(frozen=True)
class Statement:
    """One sentence and one claim in it; fields that do not apply are left empty."""

    words: str  # the sentence, with its claims taken out
    name: str = ""  # of the claim, as the text spells it
    found: Claim | None = None  # what the data make of it
    place: int | None = None  # power of ten of the last digit that is printed, in the claim's unit
