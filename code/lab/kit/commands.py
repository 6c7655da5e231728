"""The command about kits."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from lab.errors import SpecError
from lab.places import ASSIGNMENTS, SUBMISSIONS, from_here

COMMANDS = ("kit",)


def kit(options: Namespace) -> int:
    """Make a kit's parcel, begin a new kit, or try one by its reference solution."""
    actions = {"new": _new, "make": _make, "try": _try, "sample": _sample}
    return actions[options.action](options)


def _new(options: Namespace) -> int:
    from lab.kit.new import new_kit

    for file in new_kit(options.kit, options.experiment, ASSIGNMENTS):
        print(from_here(file))
    return 0


def _make(options: Namespace) -> int:
    """The page by itself, too: it can stand on a course's site before the parcel is given out."""
    from lab.files.storage import write_text
    from lab.kit.handout import handout
    from lab.kit.kit import load_kit
    from lab.kit.parcel import write_parcel

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
    from lab.grade.commands import graded
    from lab.kit.kit import load_kit
    from lab.kit.solve import scratch, solve

    found = load_kit(options.kit)
    with scratch() as folder:
        solved = solve(found, options.results, options.jobs, Path(folder))
        file = solved.handed_in("solution", solved.discussion, Path(folder) / "hand-in")
        grading = Namespace(**vars(options) | {"assignment": found.assignment.named, "out": options.grades})
        return graded(grading, file, ())


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
