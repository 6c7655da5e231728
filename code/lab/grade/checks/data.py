"""Checks of the data: the files of the package, the records, and the same trials measured again."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from statistics import fmean, median
from typing import TypeVar

from lab.analysis.ratios import geometric_mean
from lab.errors import SpecError, plural
from lab.files.toml import read_whole
from lab.grade.case import Blocked, Case
from lab.grade.consistency import FLAWS, header_findings, node_findings
from lab.grade.finding import Finding, Flaw, of_record
from lab.model.sizes import format_size
from lab.records.compare import TOLERANCE, RowPlace, measured, paired
from lab.records.facts import VOLATILE
from lab.records.record import CLIENT_LOG, SERVER_LOG, has_record, open_record, record_folder
from lab.records.table import Row
from lab.report.evidence.curve import margin_of
from lab.report.evidence.evidence import Evidence
from lab.report.pdf import attachments
from lab.report.sources import ids_in
from lab.report.text.references import FILE as REFERENCES
from lab.sites.site import Traits
from lab.submission.archive import FORMAT, PAGE, PROGRAMS, RECORDS, SubmissionError, digests, unpack
from lab.submission.hand_in import NO_OBSTACLE, binary_names, is_source, student_programs

# Measured on three renewals of results/reference that changed the machine or the programs, and not what they measure:
# docs/grading.md, Whose records are graded. Each bound is above all that they showed.
SINGLE = TOLERANCE  # of a median, of a repetition beyond the grader's, of a ratio of two medians
# Of the mean over a series' sizes and points, where single errors cancel; of the ratio of two such means where trials
# repeat. On a wall clock another day may move each of two series as much (lab.report.evidence.curve).
JOINT = TOLERANCE / 2
OUTLIERS = 0.05  # of a series' repetitions
DISTURBED = 0.1  # of them on a wall clock, where another process disturbs one or two
WIDER = 3.0  # times the spread, on average over a series; at one size a single repetition may be elsewhere
LEAST_COPIED = 3  # sizes and points whose repetitions are all equal, where the grader's differ

Means = dict[tuple[str, str], tuple[float, float]]  # by series and column: the ratio, and the allowed deviation from 1
Key = TypeVar("Key")
Item = TypeVar("Item")


@dataclass(frozen=True)
class Quantity:
    place: RowPlace
    claimed: list[int]
    grader: list[int]

    @property
    def ratio(self) -> float:
        return max(median(self.claimed), 1) / max(median(self.grader), 1)

    @property
    def tolerance(self) -> float:
        """The tolerance of the median; if the grader's spread exceeds it, that spread."""
        return max(SINGLE, _spread(self.grader))

    def outside(self) -> list[int]:
        """The claimed values beyond all of the grader's by more than the tolerance."""
        low, high = min(self.grader) * (1 - self.tolerance), max(self.grader) * (1 + self.tolerance)
        return [value for value in self.claimed if not low <= value <= high]

    def __str__(self) -> str:
        return _name(self.place)


def distribution_findings(claimed: Sequence[Row], grader: Sequence[Row], traits: Traits) -> Iterator[Finding]:
    """All differences beyond what chance and another machine of the same kind explain."""
    ours = measured(grader)
    for place in sorted(measured(claimed).keys() ^ ours.keys(), key=lambda place: (place.label, place.column)):
        where = "measured here, but not handed in" if place in ours else "handed in, but not measured here"
        yield Finding(Flaw.ROWS, f"{_name(place)} is {where}")
    quantities = [Quantity(*pair) for pair in paired(claimed, grader)]
    for quantity in quantities:
        if abs(quantity.ratio - 1) > quantity.tolerance:
            what = f"{quantity} is {quantity.ratio:.3f} of what is measured here, allowed is {quantity.tolerance:.0%}"
            yield Finding(Flaw.TOLERANCE, what)
    for series, group in _by(quantities, lambda quantity: quantity.place.series).items():
        yield from _repetitions(series, group, OUTLIERS if traits.is_deterministic else DISTURBED)
        yield from _spreads(series, group, margin_of(traits))
    steady = [quantity for quantity in quantities if quantity.tolerance == SINGLE]
    # On a wall clock nothing may be steady: there, a mean is as uncertain as its values are far apart.
    means = _means(steady if traits.is_deterministic else quantities, traits)
    for (series, column), (mean, allowed) in means.items():
        if abs(mean - 1) > allowed:
            what = f"is {mean:.3f} of what is measured here on average over its sizes, allowed is {allowed:.0%}"
            yield Finding(Flaw.SHIFT, f"{series}: {column} {what}")
    yield from _ratios(steady, means, JOINT if traits.is_deterministic else SINGLE)


