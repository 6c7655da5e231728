"""`lab kit`: make a kit for a course, try its solution, and make sample submissions."""

import os
import re
import shutil
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path

from markupsafe import Markup

from lab.errors import LabError, RecordError, SpecError, plural, tell
from lab.experiment.experiment import Experiment
from lab.files.bounded import read_typed
from lab.files.storage import write_bytes, write_text
from lab.files.toml import files_of
from lab.grade.commands import graded
from lab.grade.grading import watch
from lab.kit.kit import SOLUTION, Kit, load_kit, new_kit, write_parcel, write_repository
from lab.places import ASSIGNMENTS, CACHE, REFERENCE, SUBMISSIONS, TEMPLATES, exact_version, from_here
from lab.plan.plan import Plan
from lab.plan.planning import open_campaign
from lab.report.build import prepare
from lab.report.evidence.environment import reference_evidence
from lab.report.evidence.evidence import Evidence, gather
from lab.report.html.page import filled
from lab.report.query.numbers import Numbers
from lab.report.sources import Sources
from lab.report.tex.numbers import show, show_exactly, significant
from lab.report.text.backing import Surroundings
from lab.report.text.latex import blank
from lab.report.text.macros import macros_of, sentences
from lab.report.text.typed import typed_numbers
from lab.run.run import RunSetup, missing, run_trials
from lab.sites.site import open_site
from lab.submission.hand_in import Work, hand_in
from lab.web import body

DIGITS = 3  # of a number in a hand-out, which states what to expect
_CODE = re.compile(r"`[^`]*`")
_PERCENT = re.compile(r"(?<!\\)%")
PAGE, TERMS = "handout.html", "handout.md"
RULES = ASSIGNMENTS / "honest_work.txt"  # of a course, for all its kits


def handout(kit: Kit, rules: Path = RULES, reference: Path = REFERENCE) -> str:
    """The whole page; the same kit and the same reference give the same bytes."""
    typed = read_typed(kit.handout)
    numbered = with_numbers(typed, kit.experiment, kit.handout, reference)
    about = {"kit": kit, "cell": lambda text: escape(text, quote=False).replace("|", "\\|")}
    asked = filled(TEMPLATES, TERMS, about, autoescape=False, lstrip_blocks=True)
    page = body("\n\n".join((numbered, asked, "## Honest work", read_typed(rules))), kit.handout, {})
    values = {"title": page.title, "body": Markup(page.html), "version": exact_version()}
    return filled(TEMPLATES, PAGE, {**values, "has_numbers": numbered != typed}, lstrip_blocks=True) + "\n"


def with_numbers(text: str, experiment: Experiment, file: Path, folder: Path = REFERENCE) -> str:
    r"""Answer each \claim of the text; raise for one without an answer, and for a typed measured number."""
    text = _PERCENT.sub(r"\\%", text)  # in a discussion it begins a comment, here it does not
    read = blank(text, _CODE)
    claims = [use for use in macros_of(read) if use.kind == "claim"]
    has_table = (folder / f"{experiment.name}.csv").exists()
    numbers = Numbers(reference_evidence(experiment, folder)) if claims or has_table else None
    name = str(file)
    typed = (
        Surroundings(read, numbers).measured_numbers_typed(name)
        if numbers
        else typed_numbers(read, name, (), lambda *_: "")
    )
    for fault in typed:
        raise SpecError(fault.what, file=file, line=fault.line, hint=fault.hint)
    for use in reversed(claims):
        try:
            answer = _shown(numbers, use.body) if numbers else ""
        except LabError as error:
            line = text.count("\n", 0, use.start) + 1
            raise SpecError(f"{use.body!r}: {error.what}", file=file, line=line, hint=error.hint) from error
        text = text[: use.start] + answer + text[use.end :]
    return text.replace(r"\%", "%")


def _shown(numbers: Numbers, query: str) -> str:
    value = numbers.ask(query)
    number, unit = value.shown.value, value.shown_unit
    shown = show_exactly(number, unit) if value.is_exact else show(number, unit, significant(number, DIGITS))
    return shown.plain


DEPTH = 2  # folders of an experiment that are copied with it
ALL = "all"  # tries all kits
PEOPLE = 'authors = ["{0}"]\nids = ["{0}"]\ncourse = "A sample"\n'


def kit(options: Namespace) -> int:
    """Begin a new kit, make a kit's parcel, grade its reference solution, or make a class of sample submissions."""
    actions = {"new": _new, "make": _make, "try": _try, "sample": _sample}
    return actions[options.action](options)


def _new(options: Namespace) -> int:
    for file in new_kit(options.kit, options.experiment, ASSIGNMENTS):
        print(from_here(file))
    return 0


