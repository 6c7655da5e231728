"""A look at this computer: what each site needs, and whether it is there."""

from __future__ import annotations

import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnosis:
    """What was looked for, and what was found."""

    site: str
    what: str
    found: str
    remedy: str = ""  # empty when all is well
    missing: bool = False  # not there, and the site does without it


def program(site: str, name: str, remedy: str) -> Diagnosis:
    """Whether a program is on the PATH."""
    place = shutil.which(name)
    return Diagnosis(site, name, place) if place else Diagnosis(site, name, "not installed", remedy)
