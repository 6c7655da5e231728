"""The folders of grades: one for each hand-in, and in it one for each attempt. No attempt is ever replaced."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from lab.files.storage import storage
from lab.grade.outputs import GRADE

GradeTable = dict[str, Any]  # the content of grade.json, from any version of the lab


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


def last_attempt(folder: Path) -> tuple[Path | None, GradeTable]:
    """The newest attempt with a final grade, else the newest with any: its folder and its grade.json."""
    attempts = [folder / str(number) for number in sorted(_numbers(folder), reverse=True)]
    graded = [(attempt, grade) for attempt in attempts if (grade := read_grade(attempt))]
    final = [each for each in graded if each[1].get("final")]
    return (final or graded)[0] if graded else (None, {})


def read_grade(attempt: Path) -> GradeTable | None:
    """One attempt's grade.json."""
    try:
        grade = json.loads((attempt / GRADE).read_text())
    except (OSError, ValueError):
        return None
    return grade if isinstance(grade, dict) else None


def attempts_of(grades: Path, submission: Path) -> Path:
    """The folder of one hand-in's grades."""
    return grades / (re.sub(r"[^A-Za-z0-9_.-]+", "_", submission.stem)[:100].strip(".") or "submission")


def _numbers(folder: Path) -> list[int]:
    return [int(each.name) for each in folder.glob("*") if each.name.isdecimal()] if folder.is_dir() else []
