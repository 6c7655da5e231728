"""`lab grade` and the autograder: the commands of a grader."""

import os
import signal
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from lab.errors import one_line, plural
from lab.files.storage import write_bytes
from lab.files.toml import files_of
from lab.grade.case import Case, SubmissionFile
from lab.grade.class_outputs import PAGE, ClassOutputs, fingerprint, write_fingerprint
from lab.grade.course import Assigned, Graded, assignment_in, attempts_of, by_assignment, find_submissions, new_attempt
from lab.grade.course import grade_class as grade_submissions
from lab.grade.finding import NAMELESS
from lab.grade.grading import digest_of, prepare_grading
from lab.grade.grading import grade as make_grade
from lab.grade.outputs import lines, write_feedback, write_grade, write_sentences
from lab.machine.exchange import require_exported
from lab.places import ASSIGNMENTS, ROOT, SUBMISSIONS, from_here
from lab.plan.plan import Plan, Planned
from lab.sites.hosts import read_slurm
from lab.sites.queue import on_a_node
from lab.sites.slurm import AT_ONCE
from lab.submission.archive import pack, require_kind
from lab.submission.assignment import CHECKS, Assignment, find_assignment, load_assignment
from lab.submission.discussion import handed_out
from lab.submission.hand_in import identity_of, submitted

REPORT = "report.pdf"  # as the grader built it: a person reads this one
SCRIPTS = ROOT / "code" / "setup" / "gradescope"
PARTS = ("code", "experiments", "templates", "Makefile", "pyproject.toml", "README.md", "LICENSE")
MADE = ("__pycache__", ".egg-info")
ELF = b"\x7fELF"
NAMED, COURSE, IMAGE = "assignment", "course", "image.lab"  # in the bundle


def grade(options: Namespace) -> int:
    """Grade one submission; 0 if it has all points, else 1."""
    return graded(options, options.submission, options.only or ())


def preview_grade(options: Namespace) -> int:
    file = submitted(options.assignment, options.results, draft=True)
    status = graded(options, file, (), public=True)
    print("a preview of a draft: make submit writes the file to hand in")
    return status


def graded(
    options: Namespace, place: Path, only: tuple[str, ...], *, public: bool = False, is_solution: bool = False
) -> int:
    """Grade and print; every attempt has a separate folder."""
    require_kind(place)
    # Leave nothing in the temporary directory when a time limit ends the grading.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    file = SubmissionFile(place)
    setup = prepare_grading(find_assignment(options.assignment or assignment_in(file)), options.jobs)
    sentences = handed_out(setup.assignment, starter=not public, solution=not is_solution)
    setup = replace(setup, handed_out=sentences, is_preview=public)
    left_out = setup.assignment.hidden if public else ()
    names = [name for name in CHECKS if name in (only or setup.assignment.checks) and name not in left_out]
    attempt = new_attempt(attempts_of(options.out, place))
    with tempfile.TemporaryDirectory(prefix="lab-grade-") as folder:
        case = Case(setup, file, Path(folder))
        result = make_grade(case, digest_of(place), names, lambda state: write_grade(state, attempt))
        write_fingerprint(fingerprint(case), attempt)
        if case.shown:
            write_bytes(attempt / REPORT, case.shown)
            if setup.assignment.anonymous:
                write_bytes(attempt / NAMELESS, case.anonymous())
        write_sentences(case, attempt)
        write_feedback(result, setup.templates, attempt)
    print("\n".join([*lines(result), f"written to {from_here(attempt)}"]))
    return int(result.points < result.most or not result.is_final)


