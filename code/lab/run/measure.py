"""One trial from start to end: the site runs it, the parser reads it, the checks judge it, the lab makes a record."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

from lab import __version__
from lab.errors import ParseError, SiteError, TrialFailed
from lab.files.storage import refusal
from lab.model.trial import Outcome, Step, StepOutcome
from lab.plan.builds import require_kept
from lab.plan.plan import FORMAT, Planned, SiteFacts
from lab.programs.program import Sample
from lab.records.facts import CHECKS, Asked, Facts, FirstAsked, Judged, Measured, Moment, StepFacts
from lab.records.record import Record
from lab.run.checks import failed_steps, notes, path_of, refuted, unaccounted, unread
from lab.sites.site import Site
from lab.typed_json import JsonTable, as_json

# These parameters end in `counts`: different values of two experiments may give the same trial.
COUNTED = ("sizes", "iterations", "warmup", "repetitions")


class FailedOutcome(TrialFailed):
    """A trial that ran but failed a check, with its evidence."""

    def __init__(self, what: str, record: Record, evidence: dict[str, str]) -> None:
        super().__init__(what)
        self.record, self.evidence = record, evidence


def measure(planned: Planned, site: Site, facts: SiteFacts) -> Record:
    """The record of a trial, or FailedOutcome with the evidence."""
    if not facts.can_run(planned.series.tool):
        what = f"{planned.series.program} needs an RDMA device at both ends, and this link has none"
        raise TrialFailed(what, hint="lab doctor, or --site exact")
    started, load = datetime.now(UTC), os.getloadavg()
    require_kept(planned.trial.job.overlay)
    outcome = _run(site, planned)
    now: JsonTable = {"started": started.isoformat(timespec="seconds"), "load": list(load)}
    return judge(planned, facts, outcome, {**now, "host_seconds": outcome.host_seconds, **outcome.state})


def _run(site: Site, planned: Planned) -> Outcome:
    """Turns an error of this computer (open files, room, a lost file) into a failed trial with a sentence."""
    try:
        return site.run(planned.trial.job)
    except OSError as error:
        what, hint = refusal(error)
        raise SiteError(what, where=str(error.filename or site.name), hint=hint) from error


def judge(planned: Planned, site: SiteFacts, outcome: Outcome, state: JsonTable) -> Record:
    """The record of an outcome that passes all checks."""
    facts = record_facts(planned, site, outcome, state)
    problems = list(failed_steps(outcome))
    if len(outcome.steps) != len(planned.trial.job.steps):
        problems.append(f"{len(outcome.steps)} of {len(planned.trial.job.steps)} steps ran")
    if problems:
        raise _failure(problems, planned, outcome, facts)
    try:
        reading = planned.series.tool.parse(planned.trial.request, outcome.steps)
    except ParseError as error:
        raise _failure([str(error)], planned, outcome, facts) from error
    if problems := list(refuted(planned, site, outcome, reading.samples)):
        raise _failure(problems, planned, outcome, facts)
    found = replace(judged(planned, site, outcome, reading.samples), checks=CHECKS)
    facts = replace(facts, measured=replace(facts.measured, header=reading.header), judged=found)
    return Record(facts, reading.samples, *_logs(planned, outcome))


def judged(planned: Planned, site: SiteFacts, outcome: Outcome, samples: tuple[Sample, ...]) -> Judged:
    """The verdict on samples that passed the checks; a grader makes it again."""
    warned = [*notes(planned.series.tool, site.traits, site.ends), *unaccounted(planned, outcome, samples)]
    return Judged(__version__, (*warned, *unread(planned, samples)), path=path_of(planned, site.ends, outcome, samples))


def unfinished(planned: Planned, site: SiteFacts, error: SiteError) -> Record:
    """The facts of a trial without an outcome from the site."""
    facts = record_facts(planned, site, Outcome((), {}, {}, 0, 0, "", 0.0))
    return Record(_failed(facts, str(error)), ())


def _failure(problems: list[str], planned: Planned, outcome: Outcome, facts: Facts) -> FailedOutcome:
    sentence = "; ".join(problems)
    record = Record(_failed(facts, sentence), (), *_logs(planned, outcome))
    outputs = "".join(step.client_out for step in outcome.steps)
    return FailedOutcome(sentence, record, {"client.out": outputs, "console.log": outcome.console})


def _failed(facts: Facts, sentence: str) -> Facts:
    return replace(facts, judged=replace(facts.judged, failed=sentence))


def record_facts(planned: Planned, site: SiteFacts, outcome: Outcome, state: JsonTable | None = None) -> Facts:
    """All facts of a trial before the checks; a grader compares them with the facts of a hand-in."""
    tool = planned.series.tool
    before = Judged(__version__, tuple(notes(tool, site.traits, site.ends)))
    moment = _moment(planned, site, state)
    return Facts(planned.trial.key, _asked(planned, site), _measured(planned, outcome), before, moment)


def _asked(planned: Planned, site: SiteFacts) -> Asked:
    trial, request = planned.trial, planned.trial.request
    given = vars(request.parameters)
    return Asked(
        format=FORMAT,
        program=request.program,
        operation=request.operation,
        measure=request.measure,
        repetition=planned.repetition,
        counts=request.counts,
        options={name: value for name, value in given.items() if name not in COUNTED},
        programs=trial.programs,
        site=site.name,
        identity=site.identity,
        traits=site.traits,
        ends=site.ends,
        link=trial.job.link,
        perturbation=trial.job.perturbation,
        deadline_s=trial.job.deadline_s,
    )


def _measured(planned: Planned, outcome: Outcome) -> Measured:
    steps = tuple(_step(*each) for each in zip(planned.trial.job.steps, outcome.steps, strict=False))
    counters = (outcome.counters_before, outcome.counters_after)
    return Measured(steps, *counters, outcome.clock_start_ns, outcome.clock_end_ns)


def _moment(planned: Planned, site: SiteFacts, state: JsonTable | None) -> Moment:
    series = planned.series
    asked = FirstAsked(series.name, planned.point)
    return Moment(asked, as_json(series.published), as_json(series.profile(site.name)), state)


def _step(step: Step, left: StepOutcome) -> StepFacts:
    statuses = (left.server_status, left.client_status)
    return StepFacts(step.server, step.client, *statuses, left.clock_start_ns, left.clock_end_ns)


def _logs(planned: Planned, outcome: Outcome) -> tuple[str, str]:
    """The output of both ends, step by step; samples in the lab's CSV have a file of their own."""
    server = "".join(step.server_out + step.server_err for step in outcome.steps)
    tables = not planned.series.tool.prints_samples
    return server, "".join((step.client_out if tables else "") + step.client_err for step in outcome.steps)
