"""What an assignment asks of a student's own programs besides the trials of the experiment: its table [program]."""

from __future__ import annotations

from dataclasses import dataclass

from lab.model.sizes import parse_sizes
from lab.programs.placeholders import Words, split
from lab.typed_json import JsonTable, parse_as


@dataclass(frozen=True)
class Demands:
    """Sizes to be right at, and what must end with a failure."""

    sizes: tuple[int, ...] = (1, 1000, 4097)  # that no student chose
    verify: Words = ()  # lets both ends check the data; none where the program has no such option
    refuses: tuple[str, ...] = ()  # each some words that no client may take
    killed_server: bool = True  # while data are sent
    no_server: bool = True


def read_asked(table: JsonTable) -> Demands:
    """The checked table."""
    given = dict(table)
    if isinstance(sizes := given.get("sizes"), (str, int, list)):
        given["sizes"] = list(parse_sizes(sizes))
    if isinstance(words := given.get("verify"), str):
        given["verify"] = list(split(words))
    return parse_as(Demands, given)
