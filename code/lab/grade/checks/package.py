"""Checks of the submission itself: its files, its sources, its PDF."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.compiler.compilation import BuildRefused
from lab.errors import SpecError
from lab.files.toml import read_whole
from lab.grade.case import Blocked, Case
from lab.grade.finding import Finding, Flaw
from lab.grade.rebuild import firsts
from lab.plan.plan import Planned
from lab.records.compare import TOLERANCE
from lab.records.record import read_facts, read_samples_of
from lab.report.sources import ids_in
from lab.report.text.references import FILE as REFERENCES
from lab.run.checks import counter_name, reported_time_ns
from lab.submission.archive import FORMAT, PAGE, PROGRAMS, RECORDS, about, chain, digests, unpack
from lab.submission.hand_in import binary_names, is_source, own_programs

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


def sources(case: Case) -> Iterator[Finding]:
    """The first repetition of each own series, with either binary."""
    if not firsts(case.setup.plan):
        return
    try:
        pairs = list(zip(firsts(case.own_plan), firsts(case.plan_from_sources), strict=True))
        case.setup.measure(each for pair in pairs for each in pair)
    except BuildRefused as error:
        yield Finding(Flaw.BUILD, str(error))
        return
    except Blocked as error:
        yield Finding(Flaw.SOURCES, str(error))
        return
    for given, built in pairs:
        yield from _differences(case, given, built)


def _differences(case: Case, given: Planned, built: Planned) -> Iterator[Finding]:
    ours = _done(case, built)
    for name, value in _done(case, given).items():
        if abs(value - ours[name]) > TOLERANCE * ours[name]:
            what = f"{name} is {value} with the binary that was handed in, {ours[name]} with that of the sources"
            yield Finding(Flaw.SOURCES, f"{given.series.name}: {what}")


def _done(case: Case, planned: Planned) -> dict[str, int]:
    """The time and the bytes of a trial, by names for people."""
    found = read_facts(case.setup.results, planned.trial.key).measured
    samples = read_samples_of(case.setup.results, planned.trial.key)
    counter = counter_name(planned.series, case.own_plan.site.ends, found.counters_after)
    done = {counter: found.counters_after.get(counter, 0) - found.counters_before.get(counter, 0)}
    for number, step in enumerate(found.steps, 1):
        done[f"the site's time in ns of pair {number}"] = step.clock_ns
    for size in sorted({each.size_bytes for each in samples}):
        printed = reported_time_ns(each for each in samples if each.size_bytes == size)
        done[f"the time in ns that it prints for {size} bytes"] = printed
    return done


def pages(case: Case) -> Iterator[Finding]:
    """Compare the bytes; a grader reads the rebuilt report in any case."""
    if not case.is_as_rebuilt:
        yield Finding(Flaw.OTHER_BYTES, "not the bytes that Verbyte builds: the rebuilt report was graded")
