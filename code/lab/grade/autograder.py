"""A bundle for Gradescope: the lab without generated files, the assignment, and the two scripts to run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from lab.files.included import files_of
from lab.files.storage import write_bytes
from lab.places import ASSIGNMENTS, ROOT
from lab.submission.archive import pack
from lab.submission.assignment import Assignment

SCRIPTS = ROOT / "code" / "setup" / "gradescope"
PARTS = ("code", "experiments", "templates", "Makefile", "pyproject.toml", "README.md", "LICENSE")
MADE = ("__pycache__", ".egg-info")
ELF = b"\x7fELF"
NAMED, COURSE, IMAGE = "assignment", "course", "image.lab"


def write_bundle(assignment: Assignment, image: Path | None, file: Path) -> int:
    """The zip to upload; how many files it holds."""
    places = _places(assignment, image)
    files = {name: place.read_bytes() for name, place in places.items()}
    runnable = {name for name, place in places.items() if os.access(place, os.X_OK)}
    named = f"{COURSE}/{assignment.file.name}" if is_apart(assignment) else assignment.name
    content = pack(files | {NAMED: f"{named}\n".encode()}, runnable)
    write_bytes(file, content)
    return len(files) + 1


def is_apart(assignment: Assignment) -> bool:
    """Whether it lies outside of this checkout's assignments."""
    return assignment.file.parent.resolve() != ASSIGNMENTS


def _places(assignment: Assignment, image: Path | None) -> dict[str, Path]:
    """The place of each file of the bundle here."""
    places = {str(file.relative_to(ROOT)): file for part in PARTS for file in written_by_people(ROOT / part)}
    places |= {script.name: script for script in SCRIPTS.iterdir()}
    if is_apart(assignment):
        texts = [
            assignment.file,
            *files_of(assignment.experiment),
            *written_by_people(assignment.experiment.with_suffix("")),
            *written_by_people(assignment.file.with_suffix("")),  # the kit: what it hands out does not count
        ]
        folder = assignment.experiment.parent
        places |= {f"{COURSE}/{file.relative_to(folder)}": file for file in texts if file.is_relative_to(folder)}
    return places | ({IMAGE: image} if image else {})


def written_by_people(place: Path) -> Iterator[Path]:
    """Files that people wrote: nothing hidden, no link, no program."""
    if place.is_dir():
        for each in sorted(place.iterdir()):
            if not each.name.startswith(".") and not each.name.endswith(MADE) and not each.is_symlink():
                yield from written_by_people(each)
    elif place.is_file() and not place.read_bytes().startswith(ELF):
        yield place
