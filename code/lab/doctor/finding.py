"""One thing that a site needs."""

from __future__ import annotations

import shutil
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What was looked for, and what was found."""

    site: str
    what: str
    found: str
    remedy: str = ""  # empty when all is well
    missing: bool = False  # not there, and the site does without it


def program(site: str, name: str, remedy: str) -> Finding:
    """Whether a program is on the PATH."""
    place = shutil.which(name)
    return Finding(site, name, place) if place else Finding(site, name, "not installed", remedy)
