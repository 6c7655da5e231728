"""The identity of measurements: the site, and the lab's own programs by digest; one digest over both names it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from lab.plan.plan import Plan, SiteFacts, canonical

LETTERS = 16  # of a digest: as an assignment must name it at least, and as it is shown
SHOWN_PARTS, SHOWN = 5, 40  # parts in which two identities differ, and letters of each name


@dataclass(frozen=True)
class Identity:
    """All that results follow from besides their trials. A student's own programs are under test, so no part of it."""

    site: SiteFacts
    programs: dict[str, str]  # name -> sha256

    @property
    def digest(self) -> str:
        """The digest that an assignment may name."""
        return hashlib.sha256(canonical(self).encode()).hexdigest()

    @property
    def words(self) -> str:
        """Such as `exact 3f9a1c02b7de4455`."""
        return f"{self.site.name:.{SHOWN}} {self.digest[:LETTERS]}"

    def differing(self, other: Identity) -> str:
        """The names of the parts that the two do not share, the first of them."""
        ours, theirs = self._parts(), other._parts()
        names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
        more = [f"{len(names) - SHOWN_PARTS} more"] if len(names) > SHOWN_PARTS else []
        return ", ".join([*(name[:SHOWN] for name in names[:SHOWN_PARTS]), *more])

    def is_of(self, known: Mapping[str, str]) -> bool:
        """Whether every part of the site and of the programs is as this table has it."""
        return all(known.get(name) == value for name, value in (self.site.identity | self.programs).items())

    def _parts(self) -> dict[str, str]:
        site = self.site
        whole = {"site": site.name, "ends": canonical(site.ends), "traits": canonical(site.traits)}
        return site.identity | self.programs | whole


def identity_of(plan: Plan) -> Identity:
    """The identity under which the trials of a plan are measured."""
    programs: dict[str, str] = {}
    for planned in plan.planned:
        if not planned.series.tool.build:
            programs |= planned.trial.programs
    return Identity(plan.site, programs)