def _repetitions(series: str, quantities: list[Quantity], allowed: float) -> Iterator[Finding]:
    outliers = [(quantity, value) for quantity in quantities for value in quantity.outside()]
    count = sum(len(quantity.claimed) for quantity in quantities)
    if len(outliers) > allowed * count:
        quantity, value = outliers[0]
        beyond = f"{len(outliers)} of {count} repetitions are more than {SINGLE:.0%} beyond what is measured here"
        first = f"{value} of {quantity}, here {min(quantity.grader)} to {max(quantity.grader)}"
        yield Finding(Flaw.REPETITION, f"{series}: {beyond}, first {first}")


def _spreads(series: str, quantities: list[Quantity], floor: float) -> Iterator[Finding]:
    """The fault of a spread unlike the grader's; a spread below the floor is luck on either side."""
    mean = geometric_mean([max(_spread(item.claimed), floor) / max(_spread(item.grader), floor) for item in quantities])
    differing = [quantity for quantity in quantities if len(set(quantity.grader)) > 1]
    copied = [quantity for quantity in differing if len(set(quantity.claimed)) == 1]
    if not 1 / WIDER <= mean <= WIDER:
        yield Finding(Flaw.SPREAD, f"{series}: the repetitions spread {mean:.2f} times as far as here")
    elif len(copied) >= max(LEAST_COPIED, len(differing)):
        yield Finding(Flaw.SPREAD, f"{series}: all repetitions are equal, and here they differ")


def _ratios(steady: list[Quantity], means: Means, joint: float) -> Iterator[Finding]:
    """Compare the ratios of series at one size, then on average: a factor on all series changes none of them."""
    for quantities in _by(steady, lambda quantity: (quantity.place.size_bytes, quantity.place.column)).values():
        ordered = sorted(quantities, key=lambda quantity: quantity.ratio)
        low, high = ordered[0], ordered[-1]
        yield from _moved(f"{high} to {low}", high.ratio / low.ratio, SINGLE)
    for column, items in _by(means.items(), lambda item: item[0][1]).items():
        ranked = sorted((mean, series) for (series, _), (mean, _) in items)
        (least, below), (most, above) = ranked[0], ranked[-1]
        allowed = max(joint, *(deviation for _, (_, deviation) in items))
        yield from _moved(f"{above} to {below} on average over their sizes, by {column},", most / least, allowed)


def _moved(names: str, change: float, allowed: float) -> Iterator[Finding]:
    if change > 1 + allowed:
        what = f"the ratio of {names} is {change:.3f} times what it is here, allowed is {allowed:.0%}"
        yield Finding(Flaw.RATIO, what)


def _means(quantities: list[Quantity], traits: Traits) -> Means:
    """The mean ratio and its tolerance, for each column of a series with several sizes or points."""
    means: Means = {}
    for key, group in _by(quantities, lambda quantity: (quantity.place.series, quantity.place.column)).items():
        if len(group) > 1:
            spread = 0.0 if traits.is_deterministic else fmean(_spread(quantity.grader) for quantity in group)
            means[key] = geometric_mean([quantity.ratio for quantity in group]), max(JOINT, spread)
    return means


