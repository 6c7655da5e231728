"""What the outputs of a class take, all hand-ins of which are copies of one: the most that can be alike.

PYTHONPATH=.:code .venv/bin/python -m tests.lab.grade.growth
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from lab.grade.class_outputs import ClassOutputs
from lab.grade.course import Graded
from lab.grade.finding import SavedCheck, SavedGrade, Status
from lab.grade.likeness import Fingerprint, write_fingerprint
from lab.submission.assignment import CHECKS

WORDS, RECORDS = 600, 40  # of a small hand-in


def copies(count: int, folder: Path) -> list[Graded]:
    """Graded hand-ins, with all that a grading leaves for the class."""
    words, records = (frozenset(f"{each:016x}" for each in range(many)) for many in (WORDS, RECORDS))
    checks = tuple(SavedCheck(name, 9, 9, Status.PASSED, command="lab grade") for name in CHECKS)
    grade = SavedGrade(points=9, ids=("ada",), final=True, checks=checks)
    made = []
    for number in range(count):
        place = folder / f"{number:04}" / "1"
        write_fingerprint(Fingerprint(words, records), place)
        made.append(Graded(f"{number:04}.pdf", grade, place))
    return made


def main() -> None:
    """Seconds for classes of three sizes."""
    for count in (250, 500, 1000):
        with tempfile.TemporaryDirectory() as name:
            graded, outputs = copies(count, Path(name)), ClassOutputs(Path(name))
            started = time.monotonic()
            for each in graded:
                outputs.add(each)
            outputs.finish()
        print(f"{count:>5} copies: {time.monotonic() - started:.2f} s")


if __name__ == "__main__":
    main()
