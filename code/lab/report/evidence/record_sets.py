"""Records by series, R1, R2 ...: a caption or a claim names the set, the ledger lists the keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.report.evidence.evidence import Evidence

SHOWN_LETTERS = 10  # of a key: `lab show` takes the beginning of one


@dataclass(frozen=True)
class RecordSet:
    """The records of one series."""

    name: str
    series: str
    label: str
    keys: tuple[str, ...]

    @property
    def first_key(self) -> str:
        """As much of it as `lab show` needs."""
        return self.keys[0][:SHOWN_LETTERS] if self.keys else ""


def record_sets(evidence: Evidence) -> tuple[RecordSet, ...]:
    """One set for each series, in the order of the experiment."""
    from lab.report.evidence.labels import label  # only here: who reads kept sets needs none of it

    series = evidence.plan.experiment.series
    return tuple(
        RecordSet(f"R{number}", each.name, label(each), evidence.keys(each.name))
        for number, each in enumerate(series, 1)
    )


def sets_of(keys: Iterable[str], sets: Iterable[RecordSet]) -> str:
    """The names of the fewest sets that hold all keys: the earlier of two that share a record."""
    missing, names = set(keys), []
    for each in sets:
        if missing & set(each.keys):
            names.append(each.name)
            missing -= set(each.keys)
    return ", ".join(names)
