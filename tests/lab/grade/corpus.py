"""As a script: so many tampered and honest hand-ins, all graded; a line for each that is not found, named or cleared.

python -m tests.lab.grade.corpus FOLDER 200 30
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.lab import hand_ins
from tests.lab.grade.forger import make_forger
from tests.lab.grade.tampered import file_of, forged

from lab.grade.case import Case, Desk
from lab.grade.grading import grade
from lab.grade.result import Grade
from lab.submission.assignment import CHECKS

# What honest students write: other claims, other words, other LaTeX.
DISCUSSIONS = (
    hand_ins.DISCUSSION,
    r"With messages of \claim{largest.size} the link carries \claim{tcp.64K} by TCP, "
    r"and \claim{verbs.64K} by RDMA WRITE, which is the slower of the two programs here." + "\n",
    r"\begin{itemize}\item TCP moves \claim{tcp.64}. \item RDMA WRITE moves \claim{verbs.64}.\end{itemize}"
    "\n% a comment with 33 MB/s\nSmall messages cost a call each, as \\figureof{message_rate} says for both.\n",
    r"\emph{Median} rates are in \tableof{results}: \claim{verbs.4K} for RDMA and \claim{tcp.4K} for TCP." + "\n\n"
    "The repetitions start from perturbed instants, so the intervals show luck of layout and not of other days.\n",
)


def main(folder: Path, tampered: int, honest: int) -> int:
    course = hand_ins.make_course(folder)
    site: Any = hand_ins.Site()
    plan = hand_ins.plan_on(folder / "course" / "small.toml", site, "d")
    desk = Desk(course.assignment, site, plan, folder / "grader", course.templates, course.cache, 1, lambda *_: None)
    wrong = [*_tampered(course, desk, tampered), *_honest(course, desk, honest)]
    print("\n".join([*wrong, f"{tampered} tampered, {honest} honest, {len(wrong)} wrong"]))
    return int(bool(wrong))


def _tampered(course: hand_ins.Course, desk: Desk, count: int) -> Iterator[str]:
    work = hand_ins.with_report(course, hand_ins.make_work(course, "ada", hand_ins.Site()))
    forger = make_forger(course, work, course.folder)
    kinds: Counter[str] = Counter()
    for tampering, variant in forged(count):
        found = _grade(desk, file_of(forger, tampering, variant), course.folder / f"t-{tampering.name}-{variant}")
        kinds[tampering.name] += 1
        if tampering.kind.value not in found.kinds or found.points == found.most:
            yield f"{tampering.name} {variant}: {tampering.kind.value} is not among {found.kinds}"
    print(f"{len(kinds)} kinds of tampering", file=sys.stderr)


def _honest(course: hand_ins.Course, desk: Desk, count: int) -> Iterator[str]:
    for number in range(count):
        slowness = 1 if number % 3 else 0.94 + number % 13 / 100
        name, site = f"student-{number}", hand_ins.Site("fake" if number % 3 else f"machine-{number}", slowness)
        digest = "e" if number % 4 == 3 else "d"
        work = hand_ins.make_work(course, name, site, DISCUSSIONS[number % len(DISCUSSIONS)], digest)
        file = hand_ins.handed_in(hand_ins.with_report(course, work), course.folder / f"{name}.pdf")
        found = _grade(desk, file, course.folder / f"h-{number}")
        if found.kinds:
            yield f"{name}: {[str(each) for result in found.results for each in result.findings][:3]}"


def _grade(desk: Desk, file: Path, scratch: Path) -> Grade:
    scratch.mkdir()
    return grade(Case(desk, file, scratch), "", CHECKS, lambda _: None)


if __name__ == "__main__":
    started = time.monotonic()
    status = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    sys.exit(status)
