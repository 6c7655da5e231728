"""`lab kit`: make a kit for a course, try its solution, and make sample submissions."""

from __future__ import annotations

import shutil
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lab.errors import RecordError, SpecError
from lab.files.toml import files_of
from lab.kit.kit import Kit
from lab.places import ASSIGNMENTS, CACHE, SUBMISSIONS, TEMPLATES, from_here
from lab.plan.plan import Plan, Planned
from lab.plan.planning import open_workshop
from lab.report.build import prepare
from lab.report.evidence.evidence import Evidence, gather
from lab.report.sources import Sources
from lab.report.text.macros import sentences
from lab.run.run import RunSetup, missing, run_trials
from lab.sites.site import open_site
from lab.submission.hand_in import Work, hand_in, own_builds

if TYPE_CHECKING:
    from lab.kit.kit import Kit


PEOPLE = 'authors = ["{0}"]\nids = ["{0}"]\ncourse = "A sample"\n'


@dataclass(frozen=True)
class Solved:
    """The solution in a folder of its own, measured."""

    kit: Kit
    plan: Plan
    results: Path

    @property
    def sources(self) -> Sources:
        return Sources(self.plan.experiment.file, TEMPLATES)

    def handed_in(self, person: str, discussion: str, folder: Path) -> Path:
        """One hand-in of this person with this text."""
        self.sources.people.write_text(PEOPLE.format(person))
        self.sources.discussion.write_text(discussion)
        report = self.sources.experiment.with_suffix(".pdf")
        report.write_bytes(prepare(self.sources, self.evidence, CACHE / "report").typeset())
        return hand_in(Work(self.kit.assignment, self.plan, self.results, report, ()), folder, ())

    @cached_property
    def evidence(self) -> Evidence:
        """Once for all hand-ins."""
        return gather(self.plan, self.results)

    @property
    def discussion(self) -> str:
        return self.sources.discussion.read_text()


def solve(kit: Kit, results: Path, jobs: int, folder: Path) -> Solved:
    """The reference solution; a trial without a record is run."""
    if not kit.solved():
        raise SpecError("the kit has no solution", file=kit.solution, hint="docs/instructor.md, step 1")
    site = open_site(kit.assignment.site)
    shop = open_workshop([laid_out(kit, folder)], site, _tell)
    (plan,) = shop.plans
    todo, _ = missing([plan], results)
    summary = run_trials(RunSetup(shop.site, shop.facts, results), todo, shop.site.at_once or jobs, _watch)
    if summary.interrupted:
        raise KeyboardInterrupt
    if summary.failed:
        what = f"{len(summary.failed)} trials of the solution failed, first: {summary.failed[0][1]}"
        raise RecordError(what, where=kit.name)
    return Solved(kit, plan, results)


def laid_out(kit: Kit, folder: Path) -> Path:
    """The experiment with what it brings along, and the solution's files in their places; its file."""
    file = kit.experiment.file
    for typed in files_of(file):  # a claim names the file that chose its value
        place = folder / typed.relative_to(file.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(typed.read_bytes())
    for each in own_builds(kit.experiment):
        shutil.copytree(each.folder, folder / each.folder.relative_to(file.parent), dirs_exist_ok=True)
    for path, content in kit.solved().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder / file.name


def sample(solved: Solved, count: int, folder: Path) -> Iterator[Path]:
    """So many hand-ins. Each leaves out another sentence, and one of five most of them, so that grades differ. Every
    sentence names its person, since sentences of a solution do not count."""
    found = [sentence.text for sentence in sentences(solved.discussion)]
    for number in range(count):
        person = f"s{number + 1:03}"
        kept = found[:1] if number % 5 == 4 else found[:number] + found[number + 1 :]
        yield solved.handed_in(person, "".join(f"({person}) {text}\n" for text in kept), folder)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one solution."""
    (CACHE / "kit").mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=CACHE / "kit", prefix="solution-")


def _watch(result: str, planned: Planned) -> None:
    print(f"{planned.series.name} repetition {planned.repetition}: {result}", file=sys.stderr)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


ALL = "all"


def kit(options: Namespace) -> int:
    """Make a kit's parcel, begin a new kit, or grade its reference solution."""
    actions = {"new": _new, "make": _make, "try": _try, "sample": _sample}
    return actions[options.action](options)


def _new(options: Namespace) -> int:
    from lab.kit.kit import new_kit

    for file in new_kit(options.kit, options.experiment, ASSIGNMENTS):
        print(from_here(file))
    return 0


def _make(options: Namespace) -> int:
    """The page by itself, too: it can stand on a course's site before the parcel is given out."""
    from lab.files.storage import write_text
    from lab.kit.handout import handout
    from lab.kit.kit import load_kit, write_parcel

    found = load_kit(options.kit)
    folder: Path = options.out or SUBMISSIONS
    page = handout(found)
    write_text(folder / f"{found.name}.handout.html", page)
    count = write_parcel(found, page, folder / f"{found.name}.kit.zip")
    print(from_here(folder / f"{found.name}.handout.html"))
    print(f"{from_here(folder / f'{found.name}.kit.zip')}: {count} files, to give to students")
    return 0


def _try(options: Namespace) -> int:
    """The reference solution, handed in and graded: 0 if it has all points."""
    return max(_tried(found, options) for found in _kits(options.kit))


def _tried(found: Kit, options: Namespace) -> int:
    from lab.grade.commands import graded

    with scratch() as folder:
        solved = solve(found, options.results, options.jobs, Path(folder))
        file = solved.handed_in("solution", solved.discussion, Path(folder) / "hand-in")
        grading = Namespace(**vars(options) | {"assignment": found.assignment.named, "out": options.grades})
        return graded(grading, file, (), is_solution=True)


def _kits(named: str) -> list[Kit]:
    """The one of this name, or all of the lab."""
    from lab.kit.kit import load_kit

    return [load_kit(each.stem) for each in sorted(ASSIGNMENTS.glob("*.toml"))] if named == ALL else [load_kit(named)]


def _sample(options: Namespace) -> int:
    """A folder of hand-ins, to try the grading of a class."""
    from lab.kit.kit import load_kit

    if options.out is None:
        raise SpecError("a sample needs a folder to be written to", hint="--out hand-ins")
    found = load_kit(options.kit)
    with scratch() as folder:
        solved = solve(found, options.results, options.jobs, Path(folder))
        for file in sample(solved, options.count, options.out):
            print(from_here(file), flush=True)
    return 0
