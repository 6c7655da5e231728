"""The commands that measure: `lab run`, `lab table` and what they print."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.cli import INTERRUPTED
from lab.cli.progress import Progress, estimate_s
from lab.cli.reporting import Reporting
from lab.errors import VerifyError
from lab.files.storage import write_text
from lab.files.store import is_current, keep_stamp
from lab.places import REFERENCE, from_here
from lab.plan.plan import Plan, Planned
from lab.plan.planning import Workshop, most_trials, open_workshop
from lab.records.compare import write_reference
from lab.records.record import find_key, has_record, read_facts, record_folder
from lab.records.recorded import plans_of
from lab.records.table import columns, format_table, make_table, table_stamp
from lab.run.preflight import is_wanted, preflight
from lab.run.run import RunSetup, RunSummary, Watch, damaged, missing, run_trials
from lab.sites.hosts import ANY, choose
from lab.sites.site import Site, open_site

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
    _print_lines(damaged(todo, results))
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
    _print_lines(notes_of_own(todo, results))
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
    _print_lines(found.lines(todo) if found else ())


def _print_lines(lines: Iterable[str]) -> None:
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


def plan(options: Namespace) -> int:
    """Print the trials, how many are done, and an estimate; run nothing."""
    shop = open_shop(options.experiment, options)
    for each in shop.plans:
        print(f"{each.experiment.name}: {each.experiment.title}")
        for line in _series_lines(each, options.results):
            print(f"  {line}")
    todo, done = missing(shop.plans, options.results)
    jobs = shop.site.at_once or options.jobs
    seconds = estimate_s(todo, (each for one in shop.plans for each in one.planned), options.results, jobs)
    print(f"{len(todo) + done} trials, {done} done, {len(todo)} to run: about {seconds:.0f} s with {jobs} at once")
    return 0


def run(options: Namespace) -> int:
    """Run what is missing, then write the tables; with --report, each report as soon as its trials are over."""
    shop = open_shop(options.experiment, options)
    with Reporting(shop, options) as reports:
        summary = run_remaining(shop, options.results, options.jobs, fresh=options.fresh, watch=reports.watch)
        if summary.interrupted:
            reports.stop()
            return say_interrupted(summary)
        for each in shop.plans:
            write_table(each, options.results)
        print(sentence(summary), flush=True)
        status = reports.finish()
    return max(say_failures(summary), status)


def table(options: Namespace) -> int:
    """Write records as CSV."""
    plans = _plans_of_now(options) if options.reference else plans_of(options)
    for each in plans:
        for line in damaged(each.planned, options.results):
            print(line, file=sys.stderr)
        file = write_table(each, options.results, options.out)
        print(f"{from_here(file)}: {_done(each, options.results)} of {len(each.planned)} trials")
    if options.reference:
        _complete(plans, options.results)
        for file, rows in write_reference(plans, options.results, REFERENCE).items():
            print(f"{from_here(file)}: {rows} rows")
    return 0


def show(options: Namespace) -> int:
    """Print one record for people."""
    key = find_key(options.results, options.record)
    facts = read_facts(options.results, key)
    table = facts.table()
    print(from_here(record_folder(options.results, key)))
    for name in (
        "program",
        "operation",
        "measure",
        "repetition",
        "site",
        "link",
        "perturbation",
        "notes",
        "checks",
        "state",
    ):
        print(f"{name:>14}: {table[name]}")
    for step in facts.measured.steps:
        print(f"{'client':>14}: {' '.join(step.client)}")
    return 0


def open_shop(files: Iterable[Path], options: Namespace) -> Workshop:
    """The site that is named, ready, and the plans for it."""
    return open_shop_at(open_site(options.site, options.hosts), files, options)


def open_shop_at(site: Site, files: Iterable[Path], options: Namespace) -> Workshop:
    """The plans for a site."""
    return open_workshop(files, site, _tell, most_trials(options))


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


def _plans_of_now(options: Namespace) -> tuple[Plan, ...]:
    """The plans of a run now: a reference of an earlier build or machine would be stale from the start."""
    named = choose(options.hosts)[0] if options.site == ANY else options.site
    return open_shop_at(open_site(named, options.hosts), options.experiment, options).plans


def write_table(each: Plan, results: Path, folder: Path | None = None) -> Path:
    """Write the table of all records there, unless it is of the same records already: parsing them takes time."""
    file, stamp = (folder or results) / f"{each.experiment.name}.csv", table_stamp(each, results)
    if not is_current(file, stamp):
        rows = make_table(each, results)
        write_text(file, format_table(columns(each, rows), rows))
        keep_stamp(file, stamp)
    return file


def _series_lines(each: Plan, results: Path) -> list[str]:
    lines = []
    for series in each.experiment.series:
        mine = [planned for planned in each.planned if planned.series is series]
        done = sum(has_record(results, planned.trial.key) for planned in mine)
        varied = "".join(f", {name} {len(values)} values" for name, values in series.vary.items())
        sizes = len(mine[0].trial.request.counts)
        what = f"{series.program} {series.operation} {series.measure}, {sizes} sizes{varied}"
        lines.append(f"{series.name:<16} {len(mine):>4} trials, {done:>4} done   {what}")
    return lines


def _done(each: Plan, results: Path) -> int:
    return sum(has_record(results, planned.trial.key) for planned in each.planned)


def _complete(plans: Iterable[Plan], results: Path) -> None:
    """Refuse a reference with gaps: a reader would take it for the whole."""
    todo, _ = missing(plans, results)
    if todo:
        raise VerifyError(f"{len(todo)} trials have no record yet", where=str(results), hint="lab run first")
