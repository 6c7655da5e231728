"""What an assignment asks of a student's own programs besides the trials of the experiment: its table [program]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lab.model.sizes import parse_sizes
from lab.programs.placeholders import Words, split


@dataclass(frozen=True)
class Asked:
    """Sizes to be right at, and what must end with a failure."""

    sizes: tuple[int, ...] = (1, 1000, 4097)  # that no student chose
    verify: Words = ()  # lets both ends check the data; none where the program has no such option
    refuses: tuple[str, ...] = ()  # each some words that no client may take
    killed_server: bool = True  # while data are sent
    no_server: bool = True


def read_asked(table: dict[str, Any]) -> Asked:
    """The checked table."""
    given = dict(table)
    if "sizes" in given:
        given["sizes"] = parse_sizes(given["sizes"])
    if "verify" in given:
        given["verify"] = split(given["verify"])
    if "refuses" in given:
        given["refuses"] = tuple(given["refuses"])
    return Asked(**given)
