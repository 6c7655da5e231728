"""`lab grade` and the autograder: the commands of a grader."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from lab.files.storage import write_bytes
from lab.files.toml import files_of
from lab.places import ASSIGNMENTS, ROOT, SUBMISSIONS, from_here
from lab.submission.archive import pack
from lab.submission.assignment import Assignment

if TYPE_CHECKING:
    from lab.grade.class_outputs import ClassOutputs
    from lab.grade.course import Assigned, Graded
    from lab.plan.plan import Plan, Planned


REPORT = "report.pdf"  # the grader's own, of these data and texts: what a person reads


def grade(options: Namespace) -> int:
    """One hand-in; 0 if it has all points, else 1."""
    return graded(options, options.submission, options.only or ())


def preview_grade(options: Namespace) -> int:
    """A preview of the grade by the public checks, for a hand-in made now."""
    from lab.submission.hand_in import submitted

    file = submitted(options.assignment, options.results, draft=True)
    return graded(options, file, (), public=True)


def grade_class(options: Namespace) -> int:
    """All hand-ins of a folder; 0 if each has a final grade, whatever it is."""
    from lab.errors import one_line
    from lab.grade.class_outputs import ClassOutputs
    from lab.grade.course import by_assignment, find_submissions

    submissions, skipped = find_submissions(options.submissions)
    assigned, unassigned = by_assignment(submissions, options.assignment)
    outputs, status = ClassOutputs(options.out), 0
    try:
        for each in chain(skipped, unassigned, _graded_by_assignment(assigned, options, outputs)):
            points = "-" if each.folder is None else each.points
            print(one_line(f"{points:>4}  {each.submission}{f': {each.trouble}' if each.trouble else ''}"), flush=True)
            outputs.add(each)
            status |= int(bool(each.trouble) and not each.skipped)
    finally:
        summary = outputs.finish()
    print("\n".join(summary))
    print(f"{from_here(options.out / 'class.html')}: {len(submissions)} hand-ins, {len(skipped)} other files")
    return status


def _graded_by_assignment(assigned: Assigned, options: Namespace, outputs: ClassOutputs) -> Iterator[Graded]:
    """The hand-ins of each assignment as they are done; its own trials are measured once, before."""
    from lab.grade.course import grade_class as grade_all
    from lab.grade.grading import prepare_grading

    on, at_once = _where(options)
    for file, submissions in assigned.items():
        setup = prepare_grading(file, options.jobs, options.hosts if options.site else None)
        setup.measure(shared(setup.plan))  # once, since all processes would wait for it
        outputs.begin(setup.assignment)
        command = [sys.executable, "-m", "lab", "grade", "--out", str(options.out), "--jobs", "1"]
        command += ["--assignment", str(setup.assignment.file), "--"]
        yield from grade_all(submissions, options.out, setup.grader, partial(_command, command), at_once, on)


def _command(command: list[str], place: Path) -> list[str]:
    """The command that grades one hand-in, whatever its name begins with."""
    return [*command, str(place)]


def _where(options: Namespace) -> tuple[tuple[str, ...], int]:
    """The prefix that runs a grading on a cluster, if the user asks for one; and the number of gradings at once."""
    from lab.sites.hosts import read_slurm
    from lab.sites.queue import on_a_node
    from lab.sites.slurm import AT_ONCE

    return (on_a_node(read_slurm(options.hosts)), AT_ONCE) if options.site else ((), options.jobs)


def grade_prepare(options: Namespace) -> int:
    """Measure the trials that are the same for all hand-ins."""
    from lab.grade.grading import prepare_grading
    from lab.submission.assignment import find_assignment
    from lab.submission.hand_in import identity_of

    setup = prepare_grading(find_assignment(options.assignment), options.jobs)
    trials = shared(setup.plan)
    setup.measure(trials)
    print(f"{setup.assignment.name}: {len({each.trial.key for each in trials})} trials are measured")
    listed = ", ".join(setup.assignment.listed) or "none"
    print(f"the identity here is {identity_of(setup.plan).words}; the assignment accepts: {listed}")
    return 0


def shared(plan: Plan) -> list[Planned]:
    """The trials that no hand-in changes: those of the lab's own programs."""
    return [each for each in plan.planned if not each.series.tool.build]


def autograder(options: Namespace) -> int:
    """A zip to upload to Gradescope."""
    from lab.machine.exchange import require_exported
    from lab.submission.assignment import find_assignment, load_assignment

    if options.image:
        require_exported(options.image)
    assignment = load_assignment(find_assignment(options.assignment))
    file = options.file or SUBMISSIONS / f"{assignment.name}.autograder.zip"
    print(f"{from_here(file)}: {write_bundle(assignment, options.image, file)} files, to upload to Gradescope")
    return 0


def _end(*_: object) -> None:
    """Leave nothing in the temporary directory when a time limit ends the grading."""
    sys.exit(128 + signal.SIGTERM)


def graded(
    options: Namespace, place: Path, only: tuple[str, ...], *, public: bool = False, is_solution: bool = False
) -> int:
    """Grade and print; every attempt has a folder of its own."""
    from lab.files.storage import write_bytes
    from lab.grade.case import Case, SubmissionFile
    from lab.grade.class_outputs import write_sentences
    from lab.grade.course import assignment_in, attempts_of, new_attempt
    from lab.grade.finding import NAMELESS
    from lab.grade.grading import digest_of, prepare_grading
    from lab.grade.grading import grade as make_grade
    from lab.grade.likeness import fingerprint, write_fingerprint
    from lab.grade.outputs import lines, write_feedback, write_grade
    from lab.submission.archive import require_kind
    from lab.submission.assignment import CHECKS, find_assignment
    from lab.submission.discussion import handed_out

    require_kind(place)
    signal.signal(signal.SIGTERM, _end)
    hand_in = SubmissionFile(place)
    setup = prepare_grading(find_assignment(options.assignment or assignment_in(hand_in)), options.jobs)
    known = handed_out(setup.assignment, starter=not public, solution=not is_solution)
    setup = replace(setup, handed_out=known)
    names = [name for name in CHECKS if name in (only or setup.assignment.checks)]
    if public:
        names = [name for name in names if name not in setup.assignment.hidden]
    attempt = new_attempt(attempts_of(options.out, place))
    with tempfile.TemporaryDirectory(prefix="lab-grade-") as folder:
        case = Case(setup, hand_in, Path(folder))
        done = make_grade(case, digest_of(place), names, lambda state: write_grade(state, attempt))
        write_fingerprint(fingerprint(case), attempt)
        if case.shown:
            write_bytes(attempt / REPORT, case.shown)
            if setup.assignment.terms.anonymous:
                write_bytes(attempt / NAMELESS, case.nameless())
        write_sentences(case, attempt)
        write_feedback(done, setup.templates, attempt)
    print("\n".join([*lines(done), f"kept in {from_here(attempt)}"]))
    return int(done.points < done.most or not done.is_final)


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
