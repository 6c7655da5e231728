"""Hand-ins of the reference solution, made as a student makes one: to try a kit, and to try a whole class."""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lab.errors import RecordError, SpecError
from lab.files.included import files_of
from lab.files.storage import write_text
from lab.kit.kit import Kit
from lab.places import CACHE, REFERENCE, TEMPLATES
from lab.plan.plan import Plan, Planned
from lab.plan.workshop import open_workshop
from lab.report.build import prepare
from lab.report.claims.ledger import make_claims
from lab.report.draft.draft import draft
from lab.report.evidence.evidence import Evidence, gather
from lab.report.sources import Sources
from lab.run.run import RunSetup, missing, run_trials
from lab.sites import open_site
from lab.submission.hand_in import Work, hand_in
from lab.submission.programs import own_builds

PEOPLE = 'authors = ["{0}"]\nids = ["{0}"]\ncourse = "A sample"\n'
HEAD = "% One text that earns all points: what `lab claims --draft` prints. An own one says more about why.\n"


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
        left = self.sources.folder / "latex"
        report.write_bytes(prepare(self.sources, self.evidence, CACHE / "report").typeset(left))
        return hand_in(Work(self.kit.assignment, self.plan, self.results, report, ()), folder, ())

    @cached_property
    def evidence(self) -> Evidence:
        """Once for all hand-ins."""
        return gather(self.plan, self.results)

    @property
    def discussion(self) -> str:
        return self.sources.discussion.read_text()

    def write_discussion(self) -> Path:
        """The kit's solution once more, as these records are."""
        beside = self.sources.experiment.parent
        file = self.kit.solution / self.sources.discussion.relative_to(beside)
        write_text(file, HEAD + of_reference(self.sources.experiment.stem) + draft(self.evidence.once(make_claims)))
        return file


def of_reference(name: str) -> str:
    """The line that says of which reference a solution is: another reference may have other claims."""
    table = REFERENCE / f"{name}.csv"
    return f"% Of results/reference: {hashlib.sha256(table.read_bytes()).hexdigest()[:16]}\n" if table.exists() else ""


def solve(kit: Kit, results: Path, jobs: int, folder: Path) -> Solved:
    """The reference solution, measured."""
    if not kit.solved():
        raise SpecError("the kit holds no solution", file=kit.solution, hint=f"lab kit solve {kit.name}")
    return measured(kit, results, jobs, folder)


def measured(kit: Kit, results: Path, jobs: int, folder: Path) -> Solved:
    """The kit's experiment with what there is of a solution; what has no record yet is run."""
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
    """So many hand-ins. Each leaves out another sentence, and one of five most of them, so that grades differ."""
    lines = [each for each in solved.discussion.splitlines(keepends=True) if not each.startswith("%")]
    for number in range(count):
        kept = lines[:1] if number % 5 == 4 else [each for place, each in enumerate(lines) if place != number]
        yield solved.handed_in(f"s{number + 1:03}", "".join(kept), folder)


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder for one solution."""
    (CACHE / "kit").mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=CACHE / "kit", prefix="solution-")


def _watch(result: str, planned: Planned) -> None:
    print(f"{planned.series.name} repetition {planned.repetition}: {result}", file=sys.stderr)


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
