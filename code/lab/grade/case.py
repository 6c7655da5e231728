"""One submission and the grader's records of the same trials; each part is made when a check first needs it."""

import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from lab.errors import LabError, RecordError, SiteError, SiteStopped, TrialFailed, plural
from lab.experiment.experiment import Experiment
from lab.grade import rebuild
from lab.grade.consistency import record_findings
from lab.grade.finding import Fault, Finding, Flaw, of_record
from lab.grade.witness.claims import watched
from lab.machine.qemu import MachineError
from lab.model.trial import NS_PER_S, Job, Outcome
from lab.plan.plan import Plan, Planned, SiteFacts, binaries, make_plan
from lab.records.facts import read_site
from lab.records.record import RECORD, Record, canonical_text, has_record, open_record, record_folder, write_record
from lab.report.evidence.evidence import Evidence, describe, gather
from lab.report.query.numbers import Numbers
from lab.report.text.check import Checked, Writing, check
from lab.report.text.latex import LONGEST
from lab.report.text.references import FILE as REFERENCES
from lab.run.measure import FailedOutcome
from lab.run.run import LOCK_POLL_S, RunSetup, Watch, damaged, failed_trial, missing, run_trials, trial_lock
from lab.sites.site import Logged, Site, Witness
from lab.submission import archive
from lab.submission.archive import PROGRAMS, RECORDS, Page, Submission, SubmissionError
from lab.submission.assignment import Assignment, TaskStep
from lab.submission.discussion import Counted, count
from lab.submission.hand_in import Identity, identity_of, student_programs

DISCUSSION = "discussion.tex"
ANOTHER_IDENTITY = (
    "ANOTHER IDENTITY: measured on {}, which the assignment does not accept (it differs in {}): "
    "no points for rerun unless a person gives them"
)
MOST_RESULTS = 1000  # of one check
NOBODY = b'authors = ["Not shown"]\nids = ["-"]\ncourse = "Not shown"\n'
_ID = re.compile(rb"/ID \[<[0-9a-f]{32}><[0-9a-f]{32}>\]")  # as qpdf writes it
_Owner = TypeVar("_Owner")
_Value = TypeVar("_Value")
_Item = TypeVar("_Item")


class Blocked(LabError):
    """A check cannot start because of another check's finding."""


class Metered:
    """A site that limits the time of one student's programs in all checks together, by the site's clock; thread-safe.

    A busy host costs no points: a busy second of the exact machine takes 3 to 8 CPU seconds."""

    def __init__(self, site: Any, seconds: int) -> None:
        self._site, self._seconds, self._left_ns, self._lock = site, seconds, seconds * NS_PER_S, threading.Lock()

    def __getattr__(self, name: str) -> Any:
        part = getattr(self._site, name)
        return partial(self._charged, part) if name in ("run", "run_watched") else part

    def _charged(self, run: Callable[..., Outcome], job: Job, *logs: Path) -> Outcome:
        if not job.untrusted:
            return run(job, *logs)
        if self._left_ns <= 0:
            raise TrialFailed(f"the submission's programs ran for more than {self._seconds} s, in all checks together")
        try:
            outcome = run(job, *logs)
        except SiteStopped:
            raise
        except MachineError as error:  # nothing else ran in this machine
            self._spend(job.deadline_s * NS_PER_S)
            raise TrialFailed(f"the submission's programs broke the machine: {error.what}") from error
        self._spend(outcome.clock_end_ns - outcome.clock_start_ns)
        return outcome

    def _spend(self, time_ns: int) -> None:
        with self._lock:
            self._left_ns -= time_ns


@dataclass(frozen=True)
class GradingSetup:
    assignment: Assignment
    site: Site
    course_plan: Plan  # the assignment's experiment on the grader's site, with the course's programs
    results: Path
    templates: Path
    cache: Path
    jobs: int
    watch: Watch
    grader: str = ""  # digest of the grader; submissions are graded again when it changes
    handed_out: frozenset[str] = frozenset()  # fingerprints of sentences that do not count
    is_preview: bool = False  # by a student, of a draft

    @property
    def witness(self) -> Witness | None:
        """The site, if it logs the link's frames."""
        return cast(Witness, self.site) if hasattr(self.site, "run_watched") else None

    def measure(self, trials: Iterable[Planned]) -> None:
        """Run those of the trials that the grader has no record of."""
        todo, _ = missing([replace(self.course_plan, planned=tuple(trials))], self.results)
        for line in damaged(todo, self.results):
            print(line, file=sys.stderr)
        numbers = iter(range(1, len(todo) + 1))

        def watch(result: str, planned: Planned) -> None:
            self.watch(f"{result} ({next(numbers)} of {len(todo)})", planned)

        summary = run_trials(RunSetup(self.site, self.course_plan.site, self.results), todo, self.jobs, watch)
        if summary.failed:
            by_student = all(planned.series.tool.by_student for planned, _ in summary.failed)
            raise (Blocked if by_student else SiteError)(_failed_here(summary.failed))


