"""Published curves: another machine's values, as experiments/published has them, never a result of ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lab.analysis.estimate import Estimate
from lab.places import PUBLISHED
from lab.report.evidence.published_files import Entry, all_entries, entries, rows_of


@dataclass(frozen=True)
class PublishedCurve:
    """One curve in B/s, each point from a single run; the note warns its reader."""

    label: str
    machine: str
    note: str
    sizes: tuple[int, ...]
    rates: tuple[Estimate, ...]
    card: str = ""  # the modelled card that stands for the machine's
    name: str = ""

    @property
    def slug(self) -> str:
        """Its name, or `Report A, verbs` as report_a."""
        return self.name or self.label.partition(",")[0].lower().replace(" ", "_")

    def by_size(self) -> dict[int, float]:
        """The rate of each size, in B/s."""
        return {size: rate.value for size, rate in zip(self.sizes, self.rates, strict=True)}


def published_curves(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedCurve, ...]:
    """The curves that belong beside an experiment."""
    return tuple(_curve(entry, folder) for entry in entries("curve", experiment, folder))


def published_curve(file: str, folder: Path = PUBLISHED) -> PublishedCurve | None:
    """The only curve in a file there; None where it holds another number of them."""
    found = [entry for entry in all_entries("curve", folder) if entry["file"] == file]
    return _curve(found[0], folder) if len(found) == 1 else None


def _curve(entry: Entry, folder: Path) -> PublishedCurve:
    where = entry.get("where", {})
    wanted: dict[str, type] = dict.fromkeys(where, str)
    points = [
        (int(row["size_bytes"]), float(row[entry["value"]]))
        for row in rows_of(entry, folder, wanted | {"size_bytes": int, entry["value"]: float})
        if all(row[name] == value for name, value in where.items())
    ]
    rates = tuple(Estimate(_restored(entry, size, value) * entry["bytes_per_s"], None, 1) for size, value in points)
    sizes = tuple(size for size, _ in points)
    about = entry.get("card", ""), entry.get("name", "")
    return PublishedCurve(entry["label"], entry["machine"], entry["note"], sizes, rates, *about)


def _restored(entry: Entry, size: int, value: float) -> float:
    """A value; a size at which its column lost a fixed amount in print gets that amount back."""
    lost = size >= entry.get("restored_from_bytes", size + 1)
    return value + entry["restored_by"] if lost else value
