"""The words of a step's command, made real at one end: a plan names programs and ends, not where they lie."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.programs.request import DIRECTORY

Locate = Callable[[str], str]  # a word of a step's command, as it is at one end


def locator(named: Mapping[str, str]) -> Locate:
    """Puts for each name what it is there, also within a word; a longer name is not taken for a shorter one."""
    if not named:
        return str
    known = re.compile("|".join(rf"{re.escape(name)}(?![\w.-])" for name in named))
    return lambda word: known.sub(lambda found: named[found[0]], word)


def programs(places: Mapping[str, str]) -> dict[str, str]:
    """Programs under test by the names that steps have for them; the places are by the programs' own."""
    return {f"{DIRECTORY}/{name}": place for name, place in places.items()}


def kept(overlay: Iterable[Path]) -> dict[str, str]:
    """Programs under test where this computer keeps them."""
    return programs({path.name: str(path) for path in overlay})
