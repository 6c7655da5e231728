"""The words of a step's command at one end: a plan names programs and ends, not their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.model.trial import DIRECTORY

Locate = Callable[[str], str]  # from a word of a step's command to the word at one end


def locator(named: Mapping[str, str]) -> Locate:
    """Replaces each name, also within a word; a longer name goes before a shorter one."""
    if not named:
        return str
    known = re.compile("|".join(rf"{re.escape(name)}(?![\w.-])" for name in named))
    return lambda word: known.sub(lambda found: named[found[0]], word)


def programs(places: Mapping[str, str]) -> dict[str, str]:
    """The places of programs under test by their names in steps; the given places are by file name."""
    return {f"{DIRECTORY}/{name}": place for name, place in places.items()}


def kept(overlay: Iterable[Path]) -> dict[str, str]:
    """The places of programs under test on this computer."""
    return programs({path.name: str(path) for path in overlay})
