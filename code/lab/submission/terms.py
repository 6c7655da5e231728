"""The terms of an assignment: until when, how late, by how many together, and what a person judges."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from math import ceil

from lab.files.fault import Fault
from lab.files.toml_file import TomlFile
from lab.typed_json import parse_as

DAY_S = 86_400


@dataclass(frozen=True)
class DueDate:
    """The last moment, and what comes after it."""

    at: str  # with its offset from UTC
    late_days: int = 0  # that a hand-in may take; later ones get nothing
    percent_a_day: int = 0  # of the points, for each late day that is not free
    minutes_of_grace: int = 10  # a slow network is no lateness

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    def days_late(self, handed_in: datetime) -> int:
        """Each day that has begun."""
        late_s = (handed_in - self.moment).total_seconds()
        return 0 if late_s <= 60 * self.minutes_of_grace else ceil(late_s / DAY_S)

    def share(self, days: int, free_days: int) -> float:
        """What is left of the points: 1 in time, 0 beyond the last late day; free days cost nothing."""
        if days > self.late_days + free_days:
            return 0.0
        return max(0.0, 1 - self.percent_a_day / 100 * max(0, days - free_days))


@dataclass(frozen=True)
class Criterion:
    """What a person judges: a name, its points, and what earns them."""

    name: str
    points: int
    asks: str


@dataclass(frozen=True)
class Terms:
    """All that a course agrees on besides the checks."""

    deadline: DueDate | None = None
    people_at_most: int = 0  # of one hand-in; 0 is any number
    anonymous: bool = False  # a person judges reports without names
    rubric: tuple[Criterion, ...] = ()


def read_terms(found: TomlFile) -> Terms:
    """The checked tables."""
    document = found.document
    deadline = parse_as(DueDate, document["deadline"]) if "deadline" in document else None
    if deadline:
        _require_moment(deadline, found)
    rubric = tuple(parse_as(Criterion, each) for each in document.get("rubric", ()))
    for number, each in enumerate(rubric):
        if each.name in [one.name for one in rubric[:number]]:
            found.refuse(Fault(f"two criteria are called {each.name}", ("rubric", number, "name")))
    return Terms(deadline, document.get("people_at_most", 0), document.get("anonymous", False), rubric)


def _require_moment(deadline: DueDate, found: TomlFile) -> None:
    try:
        is_moment = deadline.moment.tzinfo is not None
    except ValueError:
        is_moment = False
    if not is_moment:
        fault = Fault(f"deadline.at is {deadline.at!r}", ("deadline", "at"), "such as 2026-12-01T23:59+01:00")
        found.refuse(fault)