def _make(options: Namespace) -> int:
    """Write the parcel as a zip or as a repository, and the page by itself for a course's site."""
    kit, folder = load_kit(options.kit), options.out or SUBMISSIONS
    page, parcel = folder / f"{kit.name}.handout.html", folder / f"{kit.name}.kit.zip"
    text = handout(kit)
    if options.template:
        parcel = folder / f"{kit.name}.template"
        count = write_repository(kit, text, parcel)
    else:
        count = write_parcel(kit, text, parcel)
    write_text(page, text)
    print(from_here(page))
    print(f"{from_here(parcel)}: {plural(count, 'file')}, to give to students")
    return 0


def _try(options: Namespace) -> int:
    """Submit and grade the reference solution; 0 if it has all points."""
    names = [file.stem for file in sorted(ASSIGNMENTS.glob("*.toml"))] if options.kit == ALL else [options.kit]
    status = 0
    for kit in map(load_kit, names):
        with scratch() as folder:
            solved = solve(kit, options.results, options.jobs, Path(folder))
            file = solved.handed_in("solution", solved.discussion, Path(folder) / "submission")
            grading = Namespace(**vars(options) | {"assignment": kit.assignment.named, "out": options.grades})
            status = max(status, graded(grading, file, (), is_solution=True))
    return status


def _sample(options: Namespace) -> int:
    if options.out is None:
        raise SpecError("a sample needs a folder to be written to", hint="--out submissions")
    kit = load_kit(options.kit)
    with scratch() as folder:
        solved = solve(kit, options.results, options.jobs, Path(folder))
        for file in sample(solved, options.count, options.out):
            print(from_here(file), flush=True)
    return 0


def scratch() -> tempfile.TemporaryDirectory[str]:
    (CACHE / "kit").mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(dir=CACHE / "kit", prefix="solution-")


@dataclass(frozen=True)
class Solved:
    """The reference solution in a temporary folder, measured."""

    kit: Kit
    plan: Plan
    results: Path

    @property
    def sources(self) -> Sources:
        return Sources(self.plan.experiment.file, TEMPLATES)

    def handed_in(self, person: str, discussion: str, folder: Path) -> Path:
        self.sources.people.write_text(PEOPLE.format(person))
        self.sources.discussion.write_text(discussion)
        report = self.sources.experiment.with_suffix(".pdf")
        report.write_bytes(prepare(self.sources, self.evidence, CACHE / "report").typeset())
        return hand_in(Work(self.kit.assignment, self.plan, self.results, report, ()), folder, ())

    @cached_property
    def evidence(self) -> Evidence:
        return gather(self.plan, self.results)

    @property
    def discussion(self) -> str:
        return self.sources.discussion.read_text()


def solve(kit: Kit, results: Path, jobs: int, folder: Path) -> Solved:
    """Measure the reference solution; a trial with a record is not run again."""
    if not kit.solution():
        raise SpecError("the kit has no solution", file=kit.folder / SOLUTION, hint="docs/instructor.md, section 2")
    campaign = open_campaign([laid_out(kit, folder)], open_site(kit.assignment.site), tell)
    (plan,) = campaign.plans
    todo, _ = missing([plan], results)
    setup = RunSetup(campaign.site, campaign.facts, results)
    summary = run_trials(setup, todo, campaign.site.at_once or jobs, watch)
    if summary.failed:
        what = f"{plural(len(summary.failed), 'trial')} of the solution failed, first: {summary.failed[0][1]}"
        raise RecordError(what, where=kit.name)
    return Solved(kit, plan, results)


def laid_out(kit: Kit, folder: Path) -> Path:
    """Copy the experiment with its programs, then the solution's files over them; return its file. The copy is as deep
    as the experiment, since a program's folder may be outside of the experiment's."""
    file = kit.experiment.file
    folder = folder.joinpath(*file.parent.parts[-DEPTH:])
    for build in {series.tool.build for series in kit.experiment.series if series.tool.build}:
        shutil.copytree(build.folder, folder / os.path.relpath(build.folder, file.parent), dirs_exist_ok=True)
    # A claim names the file that has its value, so included files are copied, too.
    copies = {typed.relative_to(file.parent): typed.read_bytes() for typed in files_of(file)} | kit.solution()
    for path, content in copies.items():
        write_bytes(folder / path, content)
    return folder / file.name


def sample(solved: Solved, count: int, folder: Path) -> Iterator[Path]:
    """Write a number of submissions. Each leaves out another sentence, and one of five all but the first, so that
    grades differ. Every sentence names its person, since sentences of a solution do not count."""
    texts = [sentence.text for sentence in sentences(solved.discussion)]
    for number in range(count):
        person = f"s{number + 1:03}"
        chosen = texts[:1] if number % 5 == 4 else texts[:number] + texts[number + 1 :]
        yield solved.handed_in(person, "".join(f"({person}) {text}\n" for text in chosen), folder)
