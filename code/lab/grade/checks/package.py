"""The package is whole: every file is there, unchanged, and for this assignment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.errors import SpecError
from lab.files.included import read_whole
from lab.grade.case import Case
from lab.grade.finding import Finding, Flaw
from lab.report.prose.people import ids_in
from lab.report.tex.references import FILE as REFERENCES
from lab.submission.archive import unpack
from lab.submission.package import FORMAT, PAGE, PROGRAMS, RECORDS, about, chain, digests
from lab.submission.programs import binary_names, is_source, own_programs

LONGEST_ID = 100
TYPED = ("discussion.tex", "report.toml")


def package(case: Case) -> Iterator[Finding]:
    """Check the files, the digests, the chain and the assignment."""
    files, page, experiment = case.submission.files, case.page, case.setup.plan.experiment
    made = ("claims.csv", "manifest.json", "identity.json", "experiment.toml", f"{experiment.name}.csv")
    wanted = {PAGE, RECORDS, *made, *TYPED, *([PROGRAMS] if own_programs(experiment) else [])}
    yield from (Finding(Flaw.MISSING_FILE, f"{name} is missing") for name in sorted(wanted - files.keys()))
    strange = files.keys() - wanted - {REFERENCES, *case.own_data}  # which only some texts need
    yield from (Finding(Flaw.STRANGE_FILE, f"{name} is no part of it") for name in sorted(strange))
    yield from strange_programs(case)
    yield from _digests(case)
    if (page.assignment, page.format) != (case.setup.assignment.name, FORMAT):
        yield Finding(Flaw.ASSIGNMENT, f"it was made for {page.assignment!r}, format {page.format}")
    if page.draft:
        yield Finding(Flaw.DRAFT, f"it is marked as a draft: {page.draft[0]}")
    yield from _experiment(case)
    yield from _person(case)


def strange_programs(case: Case) -> Iterator[Finding]:
    """Binaries and sources of the experiment's programs, and nothing else."""
    experiment = case.setup.plan.experiment
    if not own_programs(experiment) or PROGRAMS not in case.submission.files:
        return
    binaries = set(binary_names(experiment).values())
    for name in sorted(unpack(case.file(PROGRAMS), PROGRAMS).keys() - binaries):
        if not is_source(name, experiment):
            yield Finding(Flaw.STRANGE_FILE, f"{name} in {PROGRAMS} is no part of the programs")


def _digests(case: Case) -> Iterator[Finding]:
    page, found = case.page, digests(case.submission.files)
    for name in sorted(page.files.keys() | found.keys()):
        if page.files.get(name) != found.get(name):
            yield Finding(Flaw.DIGEST, f"{name} is not the file that was handed in: its digest differs")
    if page.chain != chain(page.files, about(page.assignment, page.ids, page.draft)):
        yield Finding(Flaw.CHAIN, "the chain of digests does not hold: the page was changed after it was made")


def _experiment(case: Case) -> Iterator[Finding]:
    given = case.submission.files.get("experiment.toml", b"").decode(errors="replace").splitlines()
    wanted = read_whole(case.setup.plan.experiment.file).text.splitlines()
    pairs = enumerate(zip([*given, ""], [*wanted, ""], strict=False), 1)
    if given != wanted:
        line = next((number for number, (one, other) in pairs if one != other), 0)
        yield Finding(Flaw.EXPERIMENT, f"experiment.toml is not the assignment's: line {line} differs")


def _person(case: Case) -> Iterator[Finding]:
    """The ids of the hand-in must be those on the first page."""
    try:
        ids = ids_in(case.file("report.toml").decode(), Path("report.toml"))
    except (SpecError, UnicodeDecodeError) as error:
        yield Finding(Flaw.PERSON, f"report.toml cannot be read: {error}")
        return
    for each in ids:
        if not each.isprintable() or len(each) > LONGEST_ID:
            yield Finding(Flaw.PERSON, f"an id is no line that a person types: {each!r:.100}")
    if case.page.ids != ids:
        yield Finding(Flaw.PERSON, f"it is handed in by {', '.join(case.page.ids)}, but its report is by {ids!r:.100}")
