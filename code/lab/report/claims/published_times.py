"""Times of messages as another machine's report published them, for the same analysis as ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.analysis.estimate import Estimate
from lab.places import PUBLISHED
from lab.report.claim import Claim, ClaimGroup, ClaimKind
from lab.report.claims.lines import FitClaims, Times, fit_claims
from lab.report.evidence.published_files import Entry, entries, rows_of, source_of
from lab.report.tex.units import NANO


@dataclass(frozen=True)
class PublishedTimes:
    """One time in seconds for each message; a Timed, without records."""

    name: str
    words: str
    machine: str
    file: str
    what: str
    points: tuple[tuple[int, float], ...]
    card: str = ""  # the modelled card that stands for the machine's
    site: str = "another machine"

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(sorted({size for size, _ in self.points}))

    def keys(self, sizes: Iterable[int]) -> tuple[str, ...]:
        del sizes
        return ()

    def claim(self, name: str, estimate: Estimate, unit: str, kind: ClaimKind, meaning: str, *sizes: int) -> Claim:
        """A claim that rests on the published file."""
        del sizes
        return Claim(name, estimate, unit, kind, meaning, link=self.machine, source=source_of(self.file))

    def rate(self, size: int) -> float:
        """The median rate of a size, in B/s."""
        return median(each / seconds for each, seconds in self.points if each == size)

    def times(self) -> Times:
        """All of one run, and so one repetition, however often it went through the sizes."""
        sizes, seconds = zip(*self.points, strict=True)
        return Times(self, self.what, tuple(map(float, sizes)), (tuple(each / NANO for each in seconds),))


@dataclass(frozen=True)
class PublishedTimesClaims(ClaimGroup):
    """The number of points, of sizes and of times each; and lines, as through our times."""

    times: PublishedTimes
    points: Claim
    sizes: Claim
    least: Claim
    most: Claim
    fit: FitClaims | None
    upper: FitClaims | None


def published_times(experiment: str, folder: Path = PUBLISHED) -> tuple[PublishedTimes, ...]:
    """The times that belong to an experiment."""
    return tuple(_times(entry, folder) for entry in entries("times", experiment, folder))


def published_times_claims(found: PublishedTimes) -> PublishedTimesClaims:
    """Without intervals: all times are of one run."""
    repeated = Counter(size for size, _ in found.points)

    def counted(name: str, count: int, meaning: str) -> Claim:
        estimate = Estimate(count, None, len(found.points))
        return found.claim(f"{found.name}.{name}", estimate, "", ClaimKind.DERIVED, f"{meaning}, {found.words}")

    return PublishedTimesClaims(
        found,
        counted("points", len(found.points), "times in the file"),
        counted("sizes", len(repeated), "different sizes in the file"),
        counted("least", min(repeated.values()), "times of the size that has the fewest"),
        counted("most", max(repeated.values()), "times of the size that has the most"),
        fit_claims(found.times()),
        fit_claims(found.times().upper()),
    )


def _times(entry: Entry, folder: Path) -> PublishedTimes:
    size, seconds = entry["size"], entry["seconds"]
    rows = rows_of(entry, folder, {size: int, seconds: float})
    points = tuple((int(row[size]), float(row[seconds])) for row in rows)
    name, words, machine, file, what = (entry[each] for each in ("name", "label", "machine", "file", "what"))
    return PublishedTimes(name, words, machine, file, what, points, entry.get("card", ""))
