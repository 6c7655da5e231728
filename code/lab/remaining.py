"""The trials that have no record yet, run as every command runs them: a preflight, a line of progress, a summary."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from lab.plan import Planned
from lab.preflight import is_wanted, preflight
from lab.progress import Progress
from lab.run import Summary, Work, damaged, missing, run_trials
from lab.workshop import Workshop


def run_remaining(shop: Workshop, results: Path, jobs: int, *, fresh: bool = False) -> Summary:
    """What became of them; the line of progress ends whatever happens."""
    todo, done = missing(shop.plans, results, fresh=fresh)
    if not todo:
        return Summary(done_before=done)
    _tell(damaged(todo, results))
    if is_wanted(shop.facts.traits, len(todo)):
        _tell_preflight(shop, todo)
    progress = Progress(len(todo), sys.stderr)
    try:
        work = Work(shop.site, shop.facts, results, fresh)
        summary = run_trials(work, todo, shop.site.at_once or jobs, progress.watch)
    finally:
        progress.close()
    summary.done_before = done
    return summary


def _tell_preflight(shop: Workshop, todo: list[Planned]) -> None:
    """Before a long run by the clock on the wall."""
    found = preflight(shop.site, shop.facts, todo)
    _tell(found.lines(todo) if found else ())


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr)
