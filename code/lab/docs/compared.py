"""`python -m lab.docs.compared OLD NEW` prints, as a table of a page, what became of every series of two folders of
reference tables."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.docs.markdown import rows

# What a series is compared by, the first that it has: bytes per second, or a time of which less is more.
COLUMNS = ("confirmed_bytes_per_s", "completed_bytes_per_s", "round_trip_ns", "receive_median_ns")
HEAD = ("experiment", "series", "program", "by", "median of the ratios", "least, at bytes", "most, at bytes")

Sizes = Mapping[int, float]


@dataclass(frozen=True)
class ComparedSeries:
    """One series of an experiment, and what it is compared by."""

    experiment: str
    name: str
    program: str
    column: str


def series(folder: Path) -> dict[ComparedSeries, Sizes]:
    """For every series the median of its repetitions at each size."""
    found: dict[ComparedSeries, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for table in sorted(folder.glob("*.csv")):
        with table.open(newline="") as lines:
            for row in csv.DictReader(lines):
                column = next(each for each in COLUMNS if row.get(each))
                one = ComparedSeries(table.stem, row["series"], row["program"], column)
                found[one][int(row["size_bytes"])].append(float(row[column]))
    return {one: {size: median(values) for size, values in sizes.items()} for one, sizes in found.items()}


def cells(old: Mapping[ComparedSeries, Sizes], new: Mapping[ComparedSeries, Sizes]) -> Iterator[tuple[str, ...]]:
    """A row for each series that both have: new over old, size by size."""
    for one in (each for each in new if each in old):
        ratios = {size: value / old[one][size] for size, value in new[one].items() if old[one].get(size)}
        least, most = (pick(ratios, key=lambda size: ratios[size]) for pick in (min, max))
        ends = (f"{ratios[size]:.2f}, {size}" for size in (least, most))
        yield one.experiment, one.name, one.program, f"`{one.column}`", f"{median(ratios.values()):.2f}", *ends


if __name__ == "__main__":
    print(rows(HEAD, cells(*(series(Path(folder)) for folder in sys.argv[1:3]))), end="")
