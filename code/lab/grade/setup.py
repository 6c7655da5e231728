"""The preparation of a grader: the assignment, the site ready, the plan, and its own folders."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path

from lab.errors import SpecError
from lab.files.included import files_of
from lab.files.stamp import digest_files
from lab.grade.case import GradingSetup
from lab.places import GRADING, HOSTS, PUBLISHED, ROOT, TEMPLATES
from lab.plan.plan import Planned
from lab.plan.sources import source_files
from lab.plan.workshop import open_workshop
from lab.report.stamp import digest_code
from lab.sites import Witness, open_site
from lab.sites.traits import fixed
from lab.spec.experiment import Experiment
from lab.submission.assignment import Assignment, load_assignment
from lab.submission.discussion import files_handed_out
from lab.submission.programs import own_builds, own_programs

CODE = ROOT / "code" / "lab"


def prepare_grading(file: Path, jobs: int, cluster: Path | None = None) -> GradingSetup:
    """The setup for one assignment. With a cluster, its nodes run the trials that repeat exactly."""
    assignment = load_assignment(file)
    kind = fixed(assignment.site)
    spread = cluster is not None and kind is not None and kind.repeats
    site = open_site(f"slurm:{assignment.site}", cluster or HOSTS) if spread else open_site(assignment.site)
    shop = open_workshop([assignment.experiment], site, _tell)
    (plan,) = shop.plans
    require_shut_in(plan.experiment)
    jobs, grader = shop.site.at_once or jobs, _grader(assignment, plan.experiment)
    witness = open_site(assignment.site) if spread else site  # this computer's own gives the same bytes
    return GradingSetup(
        assignment, shop.site, plan, GRADING / "results", TEMPLATES, GRADING, jobs, _watch(), grader,
        witness if isinstance(witness, Witness) else None,
    )  # fmt: skip


def require_shut_in(experiment: Experiment) -> None:
    """Refuse to run strangers' programs with the rights of whoever starts them."""
    for tool in own_programs(experiment):
        if tool.launched:
            what = f"{tool.name} is started by MPI, and such a program of a student's cannot be shut in"
            raise SpecError(what, file=experiment.file, hint="verbs or TCP without MPI in what is graded")


def digest_of(place: Path) -> str:
    """The digest of all files of a hand-in; the same hand-in has the same digest."""
    digest = hashlib.sha256()
    inside = sorted(each for each in place.rglob("*") if each.is_file() and not each.is_symlink())
    for file in [place] if place.is_file() else inside:
        with file.open("rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        digest.update(f"{file.relative_to(place) if file != place else ''} {content}\n".encode())
    return digest.hexdigest()


def _grader(assignment: Assignment, experiment: Experiment) -> str:
    """A digest of all that a grade of this assignment comes from; other assignments are no part of it."""
    texts = [each for folder in (TEMPLATES, PUBLISHED) for each in sorted(folder.rglob("*.*"))]
    own = [assignment.file, *files_of(assignment.experiment), *chain(*files_handed_out(assignment))]
    sources = [content for build in own_builds(experiment) for _, content in source_files(build)]
    programs = hashlib.sha256(b"".join(hashlib.sha256(each).digest() for each in sources)).hexdigest()
    return hashlib.sha256(f"{digest_files([*own, *texts])} {programs} {digest_code([CODE])}".encode()).hexdigest()


def _watch() -> Callable[[str, Planned], None]:
    """A function that prints each of the grader's own trials when it ends."""

    def watch(result: str, planned: Planned) -> None:
        print(f"{planned.series.name} repetition {planned.repetition}: {result}", file=sys.stderr)

    return watch


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
