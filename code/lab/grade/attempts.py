"""The folders of grades: one for each hand-in, and in it one for each attempt. No attempt is ever replaced."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from lab.files.storage import storage
from lab.grade.saved import SavedGrade, read_grade

_PLAIN = re.compile(r"([A-Za-z0-9_-]{1,100})\.pdf", re.ASCII)
MARK = "~"  # in no plain name: what stands behind it tells apart names that look the same without their odd letters


def new_attempt(folder: Path) -> Path:
    """A new folder with the next number."""
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        number = max(_numbers(folder), default=0) + 1
        while True:
            try:
                (folder / str(number)).mkdir()
                return folder / str(number)
            except FileExistsError:
                number += 1


def last_attempt(folder: Path) -> tuple[Path | None, SavedGrade]:
    """The newest attempt with a final grade, else the newest with any: its folder and its grade."""
    attempts = [folder / str(number) for number in sorted(_numbers(folder), reverse=True)]
    graded = [(attempt, grade) for attempt in attempts if (grade := read_grade(attempt))]
    final = [each for each in graded if each[1].final]
    return (final or graded)[0] if graded else (None, SavedGrade())


def attempts_of(grades: Path, submission: Path) -> Path:
    """The folder of one hand-in's grades: no two names of files share one."""
    if plain := _PLAIN.fullmatch(submission.name):
        return grades / plain[1]
    like = re.sub(r"[^A-Za-z0-9_-]+", "_", submission.stem)[:80]
    return grades / f"{like}{MARK}{hashlib.sha256(submission.name.encode(errors='surrogateescape')).hexdigest()[:16]}"


def _numbers(folder: Path) -> list[int]:
    return [int(each.name) for each in folder.glob("*") if each.name.isdecimal()] if folder.is_dir() else []
