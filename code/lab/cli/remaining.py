"""The trials that have no record yet, as every command runs them: a preflight, a line of progress, a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.cli import INTERRUPTED
from lab.cli.progress import Progress
from lab.plan.plan import Planned
from lab.plan.workshop import Workshop
from lab.records.record import has_record, read_facts
from lab.run.preflight import is_wanted, preflight
from lab.run.run import RunSetup, RunSummary, Watch, damaged, missing, run_trials

SHOWN_FAILURES = 5


def _nobody(_: str, __: Planned) -> None:
    """Do nothing: the default watcher."""


def run_remaining(
    shop: Workshop, results: Path, jobs: int, *, fresh: bool = False, watch: Watch = _nobody
) -> RunSummary:
    """Run them and sum up; the progress line ends whatever happens."""
    todo, done = missing(shop.plans, results, fresh=fresh)
    if not todo:
        return RunSummary(done_before=done)
    _tell(damaged(todo, results))
    if is_wanted(shop.facts.traits, len(todo)):
        _tell_preflight(shop, todo)
    progress = Progress(todo, sys.stderr)

    def watch_too(result: str, planned: Planned) -> None:
        progress.watch(result, planned)
        watch(result, planned)

    try:
        work = RunSetup(shop.site, shop.facts, results, fresh, progress.say)
        summary = run_trials(work, todo, shop.site.at_once or jobs, watch_too)
    finally:
        progress.close()
    summary.done_before = done
    _tell(notes_of_own(todo, results))
    return summary


def notes_of_own(measured: Iterable[Planned], results: Path) -> Iterator[str]:
    """The warnings in the records of own programs; a report prints those of other programs."""
    for each in measured:
        if each.series.tool.build and has_record(results, each.trial.key):
            for note in read_facts(results, each.trial.key).judged.notes:
                yield f"note: {each.series.name} repetition {each.repetition}: {note}"


def _tell_preflight(shop: Workshop, todo: list[Planned]) -> None:
    """Say what a preflight finds before a long run on a wall clock."""
    found = preflight(shop.site, shop.facts, todo)
    _tell(found.lines(todo) if found else ())


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)


def sentence(summary: RunSummary) -> str:
    """How many trials ended how."""
    others = f", {summary.by_others} measured by another run" if summary.by_others else ""
    return (
        f"{summary.measured} trials measured, {summary.done_before} done before{others}, {len(summary.failed)} failed"
    )


def say_failures(summary: RunSummary) -> int:
    """Name the first failed trials; the exit status: 1 if there is any."""
    for planned, said in summary.failed[:SHOWN_FAILURES]:
        varied = "".join(f" {name}={value}" for name, value in planned.point.items())
        print(f"failed: {planned.series.name}{varied} repetition {planned.repetition}: {said}", file=sys.stderr)
    if len(summary.failed) > SHOWN_FAILURES:
        print(f"and {len(summary.failed) - SHOWN_FAILURES} more", file=sys.stderr)
    return int(bool(summary.failed))


def say_interrupted(summary: RunSummary) -> int:
    """Say what is left and which command goes on; the exit status."""
    again = "lab " + " ".join(sys.argv[1:])
    kept = f"interrupted; every finished record is kept, {summary.left} trials are left"
    print(f"lab: {kept}: {again} goes on", file=sys.stderr)
    return INTERRUPTED