def _by(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _spread(values: list[int]) -> float:
    """The range over the median, which needs no more than a few repetitions."""
    return (max(values) - min(values)) / max(median(values), 1)


def _name(place: RowPlace) -> str:
    varied = "".join(f" {name}={value}" for name, value in place.point)
    return f"{place.series}{varied} at {format_size(place.size_bytes)} B, {place.column}"


LONGEST_ID = 100
CHANGED = "CHANGED PACKAGE, or another person's: a person decides whether its points count"
TYPED = ("discussion.tex", "report.toml")
NOT_COMPARED = (*VOLATILE, "lab", "options")  # may differ in another measurement; the check `records` has the options


def package(case: Case) -> Iterator[Finding]:
    """Check the files, the digests, the chain, the assignment, the experiment and the people."""
    files, page, experiment = case.submission.files, case.page, case.setup.course_plan.experiment
    made = ("claims.csv", "manifest.json", "identity.json", "experiment.toml", f"{experiment.name}.csv")
    required = {PAGE, RECORDS, *made, *TYPED, *([PROGRAMS] if student_programs(experiment) else [])}
    yield from (Finding(Flaw.MISSING_FILE, f"{name} is missing") for name in sorted(required - files.keys()))
    strange = files.keys() - required - {REFERENCES}  # only some texts need this
    yield from (Finding(Flaw.STRANGE_FILE, f"{name} is not part of it") for name in sorted(strange))
    if student_programs(experiment) and PROGRAMS in files:
        names = unpack(files[PROGRAMS], PROGRAMS).keys() - set(binary_names(experiment).values())
        for name in sorted(name for name in names if not is_source(name, experiment)):
            yield Finding(Flaw.STRANGE_FILE, f"{name} in {PROGRAMS} is not part of the programs")
    actual = digests(files)
    for name in sorted(page.files.keys() | actual.keys()):
        if page.files.get(name) != actual.get(name):
            yield Finding(Flaw.DIGEST, f"{name} is not the file that was handed in: its digest differs")
    if page.chain != page.last_link():
        yield Finding(Flaw.CHAIN, "the chain of digests does not fit: the page was changed after it was made")
    if (page.assignment, page.format) != (case.setup.assignment.name, FORMAT):
        yield Finding(Flaw.ASSIGNMENT, f"it was made for {page.assignment!r}, format {page.format}")
    if page.draft and not (case.setup.is_preview and page.draft == (NO_OBSTACLE,)):
        yield Finding(Flaw.DRAFT, f"it is marked as a draft: {page.draft[0]}")
    handed_in = files.get("experiment.toml", b"").decode(errors="replace").splitlines()
    assigned = read_whole(experiment.file).text.splitlines()
    if handed_in != assigned:
        pairs = enumerate(zip_longest(handed_in, assigned), 1)
        line = next(number for number, (theirs, ours) in pairs if theirs != ours)
        yield Finding(Flaw.EXPERIMENT, f"experiment.toml is not the assignment's: line {line} differs")
    yield from _person(case)


def _person(case: Case) -> Iterator[Finding]:
    try:
        ids = ids_in(case.file("report.toml").decode(), Path("report.toml"))
    except (SpecError, UnicodeDecodeError) as error:
        yield Finding(Flaw.PERSON, f"report.toml cannot be read: {error}")
        return
    for name in ids:
        if not name.isprintable() or len(name) > LONGEST_ID:
            yield Finding(Flaw.PERSON, f"an id must be one line of text: {name!r:.100}")
    if case.page.ids != ids:
        yield Finding(Flaw.PERSON, f"it is handed in by {', '.join(case.page.ids)}, but its report is by {ids!r:.100}")


def records(case: Case) -> Iterator[Finding]:
    """Check each record, then the tables made of them."""
    recorded_as = case.setup.assignment.recorded_as
    if case.claimed_site.name != recorded_as:
        yield Finding(Flaw.SITE, f"it was measured on {case.claimed_site.name}, the assignment requires {recorded_as}")
    yield from case.record_findings
    if case.record_findings and not case.repeats_exactly:
        return
    made = attachments(case.basis, {})
    table = f"{case.basis.plan.experiment.name}.csv"
    for file, kind in {table: Flaw.TABLE, "manifest.json": Flaw.MANIFEST, "identity.json": Flaw.IDENTITY}.items():
        handed_in = case.submission.files.get(file, b"")
        if handed_in != made[file]:
            difference = _first_difference(handed_in, made[file])
            yield Finding(kind, f"{file} is not made of the records: {difference}")


def _first_difference(handed_in: bytes, made: bytes) -> str:
    theirs, ours = handed_in.decode(errors="replace").splitlines(), made.decode().splitlines()
    for number, (line, made_line) in enumerate(zip(theirs, ours, strict=False), 1):
        if line != made_line:
            return f"line {number} is {line[:120]!r}, the records give {made_line[:120]!r}"
    return f"{plural(len(theirs), 'line')}, the records give {len(ours)}"


DOUBTS = (Flaw.PERSON, Flaw.CHAIN, Flaw.DIGEST)


def doubt(case: Case) -> str:
    """A warning that a package may be another person's work, or empty."""
    try:
        finding = next((finding for finding in case.made(package) if finding.kind in DOUBTS), None)
    except SubmissionError as error:
        return f"{CHANGED}: {error}"
    return f"{CHANGED}: {finding.what}" if finding else ""


def rerun(case: Case) -> Iterator[Finding]:
    """Compare the submission with the grader's records; nothing in the submission is trusted."""
    try:
        _ = case.grader_evidence
    except Blocked as error:
        yield Finding(Flaw.NOT_MEASURED, str(error))
        return
    if not case.is_accepted:
        yield Finding(Flaw.OTHER_IDENTITY, case.identity_flag)
    yield from _equal(case) if case.repeats_exactly else _similar(case)


def _of_one_side(case: Case, grader: Evidence) -> Iterator[Finding]:
    """A step's record that is missing without a reason, and one of a program that fails here."""
    for key in sorted(case.grader_plan.trials()):
        is_here = has_record(grader.results, key)
        if is_here and key not in case.records:
            yield of_record(Flaw.MISSING_RECORD, key, "measured here, but not handed in")
        elif not is_here and key in case.records:
            yield of_record(Flaw.NOT_MEASURED, key, "handed in, but its program fails here")


def _equal(case: Case) -> Iterator[Finding]:
    """The same identity on a site that repeats exactly: every fact and sample is equal."""
    grader = case.grader_evidence
    yield from _of_one_side(case, grader)
    for key in sorted(case.records & grader.facts.keys()):
        theirs, ours = open_record(case.results, key).document(), grader.facts[key].table()
        for name in sorted((theirs.keys() | ours.keys()) - set(NOT_COMPARED)):
            if theirs.get(name) != ours.get(name):
                values = " and ".join(json.dumps(table.get(name), sort_keys=True)[:80] for table in (theirs, ours))
                kind = Flaw.CLOCK if name == "steps" else FLAWS.get(name, Flaw.RECORD)
                yield of_record(kind, key, f"{name} differs, handed in and here: {values}")
        if theirs.get("lab") not in (ours["lab"], case.page.lab.partition("+")[0]):
            what = f"it was made by version {theirs.get('lab')!r:.40} of Verbyte"
            yield of_record(Flaw.RECORD, key, f"{what}, the submission by {case.page.lab!r:.40}")
        for name in (SERVER_LOG, CLIENT_LOG):
            logs = [(record_folder(folder, key) / name).read_bytes() for folder in (case.results, grader.results)]
            if logs[0] != logs[1]:
                what = f"{name} is not that of the same trial here: {_first_difference(*logs)}"
                yield of_record(Flaw.RECORD, key, what)
        samples, here = (open_record(folder, key).samples() for folder in (case.results, grader.results))
        differing = [pair for pair in zip(samples, here, strict=False) if pair[0] != pair[1]]
        if differing:
            what = f"{plural(len(differing), 'different sample')}, first {differing[0][0]} and here {differing[0][1]}"
            yield of_record(Flaw.SAMPLE, key, what)
        elif len(samples) != len(here):
            yield of_record(Flaw.SAMPLE, key, f"{plural(len(samples), 'sample')}, here {len(here)}")


def _similar(case: Case) -> Iterator[Finding]:
    """Other programs, another machine or a wall clock: the distributions are alike."""
    grader = case.grader_evidence
    try:
        claimed = case.claimed_evidence
    except Blocked as error:
        yield Finding(Flaw.BLOCKED, str(error))
        return
    traits = grader.plan.site.traits
    yield from distribution_findings(claimed.rows, grader.rows, traits)
    yield from node_findings(claimed, grader)
    if traits.is_deterministic or case.has_grader_identity:
        yield from header_findings(claimed, grader)  # other hardware may grant other values
