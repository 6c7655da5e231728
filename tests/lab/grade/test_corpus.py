"""Every kind of tampering is found and named, and honest submissions raise no alarm.

Every test run tries the first variant of each kind, `make grade-corpus` all others and 100 honest submissions.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tests.lab import hand_ins
from tests.lab.grade import tampered, tampered_records
from tests.lab.grade.conftest import GradeFile
from tests.lab.grade.forger import Forger, accepting, make_forger
from tests.lab.grade.tampering import KINDS, Tampering
from tests.lab.hand_ins import Course

from lab.grade.case import GradingSetup
from lab.grade.finding import Status
from lab.submission.hand_in import identity_of

ForgerOf = Callable[[int], Forger]
VARIANTS, HONEST, COUNT = 5, 100, 104
MODULES = (tampered, tampered_records)  # which fill KINDS
# Discussions of honest students: other claims, words and LaTeX.
DISCUSSIONS = (
    r"With messages of \claim{plan.largest} the link carries \claim{tcp at 64K} by TCP, and \claim{verbs at 64K} "
    r"by RDMA WRITE, which is the slower of the two programs here.\shows{tcp > verbs at 64K}" + "\n",
    r"\begin{itemize}\item TCP moves \claim{tcp at 64}. \item RDMA WRITE moves \claim{verbs at 64}.\end{itemize}"
    "\n% a comment with 33 MB/s\nSmall messages cost a call each, as \\figureof{throughput} says for both:\n"
    r"so TCP is \claim{tcp / verbs at 64} times as fast there.\shows{tcp > verbs at 64}" + "\n",
    r"\emph{Median} rates are in \tableof{five}: \claim{verbs at 4K} for RDMA, less than TCP. "
    r"\shows{verbs < tcp at 4K}"
    "\n\nThe repetitions start from perturbed instants, so the intervals show luck of layout and not of other days.\n",
    r"\section{What we saw} TCP is ahead:\shows{tcp > verbs everywhere} it moves \claim{tcp at 64K} at 64 KiB." + "\n"
    "Both programs ran on one link, in one machine, one after the other.\n",
    r"\begin{tabular}{lr}program & at 64 KiB \\ RDMA & \claim{verbs at 64K} \\ TCP & \claim{tcp at 64K} \\\end{tabular}"
    "\n\nThe table above says which of the two programs is ahead with large messages."
    r"\shows{tcp >= 4 * verbs at 64K}" + "\n",
    r"Our RDMA program reaches \claim{verbs at 64K} at 64 KiB (see \figureof{throughput}); for TCP it is more, by a "
    r"factor of \claim[2]{tcp / verbs at 64K}."
    + "\nWe did not look for the reason, because the experiment has no series for it.\n",
    r"F\"ur kleine Nachrichten z\"ahlt der Aufruf: \claim{tcp at 64} mit TCP.\shows{verbs < tcp at 64}"
    "\nGroße Nachrichten haben wir nur bis zur obersten Größe der Reihe gemessen.\n",
    r"\textbf{RDMA}: \claim{verbs at 4K}. \textbf{TCP}: \claim{tcp at 4K}." + "\n"
    r"Each value is a median; the list at the end has the interval and the records of each comparison."
    r"\shows{tcp > verbs at 4K, 64K}" + "\n",
    r"\begin{enumerate}\item We ran the experiment once. \item We read \claim{tcp at 64K} and "
    r"\claim{verbs at 64K} at 64 KiB."
    r"\item We wrote this text.\end{enumerate} TCP is ahead.\shows{verbs / tcp < 0.5 everywhere}"
    + "\nNothing else was "
    "changed by us in the files of the course.\n",
)


@pytest.fixture(scope="module")
def forger_of(course: Course, ada: Any, tmp_path_factory: pytest.TempPathFactory) -> ForgerOf:
    """A forger with ada's submission, or with that of a student with another discussion."""

    @cache
    def make(base: int) -> Forger:
        work = ada
        if base:
            work = hand_ins.make_work(course, f"student-{base}", hand_ins.Site(), DISCUSSIONS[base - 1])
            work = hand_ins.with_report(course, work)
        return make_forger(course, work, tmp_path_factory.mktemp("forger"))

    return make


@pytest.fixture(scope="module")
def listing(course: Course, setup: GradingSetup) -> GradingSetup:
    site = hand_ins.Site(tampered_records.LISTED)
    plan = hand_ins.plan_on(course.folder / "course" / "small.toml", site, "d")
    return accepting(setup, identity_of(plan).digest)


def test_kinds_have_unique_names() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS) == COUNT


@pytest.mark.parametrize("tampering", KINDS, ids=[kind.name for kind in KINDS])
def test_tampering_is_found_and_named(
    grade_file: GradeFile, forger_of: ForgerOf, setup: GradingSetup, listing: GradingSetup, tampering: Tampering
) -> None:
    at = listing if tampering.listed else setup
    (result,) = grade_file(tampering.forge(forger_of(0), 0), [tampering.check], at=at).checks
    assert result.status is Status.FAILED and result.points == 0
    assert tampering.kind in {finding.kind for finding in result.findings}, result.evidence()


@pytest.mark.parametrize("name", ["somebody_elses_report", "page_changed", "a_page_that_no_lab_wrote"])
def test_package_that_may_be_another_persons_is_flagged(grade_file: GradeFile, forger_of: ForgerOf, name: str) -> None:
    (tampering,) = (kind for kind in KINDS if kind.name == name)
    (flag,) = grade_file(tampering.forge(forger_of(0), 0), ["package"]).flags
    assert flag.startswith("CHANGED PACKAGE, or another person's: ")


def test_repacked_files_raise_no_alarm(grade_file: GradeFile, forger_of: ForgerOf) -> None:
    assert grade_file(forger_of(0).pdf()).kinds == ()


@pytest.mark.corpus
@pytest.mark.parametrize("variant", range(VARIANTS))
@pytest.mark.parametrize("place", range(len(KINDS)), ids=[kind.name for kind in KINDS])
def test_every_variant_on_every_base_costs_points(
    grade_file: GradeFile, forger_of: ForgerOf, setup: GradingSetup, listing: GradingSetup, place: int, variant: int
) -> None:
    tampering, base = KINDS[place], (place + variant) % 4
    grade = grade_file(tampering.forge(forger_of(base), variant), at=listing if tampering.listed else setup)
    assert tampering.kind.value in grade.kinds and grade.points < grade.most and grade.is_final, grade.kinds


@pytest.mark.corpus
@pytest.mark.parametrize("number", range(HONEST))
def test_an_honest_student_loses_no_points(
    grade_file: GradeFile, setup: GradingSetup, course: Course, number: int
) -> None:
    """The grader's machine, another one that the course lists, or other compilers; ten styles of discussions."""
    site = hand_ins.Site("listed", 0.96 + number % 9 / 100) if number % 3 == 1 else hand_ins.Site()
    discussion = (hand_ins.DISCUSSION, *DISCUSSIONS)[number // 3 % (1 + len(DISCUSSIONS))]
    work = hand_ins.make_work(course, f"honest-{number}", site, discussion, "e" if number % 3 == 2 else "d")
    grade = grade_file(work, at=accepting(setup, identity_of(work.plan).digest))
    assert (grade.kinds, grade.flags, grade.points) == ((), (), grade.most)
