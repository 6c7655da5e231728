"""The commands about grading."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from lab.places import SUBMISSIONS, from_here

COMMANDS = ("grade", "preview-grade", "grade-class", "grade-prepare", "autograder")


def grade(options: Namespace) -> int:
    """One hand-in; 0 if it has all points, else 1."""
    return graded(options, options.submission, options.only or ())


def preview_grade(options: Namespace) -> int:
    """A preview of the grade by the public checks, for a hand-in made now."""
    from lab.submission.commands import submitted

    file = submitted(options.assignment, options.results, draft=True)
    return graded(options, file, (), public=True)


def grade_class(options: Namespace) -> int:
    """All hand-ins of a folder; 0 if each has a final grade, whatever it is."""
    from lab.grade.class_outputs import ClassOutputs
    from lab.grade.course import find_submissions, require_one
    from lab.grade.course import grade_class as grade_all
    from lab.grade.setup import prepare_grading

    submissions = find_submissions(options.submissions)
    require_one(submissions)
    setup = prepare_grading(options.assignment, options.jobs, options.hosts if options.site else None)
    setup.measure(setup.plan.planned)  # once, since all processes would wait for it
    command = [sys.executable, "-m", "lab", "grade", "--out", str(options.out), "--jobs", "1"]
    command += ["--assignment", str(setup.assignment.file)]
    on, at_once = _where(options)
    done, outputs = [], ClassOutputs(setup.assignment, options.out)
    try:
        for each in grade_all(
            submissions, options.out, setup.grader, lambda place: [*command, str(place)], at_once, on
        ):
            done.append(each)
            print(f"{each.points:>4}  {each.submission}{f': {each.trouble}' if each.trouble else ''}", flush=True)
            outputs.add(each)
    finally:
        causes = outputs.write()
    for cause, which in causes.items():
        print(f"{len(which):>4} with the fault: {cause}")
    print(f"{from_here(options.out / 'class.html')}: {len(done)} hand-ins")
    return int(any(each.trouble for each in done))


def _where(options: Namespace) -> tuple[tuple[str, ...], int]:
    """The prefix that runs a grading on a cluster, if the user asks for one; and the number of gradings at once."""
    from lab.sites.cluster.queue import on_a_node
    from lab.sites.hosts import read_slurm
    from lab.sites.slurm import AT_ONCE

    return (on_a_node(read_slurm(options.hosts)), AT_ONCE) if options.site else ((), options.jobs)


def grade_prepare(options: Namespace) -> int:
    """Measure the trials that are the same for all hand-ins."""
    from lab.grade.setup import prepare_grading

    setup = prepare_grading(options.assignment, options.jobs)
    setup.measure(setup.plan.planned)
    print(f"{setup.assignment.name}: {len(setup.plan.trials())} trials are measured")
    return 0


def autograder(options: Namespace) -> int:
    """A zip to upload to Gradescope."""
    from lab.grade.autograder import write_bundle
    from lab.machine.exchange import require_exported
    from lab.submission.assignment import find_assignment, load_assignment

    if options.image:
        require_exported(options.image)
    assignment = load_assignment(find_assignment(options.assignment))
    file = options.file or SUBMISSIONS / f"{assignment.name}.autograder.zip"
    print(f"{from_here(file)}: {write_bundle(assignment, options.image, file)} files, to upload to Gradescope")
    return 0


def graded(options: Namespace, place: Path, only: tuple[str, ...], *, public: bool = False) -> int:
    """Grade and print; every attempt has a folder of its own."""
    from lab.grade.attempts import attempts_of, new_attempt
    from lab.grade.case import Case
    from lab.grade.feedback import write_feedback
    from lab.grade.fingerprint import fingerprint, write_fingerprint
    from lab.grade.grading import grade as make_grade
    from lab.grade.outputs import lines, write_grade
    from lab.grade.setup import digest_of, prepare_grading
    from lab.submission.opening import require_kind

    require_kind(place)
    setup = prepare_grading(options.assignment, options.jobs)
    names = [name for name in setup.assignment.points if not only or name in only]
    if public:
        names = [name for name in names if name not in setup.assignment.hidden]
    attempt = new_attempt(attempts_of(options.out, place))
    with tempfile.TemporaryDirectory(prefix="lab-grade-") as folder:
        case = Case(setup, place, Path(folder))
        done = make_grade(case, digest_of(place), names, lambda state: write_grade(state, attempt))
        write_fingerprint(fingerprint(case), attempt)
        write_feedback(done, setup.templates, attempt)
    print("\n".join([*lines(done), f"kept in {from_here(attempt)}"]))
    return int(done.points < done.most or not done.is_final)