def _failed_here(failed: Sequence[tuple[Planned, str]]) -> str:
    first, reason = failed[0]
    return f"{plural(len(failed), 'trial')} failed here, first {describe(first)}: {reason}"


def cached_or_error(make: Callable[[_Owner], _Value]) -> cached_property[_Value]:
    """Cache a property or its error: work that fails or hangs is not repeated for every check."""

    def once(case: _Owner) -> _Value:
        errors = vars(case).setdefault("cached_errors", {})
        if make.__name__ in errors:
            raise errors[make.__name__]
        try:
            return make(case)
        except LabError as error:
            errors[make.__name__] = error
            raise

    return cached_property(once)


def _keep(results: Path, record: Record) -> None:
    """Write a record unless the same one is there; wait while another process writes it."""
    while True:
        with trial_lock(results, record.key) as is_locked:
            if is_locked:
                if not has_record(results, record.key) or open_record(results, record.key).samples() != record.samples:
                    write_record(results, record)
                return
        time.sleep(LOCK_POLL_S)


class SubmissionFile:
    """A submitted file or folder, opened at most once."""

    def __init__(self, place: Path) -> None:
        self.place = place

    @cached_or_error
    def submission(self) -> Submission:
        return archive.open_submission(self.place)

    @cached_or_error
    def page(self) -> Page:
        return archive.read_page(self.submission.files, str(self.place))


