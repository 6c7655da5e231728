"""All tampering is found: lab.grade.checks.*, lab.grade.{consistency,identity,pdf_parts,pdf_pixels,printed,records}.

Each is named by its kind, and what is honest raises no alarm. The first variant of each kind belongs to every run of
the tests, all others and 30 honest ones to `make grade-corpus`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade.forger import Forger, make_forger
from tests.lab.grade.tampered import KINDS, Tampering, file_of
from tests.lab.hand_ins import Course

from lab.grade.result import Grade, Status

GradeFile = Callable[..., Grade]
ForgerOf = Callable[[int], Forger]
VARIANTS, HONEST = 5, 30
# What honest students write: other claims, other words, other LaTeX.
DISCUSSIONS = (
    r"With messages of \claim{largest.size} the link carries \claim{tcp.64K} by TCP, "
    r"and \claim{verbs.64K} by RDMA WRITE, which is the slower of the two programs here." + "\n",
    r"\begin{itemize}\item TCP moves \claim{tcp.64}. \item RDMA WRITE moves \claim{verbs.64}.\end{itemize}"
    "\n% a comment with 33 MB/s\nSmall messages cost a call each, as \\figureof{message_rate} says for both.\n",
    r"\emph{Median} rates are in \tableof{results}: \claim{verbs.4K} for RDMA and \claim{tcp.4K} for TCP." + "\n\n"
    "The repetitions start from perturbed instants, so the intervals show luck of layout and not of other days.\n",
)


@pytest.fixture(scope="module")
def forger_of(course: Course, ada: Any, tmp_path_factory: pytest.TempPathFactory) -> ForgerOf:
    """A forger at work on ada's hand-in, or on that of a student with another discussion."""

    @cache
    def make(base: int) -> Forger:
        work = ada
        if base:
            work = hand_ins.make_work(course, f"student-{base}", hand_ins.Site(), DISCUSSIONS[base - 1])
            work = hand_ins.with_report(course, work)
        return make_forger(course, work, tmp_path_factory.mktemp("forger"))

    return make


@pytest.mark.parametrize("tampering", KINDS, ids=[each.name for each in KINDS])
def test_tampering_is_found_and_named(grade_file: GradeFile, forger_of: ForgerOf, tampering: Tampering) -> None:
    (result,) = grade_file(file_of(forger_of(0), tampering, 0), [tampering.check]).results
    assert result.status is Status.FAILED and result.points == 0
    assert tampering.kind in {each.kind for each in result.findings}, result.evidence()


def test_files_repacked_by_hand_raise_no_alarm(grade_file: GradeFile, forger_of: ForgerOf, tmp_path: Path) -> None:
    file = tmp_path / "ada.pdf"
    file.write_bytes(forger_of(0).pdf())
    assert grade_file(file).kinds == ()


@pytest.mark.corpus
@pytest.mark.parametrize("variant", range(VARIANTS))
@pytest.mark.parametrize("place", range(len(KINDS)), ids=[each.name for each in KINDS])
def test_every_variant_on_every_base_costs_points(
    grade_file: GradeFile, forger_of: ForgerOf, place: int, variant: int
) -> None:
    tampering, base = KINDS[place], (place + variant) % (1 + len(DISCUSSIONS))
    found = grade_file(file_of(forger_of(base), tampering, variant))
    assert tampering.kind.value in found.kinds and found.points < found.most, found.kinds


@pytest.mark.corpus
@pytest.mark.parametrize("number", range(HONEST))
def test_an_honest_student_loses_nothing(grade_file: GradeFile, course: Course, tmp_path: Path, number: int) -> None:
    """Other machines, some slower or faster; other compilers; other discussions."""
    same = number % 3
    site = hand_ins.Site("fake" if same else f"machine-{number}", 1 if same else 0.94 + number % 13 / 100)
    discussion = (hand_ins.DISCUSSION, *DISCUSSIONS)[number % (1 + len(DISCUSSIONS))]
    work = hand_ins.make_work(course, f"honest-{number}", site, discussion, "e" if number % 4 == 3 else "d")
    file = hand_ins.handed_in(hand_ins.with_report(course, work), tmp_path / "honest.pdf")
    assert grade_file(file).kinds == ()
