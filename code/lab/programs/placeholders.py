"""Commands with places to fill in: `plain-client --size {size} {host}`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from string import Formatter

from lab.model.parameters import NAMES

OF_ENDS = ("host", "source", "device", "gid", "port")
OF_SIZES = ("size", "sizes", "iterations", "warmup")
ARGUMENTS = "arguments"  # a series' own words, any number of them
KNOWN = frozenset((*OF_ENDS, *OF_SIZES, ARGUMENTS, *NAMES)) - {"repetitions", "deadline_s"}

Words = tuple[str, ...]


def split(command: str) -> Words:
    """The words of a command, quoted as for a shell; no shell ever sees them. ValueError for an open quote."""
    return tuple(shlex.split(command))


def places(words: Iterable[str]) -> frozenset[str]:
    """The names between braces. ValueError for a brace without its other half."""
    parsed = (part for word in words for part in Formatter().parse(word))
    return frozenset(
        f"{name}{'!' + conversion if conversion else ''}{':' + form if form else ''}"
        for _, name, form, conversion in parsed
        if name is not None
    )


def fill(words: Words, values: Mapping[str, object], arguments: Words) -> Words:
    """The command as it is run."""
    filled: list[str] = []
    for word in words:
        filled += arguments if word == f"{{{ARGUMENTS}}}" else [word.format_map(values)]
    return tuple(filled)
