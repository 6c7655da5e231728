"""The parcel that students get: the whole lab with one kit, without its solution and what only graders ask."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from lab.errors import SpecError
from lab.files.storage import write_bytes
from lab.grade.autograder import PARTS, written_by_people
from lab.kit.kit import SOLUTION, Kit
from lab.places import ASSIGNMENTS, ROOT
from lab.submission.archive import pack

MORE = ("docs", "results/reference")  # than an autograder needs
HANDOUT = "HANDOUT.html"
# From this line on, an assignment's file is the course's alone.
OURS = re.compile(r"^# -+ .*the course's alone.*$", re.MULTILINE)


def parcel(kit: Kit, page: str) -> dict[str, bytes]:
    """Every file by its path in a checkout."""
    if ASSIGNMENTS not in kit.assignment.file.resolve().parents:
        where = f"experiments/assignments/{kit.assignment.file.name}"
        what = "a parcel is made of a kit that lies in the checkout"
        raise SpecError(what, file=kit.assignment.file, expected=where)
    files = {str(file.relative_to(ROOT)): file.read_bytes() for file in _places(kit)}
    named = str(kit.assignment.file.resolve().relative_to(ROOT))
    files[named] = students_part(files[named].decode()).encode()
    return files | {HANDOUT: page.encode()}


def students_part(text: str) -> str:
    """An assignment's file as students get it."""
    return OURS.split(text, maxsplit=1)[0].rstrip() + "\n"


def write_parcel(kit: Kit, page: str, file: Path) -> int:
    """The zip; how many files it holds."""
    files = parcel(kit, page)
    runnable = {name for name in files if name != HANDOUT and os.access(ROOT / name, os.X_OK)}
    write_bytes(file, pack(files, runnable))
    return len(files)


def _places(kit: Kit) -> Iterator[Path]:
    for part in (*PARTS, *MORE):
        for file in written_by_people(ROOT / part):
            if ASSIGNMENTS not in file.parents or _is_given(file, kit):
                yield file


def _is_given(file: Path, kit: Kit) -> bool:
    """Of the assignments, this kit's own without its solution, and what all kits share."""
    if kit.folder in file.parents:
        return SOLUTION not in file.relative_to(kit.folder).parts
    return file == kit.assignment.file.resolve() or (file.parent == ASSIGNMENTS and file.suffix != ".toml")
