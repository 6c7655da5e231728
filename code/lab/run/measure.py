"""One trial from start to end: the site runs it, the parser reads it, the checks judge it, a record is made."""

from __future__ import annotations

import os
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from lab import __version__
from lab.errors import ParseError, SiteError, TrialFailed
from lab.files.storage import refusal
from lab.model.trial import PLAIN, Ends, Outcome, StepOutcome
from lab.plan.binaries import require_kept
from lab.plan.plan import FORMAT, Planned, SiteFacts
from lab.records.record import Record
from lab.run.checks import failed_steps, false_claims, notes, path, unaccounted
from lab.sites import Site

# Parameters that end in `counts`: two experiments may come to the same trial from different ones.
COUNTED = ("sizes", "iterations", "warmup", "repetitions")


# What judge checks of every trial, as its record says it.
PASSED = ("statuses", "samples whole", "bytes counted", "time counted", "rates within the link's")


class FailedOutcome(TrialFailed):
    """A trial that ran and cannot be believed, with what it left."""

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
    state = {"started": started.isoformat(timespec="seconds"), "load": list(load), "host_seconds": outcome.host_seconds}
    state |= outcome.state
    return judge(planned, facts, outcome, state)


def _run(site: Site, planned: Planned) -> Outcome:
    """What this computer refuses a site (open files, room, a file that is gone) fails the trial in words."""
    try:
        return site.run(planned.trial.job)
    except OSError as error:
        what, hint = refusal(error)
        raise SiteError(what, where=str(error.filename or site.name), hint=hint) from error


def judge(planned: Planned, facts: SiteFacts, outcome: Outcome, state: dict[str, Any]) -> Record:
    """The record of an outcome that holds against all checks."""
    request = planned.trial.request
    about = record_facts(planned, facts, outcome) | {"state": state}
    problems = list(failed_steps(outcome))
    if len(outcome.steps) != len(planned.trial.job.steps):
        problems.append(f"{len(outcome.steps)} of {len(planned.trial.job.steps)} steps ran")
    if problems:
        raise _failure(problems, planned, outcome, about)
    try:
        reading = planned.series.tool.parse(request, outcome.steps)
    except ParseError as error:
        raise _failure([str(error)], planned, outcome, about) from error
    if problems := list(false_claims(planned, facts, outcome, reading.samples)):
        raise _failure(problems, planned, outcome, about)
    about["notes"] += unaccounted(planned, outcome, reading.samples)
    about |= {"path": path(facts.ends, outcome, reading.samples)}
    about |= {"header": reading.header, "checks": list(PASSED)}
    return Record(planned.trial.key, about, reading.samples, *_logs(planned, outcome))


def unfinished(planned: Planned, facts: SiteFacts, error: SiteError) -> Record:
    """What is known of a trial of which the site brought nothing back."""
    nothing = Outcome((), {}, {}, 0, 0, "", 0.0)
    return Record(planned.trial.key, record_facts(planned, facts, nothing) | {"failed": str(error)}, ())


def _failure(problems: list[str], planned: Planned, outcome: Outcome, about: dict[str, Any]) -> FailedOutcome:
    sentence = "; ".join(problems)
    record = Record(planned.trial.key, about | {"failed": sentence}, (), *_logs(planned, outcome))
    outputs = "".join(step.client_out for step in outcome.steps)
    return FailedOutcome(sentence, record, {"client.out": outputs, "console.log": outcome.console})


def record_facts(planned: Planned, facts: SiteFacts, outcome: Outcome) -> dict[str, Any]:
    """All that a record says of a trial before it is judged; a grader holds what was handed in against it."""
    trial, series = planned.trial, planned.series
    request = trial.request
    return {
        "format": FORMAT,
        "lab": __version__,
        "key": trial.key,
        "program": request.program,
        "operation": request.operation,
        "measure": request.measure,
        "repetition": planned.repetition,
        "counts": [asdict(each) for each in request.counts],
        "options": {name: value for name, value in request.parameters.as_dict().items() if name not in COUNTED},
        "first_asked_by": {"series": series.name, "point": planned.point},
        "published": series.published.as_dict(),
        "profile": asdict(series.profile(facts.name)),
        "programs": trial.programs,
        "site": facts.name,
        "identity": facts.identity,
        "traits": facts.traits.as_dict(),
        "ends": _ends(facts.ends),
        "link": asdict(trial.job.link),
        "perturbation": asdict(trial.job.perturbation),
        "deadline_s": trial.job.deadline_s,
        "steps": [_step(*each) for each in zip(trial.job.steps, outcome.steps, strict=False)],
        "counters_before": outcome.counters_before,
        "counters_after": outcome.counters_after,
        "clock_start_ns": outcome.clock_start_ns,
        "clock_end_ns": outcome.clock_end_ns,
        "notes": notes(series.tool, facts.traits, facts.ends),
    }


def _ends(ends: Ends) -> dict[str, Any]:
    """The launcher only where it is another than that of the exact machine, whose records stay as they are."""
    return {name: value for name, value in asdict(ends).items() if value != PLAIN}


def _step(step: Any, outcome: StepOutcome) -> dict[str, Any]:
    return {
        "server": step.server,
        "client": step.client,
        "server_status": outcome.server_status,
        "client_status": outcome.client_status,
        "clock_start_ns": outcome.clock_start_ns,
        "clock_end_ns": outcome.clock_end_ns,
    }


def _logs(planned: Planned, outcome: Outcome) -> tuple[str, str]:
    """Everything that both ends said, step by step; samples as the lab's CSV are kept apart."""
    server = "".join(step.server_out + step.server_err for step in outcome.steps)
    tables = not planned.series.tool.prints_samples
    return server, "".join((step.client_out if tables else "") + step.client_err for step in outcome.steps)
