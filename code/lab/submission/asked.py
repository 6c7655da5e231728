"""The demands of an assignment on a student's own programs besides the trials: its table [program]."""

from __future__ import annotations

from dataclasses import dataclass

from lab.model.sizes import parse_sizes
from lab.programs.placeholders import Words, split
from lab.typed_json import JsonTable, parse_as


@dataclass(frozen=True)
class Demands:
    """Other sizes to measure, and faults that must end with an error."""

    sizes: tuple[int, ...] = (1, 1000, 4097)  # sizes that no student chose
    verify: Words = ()  # words that let both ends check the data; none if the program has no such option
    refuses: tuple[str, ...] = ()  # options that every client must refuse
    killed_server: bool = True  # killed while the client sends
    no_server: bool = True
    seconds: int = 120  # of the site's clock, for all that the checks run of a hand-in's own programs


def read_asked(table: JsonTable) -> Demands:
    """The checked table."""
    given = dict(table)
    if isinstance(sizes := given.get("sizes"), (str, int, list)):
        given["sizes"] = list(parse_sizes(sizes))
    if isinstance(words := given.get("verify"), str):
        given["verify"] = list(split(words))
    return parse_as(Demands, given)
