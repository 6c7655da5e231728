"""One hand-in beside the grader's own records; each part is made when it is first asked for."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from lab.errors import LabError, RecordError, SiteError
from lab.grade.consistency import record_findings
from lab.grade.finding import Finding, Flaw, of_record
from lab.grade.metered import Allowance, Metered, MeteredWitness
from lab.grade.rebuild import (
    Texts,
    build_programs,
    keep_programs,
    most_rows,
    rebuild,
    unpack_records,
    with_files,
    with_programs,
)
from lab.plan.plan import Plan, Planned, SiteFacts, binaries, make_plan
from lab.records.facts import read_site
from lab.records.record import read_document, read_samples_of
from lab.report.evidence.evidence import Evidence, describe, gather
from lab.report.pdf import names_made
from lab.report.query.numbers import Numbers
from lab.report.text.check import Checked, Writing, check
from lab.report.text.latex import LONGEST
from lab.report.text.own_figures import files_named
from lab.report.text.references import FILE as REFERENCES
from lab.run.run import RunSetup, Watch, damaged, missing, run_trials
from lab.sites.site import Site, Witness
from lab.submission.archive import (
    PAGE,
    PROGRAMS,
    RECORDS,
    Page,
    Submission,
    SubmissionError,
    open_submission,
    read_page,
)
from lab.submission.assignment import Assignment
from lab.submission.discussion import Counted, count
from lab.submission.hand_in import Identity, identity_of, own_programs

DISCUSSION = "discussion.tex"
_ID = re.compile(rb"/ID \[<[0-9a-f]{32}><[0-9a-f]{32}>\]")  # as qpdf writes it
NOBODY = b'authors = ["Not shown"]\nids = ["-"]\ncourse = "Not shown"\n'


Made = TypeVar("Made")


def kept(make: Callable[[Any], Made]) -> cached_property[Made]:
    """Cache the property and its error: what hangs until its deadline hangs once, although several checks ask."""

    def once(case: object) -> Made:
        errors = vars(case).setdefault("errors_kept", {})
        if make.__name__ in errors:
            raise errors[make.__name__]
        try:
            return make(case)
        except LabError as error:
            errors[make.__name__] = error
            raise

    return cached_property(once)


class Blocked(LabError):
    """A check cannot start because of another check's finding."""


class NotMeasured(SiteError):
    """A trial of the lab's own programs failed here: no fault of the hand-in."""


@dataclass(frozen=True)
class GradingSetup:
    """The grader's assignment, site, plan and folders."""

    assignment: Assignment
    site: Site
    plan: Plan
    results: Path
    templates: Path
    cache: Path
    jobs: int
    watch: Watch
    grader: str = ""  # digest of the grader; another digest makes the grade again
    witness: Witness | None = None  # who sees the link's frames, if anybody does
    handed_out: frozenset[str] = frozenset()  # fingerprints of sentences that do not count

    def metered(self) -> GradingSetup:
        """The same for one hand-in, whose own programs have a common bound of time."""
        allowance = Allowance(self.assignment.asked.seconds)
        witness = MeteredWitness(self.witness, allowance) if self.witness else None
        return replace(self, site=Metered(self.site, allowance), witness=witness)

    def measure(self, planned: Iterable[Planned]) -> None:
        """Run those of the trials without a record of the grader's own."""
        todo, _ = missing([replace(self.plan, planned=tuple(planned))], self.results)
        for line in damaged(todo, self.results):
            print(line, file=sys.stderr)
        summary = run_trials(RunSetup(self.site, self.plan.site, self.results), todo, self.jobs, self.watch)
        if summary.interrupted:
            raise KeyboardInterrupt
        if summary.failed:
            first, sentence = summary.failed[0]
            what = f"{len(summary.failed)} trials failed here, first {describe(first)}: {sentence}"
            raise Blocked(what) if all(each.series.tool.build for each, _ in summary.failed) else NotMeasured(what)


