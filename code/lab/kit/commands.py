"""The command about kits."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import SpecError
from lab.places import ASSIGNMENTS, SUBMISSIONS, from_here

if TYPE_CHECKING:
    from lab.kit.kit import Kit

ALL = "all"


def kit(options: Namespace) -> int:
    """Make a kit's parcel, begin a new kit, or grade its reference solution."""
    actions = {"new": _new, "make": _make, "try": _try, "sample": _sample}
    return actions[options.action](options)


def _new(options: Namespace) -> int:
    from lab.kit.kit import new_kit

    for file in new_kit(options.kit, options.experiment, ASSIGNMENTS):
        print(from_here(file))
    return 0


def _make(options: Namespace) -> int:
    """The page by itself, too: it can stand on a course's site before the parcel is given out."""
    from lab.files.storage import write_text
    from lab.kit.handout import handout
    from lab.kit.kit import load_kit, write_parcel

    found = load_kit(options.kit)
    folder: Path = options.out or SUBMISSIONS
    page = handout(found)
    write_text(folder / f"{found.name}.handout.html", page)
    count = write_parcel(found, page, folder / f"{found.name}.kit.zip")
    print(from_here(folder / f"{found.name}.handout.html"))
    print(f"{from_here(folder / f'{found.name}.kit.zip')}: {count} files, to give to students")
    return 0


def _try(options: Namespace) -> int:
    """The reference solution, handed in and graded: 0 if it has all points."""
    return max(_tried(found, options) for found in _kits(options.kit))


def _tried(found: Kit, options: Namespace) -> int:
    from lab.grade.commands import graded
    from lab.kit.solve import scratch, solve

    with scratch() as folder:
        solved = solve(found, options.results, options.jobs, Path(folder))
        file = solved.handed_in("solution", solved.discussion, Path(folder) / "hand-in")
        grading = Namespace(**vars(options) | {"assignment": found.assignment.named, "out": options.grades})
        return graded(grading, file, (), is_solution=True)


def _kits(named: str) -> list[Kit]:
    """The one of this name, or all of the lab."""
    from lab.kit.kit import load_kit

    return [load_kit(each.stem) for each in sorted(ASSIGNMENTS.glob("*.toml"))] if named == ALL else [load_kit(named)]


def _sample(options: Namespace) -> int:
    """A folder of hand-ins, to try the grading of a class."""
    from lab.kit.kit import load_kit
    from lab.kit.solve import sample, scratch, solve

    if options.out is None:
        raise SpecError("a sample needs a folder to be written to", hint="--out hand-ins")
    found = load_kit(options.kit)
    with scratch() as folder:
        solved = solve(found, options.results, options.jobs, Path(folder))
        for file in sample(solved, options.count, options.out):
            print(from_here(file), flush=True)
    return 0
