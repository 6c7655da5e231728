"""An answer to a question about the data: a number, its interval and its unit."""

from dataclasses import dataclass

from lab.analysis.estimate import Estimate


@dataclass(frozen=True)
class Answer:
    """A number computed from the data, with its unit and the records behind it."""

    estimate: Estimate
    unit: str  # a key of tex.units.UNITS
    keys: tuple[str, ...] = ()  # of the records
    is_exact: bool = False  # chosen, counted or read off a curve, so printed in full
    unchecked: tuple[str, ...] = ()  # records that did not pass every check
    source: str = ""  # the file of a number without records