class Case:
    """One submission and the grader's records of the same trials; the folder is for this grading alone.

    `claimed` parts come from the submission, `grader` parts are measured on the grader's site, `rebuilt` parts are
    made here from the submitted sources, records and texts."""

    def __init__(self, setup: GradingSetup, hand_in: SubmissionFile, folder: Path) -> None:
        metered = Metered(setup.site, setup.assignment.asked.seconds)
        self.setup, self.hand_in, self.place = replace(setup, site=cast(Site, metered)), hand_in, hand_in.place
        self.folder, self.results = folder, folder / "results"
        self.made_results = dict[object, tuple[Any, ...]]()  # of the checks
        self.lock, self.watched = threading.Lock(), dict[str, Future[list[Fault]]]()  # by the key of a trial

    def made(self, check: Callable[["Case"], Iterable[_Item]]) -> tuple[_Item, ...]:
        """The results of a check, made once: other parts of the grade use them, too."""
        if check not in self.made_results:
            self.made_results[check] = tuple(islice(check(self), MOST_RESULTS))
        return self.made_results[check]

    def measure(self, trials: Iterable[Planned], *, steps_may_fail: bool = False) -> None:
        """Make the grader's records of trials. Those of the student's programs run for each submission, watched where
        the site logs the link; other records are kept for all submissions."""
        logged, others = list[Planned](), list[Planned]()
        for planned in trials:
            (logged if self._is_watched(planned) else others).append(planned)
        faults = zip(logged, self.each(self.faults, logged), strict=True)
        failed = [(planned, what) for planned, of_trial in faults for kind, what in of_trial if kind is Flaw.FAILS]
        if failed := [each for each in failed if not (steps_may_fail and self._step_of(each[0]))]:
            raise Blocked(_failed_here(failed))
        self.setup.measure(others)

    def _is_watched(self, planned: Planned) -> bool:
        """Whether the link's log can refute a trial. Of several computers, only a step tells what they must send."""
        tool = planned.series.tool
        return bool(tool.by_student and self.setup.witness and (not tool.together or self._step_of(planned)))

    def each(self, work: Callable[[_Item], _Value], items: Iterable[_Item]) -> list[_Value]:
        """The results for all items, some at once. No further item begins after a missed deadline; Ctrl-C and SIGTERM
        also end those that run."""
        with ThreadPoolExecutor(self.setup.jobs) as pool:
            try:
                futures = [pool.submit(work, item) for item in items]
                return [future.result() for future in futures]
            except BaseException as error:
                pool.shutdown(wait=False, cancel_futures=True)
                if not isinstance(error, Exception):
                    self.setup.site.stop()
                raise

    def faults(self, planned: Planned) -> list[Fault]:
        """What the link refutes of a trial of the student's programs, by the log of the run that became the grader's
        record, or the reason why it failed. It runs once for all checks."""
        mine: Future[list[Fault]] = Future()
        with self.lock:
            first = self.watched.setdefault(planned.trial.key, mine)
        if first is mine:
            try:
                mine.set_result(self._watch(planned))
            except BaseException as error:
                mine.set_exception(error)
                raise
        return first.result()

    def _watch(self, planned: Planned) -> list[Fault]:
        try:
            record, faults = self.watch(planned)
        except TrialFailed as error:
            failure = failed_trial(self.setup.results, error) if isinstance(error, FailedOutcome) else error
            return [(Flaw.FAILS, str(failure))]
        _keep(self.setup.results, record)
        return faults

    def watch(self, planned: Planned, step: TaskStep | None = None) -> tuple[Record, list[Fault]]:
        """Measure a trial, watched; its record is not kept."""
        if self.setup.witness is None:
            raise Blocked("steps need a site that logs the link", hint='site = "exact"')
        if planned.series.tool.together:
            step = step or self._step_of(planned)
        with tempfile.TemporaryDirectory() as folder:
            logged = Logged(self.setup.witness, Path(folder))
            return watched(planned, logged, self.setup.course_plan.site, step)

    def _step_of(self, planned: Planned) -> TaskStep | None:
        return next((step for step in self.setup.assignment.steps if step.series == planned.series.name), None)

    @property
    def submission(self) -> Submission:
        return self.hand_in.submission

    @property
    def page(self) -> Page:
        return self.hand_in.page

    def file(self, name: str) -> bytes:
        """An attachment, or an error that names the check in charge."""
        if name not in self.submission.files:
            raise Blocked(f"{name} is missing", hint="see the check of the package")
        return self.submission.files[name]

    @cached_or_error
    def records(self) -> frozenset[str]:
        """The keys of the submitted records; unpacks them."""
        return rebuild.unpack_records(self.file(RECORDS), self.results, rebuild.most_rows(self.setup.course_plan))

    @cached_or_error
    def claimed_site(self) -> SiteFacts:
        """The student's site as the submission names it; the keys of its records must confirm it."""
        keys = sorted(self.records)
        if not keys:
            raise Blocked("none of the records can be read", hint="see the check of the records")
        record = open_record(self.results, keys[0]).document()
        try:
            identity = json.loads(self.file("identity.json"))
            return read_site({**record, "site": identity.pop("site"), "identity": identity})
        except (RecordError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise SubmissionError(f"identity.json and the records name no site: {error!r:.200}") from error

    @cached_or_error
    def claimed_plan(self) -> Plan:
        """The assignment's experiment on the student's site, with the programs that the records name."""
        experiment = self.setup.course_plan.experiment
        digests = dict.fromkeys(binaries([experiment]), "")
        for key in sorted(self.records):
            programs = open_record(self.results, key).document().get("programs")
            if isinstance(programs, dict):
                digests |= {file: str(programs[file.name]) for file in digests if file.name in programs}
        return make_plan(experiment, self.claimed_site, digests)

    @cached_or_error
    def grader_plan(self) -> Plan:
        plan = self.setup.course_plan
        return self._with(rebuild.keep_programs, "programs") if student_programs(plan.experiment) else plan

    @cached_or_error
    def rebuilt_plan(self) -> Plan:
        return self._with(rebuild.build_programs, "built")

    def _with(self, programs: Callable[[bytes, Experiment, Path], dict[Path, str]], folder: str) -> Plan:
        """The course's plan with the digests of submitted programs."""
        plan = self.setup.course_plan
        digests = programs(self.file(PROGRAMS), plan.experiment, self.folder / folder)
        return make_plan(plan.experiment, plan.site, plan.digests | digests)

    @cached_or_error
    def claimed_identity(self) -> Identity:
        return identity_of(self.claimed_plan)

    @property
    def has_grader_identity(self) -> bool:
        return self.claimed_identity == identity_of(self.setup.course_plan)

    @property
    def is_accepted(self) -> bool:
        """Whether the assignment lists the identity of the records."""
        return self.setup.assignment.accepts(self.claimed_identity.digest, here=self.has_grader_identity)

    @property
    def identity_flag(self) -> str:
        differing = self.claimed_identity.differing(identity_of(self.setup.course_plan))
        return ANOTHER_IDENTITY.format(self.claimed_identity.words, differing or "nothing that is known here")

    @property
    def repeats_exactly(self) -> bool:
        """Whether the grader's trials are the student's, on a site where a trial always repeats exactly."""
        claimed = self.claimed_plan
        return claimed.site.traits.is_deterministic and claimed.trials().keys() == self.grader_plan.trials().keys()

    @cached_or_error
    def record_findings(self) -> tuple[Finding, ...]:
        """The faults of the records that show without measuring again."""
        planned = {trial.trial.key: trial for trial in self.claimed_plan.planned}
        steps = self.setup.assignment.step_names
        findings = [
            of_record(Flaw.MISSING_RECORD, key, f"it is missing, of {describe(trial)}")
            for key, trial in planned.items()
            if key not in self.records and (trial.series.name not in steps or record_folder(self.results, key).is_dir())
        ]
        strange, what = sorted(self.records - planned.keys()), "it belongs to no trial of the assignment"
        findings += [of_record(Flaw.STRANGE_RECORD, key, what) for key in strange]
        for key in sorted(self.records & planned.keys()):
            opened = open_record(self.results, key)
            try:
                record, samples = opened.document(), opened.samples()
            except RecordError as error:
                findings.append(of_record(Flaw.ROWS, key, error.what))
                continue
            if (record_folder(self.results, key) / RECORD).read_bytes() != canonical_text(record).encode():
                what = "its text is not in the form that Verbyte writes (duplicate keys, spaces or order)"
                findings.append(of_record(Flaw.RECORD, key, what))
            faults = record_findings(planned[key], self.claimed_plan.site, record, samples)
            findings += [of_record(fault.kind, key, fault.what) for fault in faults]
        return tuple(findings)

    @cached_or_error
    def claimed_evidence(self) -> Evidence:
        """The student's records, if they have no fault."""
        if self.record_findings:
            raise Blocked("the records have faults", hint="see the check of the records")
        return gather(self.claimed_plan, self.results, steps=self.setup.assignment.step_names)

    @cached_or_error
    def grader_evidence(self) -> Evidence:
        """The records of the same trials on the grader's site, which all submissions share."""
        _ = self.submission  # fails before minutes are spent on an unreadable submission
        self.measure(self.grader_plan.planned, steps_may_fail=True)
        return gather(self.grader_plan, self.setup.results, steps=self.setup.assignment.step_names)

    @property
    def basis(self) -> Evidence:
        """The evidence for the report: the student's records, or the grader's if those have a fault."""
        return self.grader_evidence if self.record_findings and self.repeats_exactly else self.claimed_evidence

    @cached_or_error
    def text(self) -> str:
        """The discussion, with a mark in place of bytes that are not UTF-8."""
        return self.file(DISCUSSION).decode(errors="replace")

    @cached_or_error
    def numbers(self) -> Numbers:
        return Numbers(self.basis)

    @cached_or_error
    def checked(self) -> Checked:
        return self._checked(self.numbers)

    @cached_or_error
    def checked_here(self) -> Checked:
        return self._checked(Numbers(self.grader_evidence))

    def _checked(self, numbers: Numbers) -> Checked:
        if len(self.text) > LONGEST:
            raise Blocked(f"{DISCUSSION} has {len(self.text)} characters (at most {LONGEST})")
        return check(Writing(DISCUSSION, self.text), numbers)

    @cached_or_error
    def counted(self) -> Counted:
        return count(self.checked, self.numbers, self.setup.handed_out)

    def _rebuild(self, people: bytes, scratch: Path) -> bytes:
        texts = {"report.toml": people, DISCUSSION: self.file(DISCUSSION)}
        if REFERENCES in self.submission.files:
            texts[REFERENCES] = self.file(REFERENCES)
        return rebuild.rebuild(self.basis, texts, self.setup.templates, self.setup.cache, scratch)

    @cached_or_error
    def rebuilt(self) -> bytes:
        return self._rebuild(self.file("report.toml"), self.folder)

    def anonymous(self) -> bytes:
        """The rebuilt PDF without the authors; a name in the discussion stays there."""
        return self._rebuild(NOBODY, self.folder / "nameless")

    @cached_or_error
    def rebuilt_files(self) -> dict[str, bytes]:
        file = self.folder / "rebuilt.pdf"
        file.write_bytes(self.rebuilt)
        return archive.open_submission(file).files

    @cached_or_error
    def is_as_rebuilt(self) -> bool:
        """Whether the submission has the bytes that Verbyte builds, except for a digest of its first attachments.

        The submitted files are put into the rebuilt PDF first: other checks compare them."""
        more = (archive.PAGE, RECORDS, PROGRAMS)
        built = rebuild.with_files(self.rebuilt, self.rebuilt_files, self.submission.files, more)
        return _ID.sub(b"", self.submission.pdf) == _ID.sub(b"", built)

    @property
    def shown(self) -> bytes | None:
        """The rebuilt report, for a person to read, if a check has built it."""
        return vars(self).get("rebuilt")
