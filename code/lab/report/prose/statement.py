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
    value: float | None = None  # as the text has it, where it was typed and not printed from the ledger
    place: int | None = None  # power of ten of the last digit that is printed, in the claim's unit
    n: int | None = None  # repetitions that the text speaks of
    effect_of: str = ""  # a parameter that is said to change something
    varied: tuple[str, ...] = ()  # the parameters that the data vary
    steps: tuple[float, ...] = ()  # ratios of neighbours, where the text says that something grows steadily
    cause: str = ""  # what a number is said to be, beyond what was measured
    subtracted: str = ""  # what was taken off the time before dividing
    capacity: float | None = None  # of the link, in the claim's unit
    explained: bool = True  # whether the text says why a link is not filled
    timed: tuple[str, str] = ("", "")  # what the clock held, on both sides of a comparison
