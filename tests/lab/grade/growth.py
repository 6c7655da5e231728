"""What the outputs of a class take, all hand-ins of which are copies of one: the most that can be alike.

PYTHONPATH=.:code .venv/bin/python -m tests.lab.grade.growth
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from lab.grade.class_outputs import ClassOutputs
from lab.grade.course import Graded
from lab.grade.fingerprint import Fingerprint, write_fingerprint
from lab.submission.assignment import CHECKS, Assignment

WORDS, RECORDS = 600, 40  # of a small hand-in
ASSIGNMENT = Assignment(Path("small.toml"), "A class", Path("small.toml"), "exact", {})


def copies(count: int, folder: Path) -> list[Graded]:
    """Graded hand-ins, with all that a grading leaves for the class."""
    words, records = (frozenset(f"{each:016x}" for each in range(many)) for many in (WORDS, RECORDS))
    check = {"status": "passed", "points": 9, "most": 9, "findings": [], "command": "lab grade"}
    grade = {"points": 9, "ids": ["ada"], "checks": [{"name": name} | check for name in CHECKS]}
    made = []
    for number in range(count):
        place = folder / f"{number:04}" / "1"
        write_fingerprint(Fingerprint(words, records), place)
        made.append(Graded(f"{number:04}.pdf", grade, place))
    return made


def all_pairs(count: int) -> int:
    return count * (count - 1) // 2


def main() -> None:
    """Seconds for classes of three sizes."""
    for count in (50, 100, 200):
        with tempfile.TemporaryDirectory() as name:
            graded, outputs = copies(count, Path(name)), ClassOutputs(ASSIGNMENT, Path(name))
            started = time.monotonic()
            for each in graded:
                outputs.add(each)
            outputs.write()
        print(f"{count:>4} copies, {all_pairs(count):>6} pairs: {time.monotonic() - started:.2f} s")


if __name__ == "__main__":
    main()