class SubmissionFile:
    """A file or folder that was handed in, opened at most once."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @kept
    def submission(self) -> Submission:
        return open_submission(self.place)

    @kept
    def page(self) -> Page:
        return read_page(self.submission.files, str(self.place))


class Case:
    """One hand-in beside the grader's records; the folder is for this grading alone."""

    def __init__(self, setup: GradingSetup, hand_in: SubmissionFile, folder: Path) -> None:
        self.setup, self.hand_in, self.folder = setup.metered(), hand_in, folder

    @property
    def place(self) -> Path:
        return self.hand_in.place

    @property
    def submission(self) -> Submission:
        return self.hand_in.submission

    @property
    def page(self) -> Page:
        return self.hand_in.page

    @kept
    def records(self) -> frozenset[str]:
        """The keys of the handed-in records, after unpacking them into the folder."""
        return unpack_records(self.file(RECORDS), self.folder / "results", most_rows(self.setup.plan))

    @kept
    def site(self) -> SiteFacts:
        """The student's site as the hand-in names it, to be confirmed by the keys of its records."""
        keys = sorted(self.records)
        if not keys:
            raise Blocked("none of the records can be read", hint="see the check of the records")
        record = read_document(self.folder / "results", keys[0])
        try:
            named = json.loads(self.file("identity.json"))
            return read_site({**record, "site": named.pop("site"), "identity": named})
        except (RecordError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise SubmissionError(f"identity.json and the records name no site: {error!r:.200}") from error

    @kept
    def plan(self) -> Plan:
        """The assignment's experiment as the student's site runs it, with the student's programs."""
        experiment = self.setup.plan.experiment
        digests = dict.fromkeys(binaries([experiment]), "")
        for key in sorted(self.records):
            named = read_document(self.folder / "results", key).get("programs")
            if isinstance(named, dict):
                digests |= {file: str(named[file.name]) for file in digests if file.name in named}
        return make_plan(experiment, self.site, digests)

    @kept
    def identity(self) -> Identity:
        """The identity of the handed-in records."""
        return identity_of(self.plan)

    @kept
    def own_identity(self) -> Identity:
        """The identity of the grader's own records."""
        return identity_of(self.setup.plan)

    @property
    def is_accepted(self) -> bool:
        """Whether the assignment lists the identity of the records."""
        return self.setup.assignment.accepts(self.identity.digest, own=self.identity == self.own_identity)

    @property
    def repeats_exactly(self) -> bool:
        """Whether the grader's trials are the student's, on a site where a trial always repeats exactly."""
        return self.plan.site.traits.repeats and self.plan.trials().keys() == self.own_plan.trials().keys()

    @kept
    def own_plan(self) -> Plan:
        """The grader's plan with the student's own programs, since they are under test."""
        plan = self.setup.plan
        if not own_programs(plan.experiment):
            return plan
        return with_programs(plan, keep_programs(self.file(PROGRAMS), plan.experiment, self.folder / "programs"))

    @kept
    def plan_from_sources(self) -> Plan:
        """The grader's plan with the student's programs built here from their sources."""
        plan = self.setup.plan
        return with_programs(plan, build_programs(self.file(PROGRAMS), plan.experiment, self.folder / "built"))

    @kept
    def record_findings(self) -> tuple[Finding, ...]:
        """The faults of the records by themselves."""
        return tuple(self._record_findings())

    def _record_findings(self) -> list[Finding]:
        wanted = {each.trial.key: each for each in self.plan.planned}
        found = [
            of_record(Flaw.MISSING_RECORD, key, f"it is missing, of {describe(planned)}")
            for key, planned in wanted.items()
            if key not in self.records
        ]
        found += [
            of_record(Flaw.STRANGE_RECORD, key, "it is of no trial of the assignment")
            for key in sorted(self.records - wanted.keys())
        ]
        for key in sorted(self.records & wanted.keys()):
            found += [of_record(each.kind, key, each.what) for each in self._of_record(wanted[key])]
        return found

    def _of_record(self, planned: Planned) -> list[Finding]:
        results, key = self.folder / "results", planned.trial.key
        try:
            record, samples = read_document(results, key), read_samples_of(results, key)
        except RecordError as error:
            return [Finding(Flaw.ROWS, error.what)]
        return list(record_findings(planned, self.plan.site, record, samples))

    @kept
    def handed_in(self) -> Evidence:
        """The evidence of the student's records, if they have no fault."""
        if self.record_findings:
            raise Blocked("the records cannot be believed", hint="see the check of the records")
        return gather(self.plan, self.folder / "results")

    @kept
    def own(self) -> Evidence:
        """The evidence of the same trials on the grader's site; other hand-ins share these records."""
        _ = self.submission  # an unreadable hand-in is not worth the minutes
        self.setup.measure(self.own_plan.planned)
        return gather(self.own_plan, self.setup.results)

    @property
    def basis(self) -> Evidence:
        """The evidence for the report: the student's records, or the grader's own if those have a fault."""
        return self.own if self.record_findings and self.repeats_exactly else self.handed_in

    @kept
    def text(self) -> str:
        """The discussion, with a mark in place of what is no UTF-8."""
        return self.file(DISCUSSION).decode(errors="replace")

    @property
    def writing(self) -> Writing:
        """The same, if it is short enough to be checked."""
        if len(self.text) > LONGEST:
            raise Blocked(f"{DISCUSSION} has {len(self.text)} characters (at most {LONGEST})")
        return Writing(DISCUSSION, self.text)

    @kept
    def numbers(self) -> Numbers:
        """The answers to queries about the basis."""
        return Numbers(self.basis)

    @kept
    def checked(self) -> Checked:
        """The discussion with its evidence."""
        return check(self.writing, self.numbers)

    @kept
    def checked_here(self) -> Checked:
        """The discussion with the evidence of the grader's own records."""
        return check(self.writing, Numbers(self.own))

    @kept
    def counted(self) -> Counted:
        """What counts of the discussion."""
        return count(self.checked, self.numbers, self.setup.handed_out)

    @property
    def references(self) -> bytes | None:
        """What the text cites, where it cites anything."""
        return self.submission.files.get(REFERENCES)

    @property
    def own_data(self) -> dict[str, bytes]:
        """The files of the figures that the text draws itself, as far as they are there."""
        files, made = self.submission.files, names_made(self.setup.plan.experiment.name)
        wanted = files_named(files.get(DISCUSSION, b"").decode(errors="replace"))
        return {name: files[name] for name in wanted if name in files and name not in made}

    @kept
    def rebuilt(self) -> bytes:
        """The PDF from these data and the student's texts."""
        texts = Texts(self.file("report.toml"), self.file(DISCUSSION), self.references, self.own_data)
        return rebuild(self.basis, texts, self.setup.templates, self.setup.cache, self.folder)

    def nameless(self) -> bytes:
        """The same without the authors; a name that a student wrote into the discussion stays there."""
        texts = Texts(NOBODY, self.file(DISCUSSION), self.references, self.own_data)
        scratch = self.folder / "nameless"
        scratch.mkdir()
        return rebuild(self.basis, texts, self.setup.templates, self.setup.cache, scratch)

    @kept
    def rebuilt_files(self) -> dict[str, bytes]:
        """The files inside the rebuilt PDF."""
        file = self.folder / "rebuilt.pdf"
        file.write_bytes(self.rebuilt)
        return open_submission(file).files

    @kept
    def rebuilt_whole(self) -> bytes:
        """The rebuilt PDF with the files of the hand-in inside: other checks compare those."""
        return with_files(self.rebuilt, self.rebuilt_files, self.submission.files, (PAGE, RECORDS, PROGRAMS))

    @property
    def is_as_rebuilt(self) -> bool:
        """Whether the hand-in has the bytes that Verbyte builds, but for a digest of its first attachments."""
        given, made = (_ID.sub(b"", pdf) for pdf in (self.submission.pdf, self.rebuilt_whole))
        return given == made

    @property
    def shown(self) -> bytes | None:
        """The report for a person to read: the grader's own, if one was built."""
        return vars(self).get("rebuilt")

    def file(self, name: str) -> bytes:
        """An attachment, or an error that names the check in charge."""
        if name not in self.submission.files:
            raise Blocked(f"{name} is missing", hint="see the check of the package")
        return self.submission.files[name]