def grade_class(options: Namespace) -> int:
    """Grade all submissions of a folder; 0 if each has a final grade, whatever it is."""
    submissions, skipped = find_submissions(options.submissions)
    assigned, unassigned = by_assignment(submissions, options.assignment)
    outputs, status = ClassOutputs(options.out), 0
    try:
        for row in chain(skipped, unassigned, _graded_by_assignment(assigned, options, outputs)):
            points = "-" if row.folder is None else row.grade.points
            print(one_line(f"{points:>4}  {row.submission}{f': {row.trouble}' if row.trouble else ''}"), flush=True)
            outputs.add(row)
            status |= int(bool(row.trouble) and not row.skipped)
    finally:
        summary = outputs.finish()
    print("\n".join(summary))
    counts = f"{plural(len(submissions), 'submission')}, {plural(len(skipped), 'other file')}"
    print(f"{from_here(options.out / PAGE)}: {counts}")
    return status


def _graded_by_assignment(assigned: Assigned, options: Namespace, outputs: ClassOutputs) -> Iterator[Graded]:
    """Grade the submissions of each assignment, after measuring the grader's trials once."""
    on, at_once = (on_a_node(read_slurm(options.hosts)), AT_ONCE) if options.site else ((), options.jobs)
    for file, submissions in assigned.items():
        setup = prepare_grading(file, options.jobs)
        setup.measure(shared(setup.course_plan))  # else all processes would wait for these trials
        outputs.begin(setup.assignment)
        command = [sys.executable, "-m", "lab", "grade", "--out", str(options.out), "--jobs", "1"]
        command += ["--assignment", str(setup.assignment.file), "--"]  # a file's name may begin with a dash
        yield from grade_submissions(submissions, options.out, setup.grader, command, at_once, on)


def grade_prepare(options: Namespace) -> int:
    setup = prepare_grading(find_assignment(options.assignment), options.jobs)
    trials = shared(setup.course_plan)
    setup.measure(trials)
    print(f"{setup.assignment.name}: {len({planned.trial.key for planned in trials})} trials are measured")
    listed = ", ".join(setup.assignment.listed) or "none"
    print(f"the identity here is {identity_of(setup.course_plan).words}; the assignment accepts: {listed}")
    return 0


def shared(plan: Plan) -> list[Planned]:
    """The trials of Verbyte's programs, which are the same for all submissions."""
    return [planned for planned in plan.planned if not planned.series.tool.by_student]


def autograder(options: Namespace) -> int:
    if options.image:
        require_exported(options.image)
    assignment = load_assignment(find_assignment(options.assignment))
    file = options.file or SUBMISSIONS / f"{assignment.name}.autograder.zip"
    count = write_bundle(assignment, options.image, file)
    print(f"{from_here(file)}: {plural(count, 'file')}, to upload to Gradescope")
    return 0


def write_bundle(assignment: Assignment, image: Path | None, file: Path) -> int:
    """Write the zip; return the number of its files."""
    is_apart = assignment.file.parent.resolve() != ASSIGNMENTS  # outside of this checkout's assignments
    places = {str(part.relative_to(ROOT)): part for name in PARTS for part in written_by_people(ROOT / name)}
    places |= {script.name: script for script in SCRIPTS.iterdir()}
    if is_apart:
        texts = [
            assignment.file,
            *files_of(assignment.experiment_file),
            *written_by_people(assignment.experiment_file.with_suffix("")),
            *written_by_people(assignment.file.with_suffix("")),  # the kit, whose texts do not count in a discussion
        ]
        folder = assignment.experiment_file.parent
        places |= {f"{COURSE}/{text.relative_to(folder)}": text for text in texts if text.is_relative_to(folder)}
    if image:
        places[IMAGE] = image
    files = {name: place.read_bytes() for name, place in places.items()}
    files[NAMED] = f"{f'{COURSE}/{assignment.file.name}' if is_apart else assignment.name}\n".encode()
    write_bytes(file, pack(files, {name for name, place in places.items() if os.access(place, os.X_OK)}))
    return len(files)


def written_by_people(place: Path) -> Iterator[Path]:
    """The files that people wrote: no hidden files, links or binaries."""
    if place.is_dir():
        for entry in sorted(place.iterdir()):
            if not entry.name.startswith(".") and not entry.name.endswith(MADE) and not entry.is_symlink():
                yield from written_by_people(entry)
    elif place.is_file() and not place.read_bytes().startswith(ELF):
        yield place
