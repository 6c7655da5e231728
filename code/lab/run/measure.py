"""Measure one trial: the site runs it, a parser reads the output, the checks judge it, and a record results."""

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

from lab import __version__
from lab.errors import ParseError, SiteError, TrialFailed, plural
from lab.files.storage import refusal
from lab.model.trial import Outcome
from lab.plan.builds import require_kept
from lab.plan.plan import FORMAT, Planned, SiteFacts
from lab.programs.program import Sample
from lab.records.facts import CHECKS, Asked, Assessment, Facts, FirstAsked, Measured, Moment, StepFacts
from lab.records.record import Record
from lab.run.checks import REFUTED, failed_steps, hint, notes, path_of, refuted, unaccounted, unread
from lab.sites.site import Site
from lab.typed_json import JsonTable, as_json

NOTHING_RAN = Outcome((), {}, {}, 0, 0, "", 0.0)
# Parameters that only determine `counts`: two experiments with different values may share a trial.
COUNTED = ("sizes", "iterations", "warmup", "repetitions")


class FailedOutcome(TrialFailed):
    """A trial that ran but failed a check, with its evidence."""

    def __init__(self, what: str, record: Record, evidence: dict[str, str], hint: str = "") -> None:
        super().__init__(what, hint=hint)
        self.record, self.evidence = record, evidence
        self.readable: Outcome | None = None  # if only the reading of a student program's output failed


def measure(planned: Planned, site: Site, facts: SiteFacts, before: Outcome | None = None) -> Record:
    """Return the record of a trial, which may have run before; raise FailedOutcome with the evidence if a check
    fails."""
    if not facts.can_run(planned.series.tool):
        what = f"{planned.series.program} needs an RDMA device at both ends, and this link has none"
        raise TrialFailed(what, hint="lab doctor, or --site exact")
    started, load = datetime.now(UTC), os.getloadavg()
    require_kept(planned.trial.job.overlay)
    outcome = before or _run(site, planned)
    now: JsonTable = {"started": started.isoformat(timespec="seconds"), "load": list(load)}
    return judge(planned, facts, outcome, {**now, "host_seconds": outcome.host_seconds, **outcome.state})


def _run(site: Site, planned: Planned) -> Outcome:
    """Run the job; an error of the host (open files, disk, a lost file) fails the trial with a message."""
    try:
        return site.run(planned.trial.job)
    except OSError as error:
        what, hint = refusal(error)
        raise SiteError(what, where=str(error.filename or site.name), hint=hint) from error


def judge(planned: Planned, site: SiteFacts, outcome: Outcome, state: JsonTable) -> Record:
    """Return the record of an outcome; raise FailedOutcome if a check fails."""
    facts = record_facts(planned, site, outcome, state)
    problems = list(failed_steps(outcome))
    if len(outcome.steps) != len(planned.trial.job.steps):
        problems.append(f"{len(outcome.steps)} of {plural(len(planned.trial.job.steps), 'step')} ran")
    if problems:
        raise _failure(problems, planned, outcome, facts, hint(planned, outcome, problems))
    try:
        reading = planned.series.tool.parse(planned.trial.request, outcome.steps)
    except ParseError as error:
        raise _unread([str(error)], planned, outcome, facts) from error
    if problems := list(refuted(planned, site, outcome, reading.samples, reading.rounded)):
        advice = REFUTED if planned.series.tool.chooses_sizes else hint(planned, outcome, problems)
        raise _unread(problems, planned, outcome, facts, advice)
    assessment = replace(assess(planned, site, outcome, reading.samples, reading.header), checks=CHECKS)
    facts = replace(facts, measured=replace(facts.measured, header=reading.header), assessment=assessment)
    return Record(facts, reading.samples, *_logs(planned, outcome))


def assess(
    planned: Planned, site: SiteFacts, outcome: Outcome, samples: tuple[Sample, ...], header: Mapping[str, str]
) -> Assessment:
    """Judge samples that passed the checks; the grader repeats this."""
    warned = [*notes(planned.series.tool, site.traits, site.ends), *unaccounted(planned, outcome, samples, header)]
    path = path_of(planned, site.ends, outcome, samples)
    return Assessment(__version__, (*warned, *unread(planned, samples)), path=path)


def unfinished(planned: Planned, site: SiteFacts, error: SiteError) -> Record:
    """Return the facts of a trial that the site could not run."""
    facts = record_facts(planned, site, NOTHING_RAN)
    return Record(_failed(facts, str(error)), ())


def facts_of_reference(planned: Planned, site: SiteFacts) -> Facts:
    """Return the facts of a trial that only the reference has: its request and its warnings, nothing measured."""
    facts = record_facts(planned, site, NOTHING_RAN)
    return replace(facts, assessment=replace(facts.assessment, checks=CHECKS))


def _failure(problems: list[str], planned: Planned, outcome: Outcome, facts: Facts, hint: str = "") -> FailedOutcome:
    sentence = "; ".join(problems)
    record = Record(_failed(facts, sentence), (), *_logs(planned, outcome))
    outputs = "".join(step.client_out for step in outcome.steps)
    return FailedOutcome(sentence, record, {"client.out": outputs, "console.log": outcome.console}, hint)


def _unread(problems: list[str], planned: Planned, outcome: Outcome, facts: Facts, hint: str = "") -> FailedOutcome:
    """Return the failure of a trial that ran well; another pattern or unit may read its output."""
    failure = _failure(problems, planned, outcome, facts, hint)
    failure.readable = outcome if planned.series.tool.reading else None
    return failure


def _failed(facts: Facts, sentence: str) -> Facts:
    return replace(facts, assessment=replace(facts.assessment, failed=sentence))


def record_facts(planned: Planned, site: SiteFacts, outcome: Outcome, state: JsonTable | None = None) -> Facts:
    """Return all facts of a trial before the checks; the grader compares them with those of a submission."""
    trial, series, request = planned.trial, planned.series, planned.trial.request
    asked = Asked(
        format=FORMAT,
        program=request.program,
        operation=request.operation,
        measure=request.measure,
        repetition=planned.repetition,
        counts=request.counts,
        options={name: value for name, value in vars(request.parameters).items() if name not in COUNTED},
        programs=trial.programs,
        site=site.name,
        identity=site.identity,
        traits=site.traits,
        ends=site.ends,
        link=trial.job.link,
        perturbation=trial.job.perturbation,
        deadline_s=trial.job.deadline_s,
    )
    measured = Measured(
        tuple(
            StepFacts(
                step.server, step.client, ran.server_status, ran.client_status, ran.clock_start_ns, ran.clock_end_ns
            )
            for step, ran in zip(trial.job.steps, outcome.steps, strict=False)
        ),
        outcome.counters_before,
        outcome.counters_after,
        outcome.clock_start_ns,
        outcome.clock_end_ns,
    )
    before_checks = Assessment(__version__, tuple(notes(series.tool, site.traits, site.ends)))
    first = FirstAsked(series.name, planned.point)
    moment = Moment(first, as_json(series.published), as_json(series.profile(site.name)), state)
    return Facts(trial.key, asked, measured, before_checks, moment)


def _logs(planned: Planned, outcome: Outcome) -> tuple[str, str]:
    """Return the output of both ends, step by step, without samples in Verbyte's CSV, which have a separate file."""
    server = "".join(step.server_out + step.server_err for step in outcome.steps)
    is_log = not planned.series.tool.prints_samples
    return server, "".join((step.client_out if is_log else "") + step.client_err for step in outcome.steps)
