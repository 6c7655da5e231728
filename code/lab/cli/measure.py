"""The commands that measure: plan, run, table and show."""

import secrets
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from lab.cli.reporting import Reporting
from lab.errors import LabError, RecordError, plural, tell
from lab.files.storage import write_text
from lab.files.store import is_current, keep_stamp
from lab.places import CACHE, MACHINE, REFERENCE, from_here
from lab.plan.plan import Plan, Planned
from lab.plan.planning import Campaign, experiment_files, find_experiment, most_trials, open_campaign
from lab.programs.program import LINES, ROUNDED
from lab.records.facts import Facts
from lab.records.record import find_key, has_record, open_record, record_folder
from lab.records.recorded import planned_of, plans_of
from lab.records.reference import write_reference
from lab.records.table import columns, format_json_lines, format_table, make_table, table_stamp
from lab.run.checks import early_messages
from lab.run.estimate import TimeEstimate, is_wanted, preflight
from lab.run.run import RunSetup, RunSummary, Watch, damaged, missing, run_trials
from lab.sites.hosts import ANY, choose
from lab.sites.site import Site, open_site

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

QUIET_S = 2.0  # shorter runs print no progress
LINE_EVERY_S = 10.0  # between lines, without a terminal


class Progress:
    """Counts trials; prints how many are left and about how long they will take."""

    def __init__(self, todo: Sequence[Planned], stream: TextIO, estimate: TimeEstimate) -> None:
        self.stream, self.estimate = stream, estimate
        self.total, self.done = len(todo), 0
        self.total_s, self.done_s = estimate.total_s(todo), 0.0  # only their ratio counts
        self.start = self.latest_line = time.monotonic()
        self.first: tuple[float, float] | None = None  # the first trial's end, and its estimate
        self.bar: Bar | None = None

    def watch(self, result: str, planned: Planned) -> None:
        self.done += 1
        self.done_s += self.estimate.trial_s(planned)
        now = time.monotonic()
        self.first = self.first or (now, self.done_s)
        if now - self.start < QUIET_S:
            return
        if self.stream.isatty():
            self._draw()
        elif result == "failed" or now - self.latest_line >= LINE_EVERY_S or self.done == self.total:
            self.latest_line = now
            self.say(f"{self.done} of {plural(self.total, 'trial')}{self._left(now)}; {planned.series.name} {result}")

    def _left(self, now: float) -> str:
        """The estimate of the time left. It leaves out the time before the first trial's end: the site started then."""
        since, before_s = self.first or (now, self.done_s)
        if self.done_s == before_s:
            return ""
        return f", about {(now - since) / (self.done_s - before_s) * (self.total_s - self.done_s):.0f} s left"

    def say(self, line: str) -> None:
        if self.bar is not None:
            self.bar.console.print(line, markup=False, highlight=False)
        else:
            print(line, file=self.stream, flush=True)

    def close(self) -> None:
        """Leave the terminal on an empty line."""
        if self.bar is not None:
            self.bar.stop()

    def _draw(self) -> None:
        if self.bar is None:
            # Imported lazily: a run without a terminal does not pay for it.
            from rich.console import Console
            from rich.progress import Progress as Bar

            self.bar = Bar(
                *Bar.get_default_columns(),
                "{task.completed} of {task.total}",
                console=Console(file=self.stream),
                redirect_stdout=sys.stdout.isatty(),  # else a file would miss what is printed meanwhile
            )
            self.bar.start()
            self.bar.add_task("trials", total=self.total)
        self.bar.update(self.bar.task_ids[0], completed=self.done)


SHOWN_FAILURES = 5
SHOWN_FACTS = ("program", "operation", "measure", "repetition", "site", "link", "perturbation", "notes", "checks")


def plan(options: Namespace) -> int:
    campaign = campaign_of(options.experiment, options)
    for of_experiment in campaign.plans:
        print(f"{of_experiment.experiment.name}: {of_experiment.experiment.title}")
        for series in of_experiment.experiment.series:
            trials = [planned for planned in of_experiment.planned if planned.series is series]
            varied = "".join(f", {name} {plural(len(values), 'value')}" for name, values in series.vary.items())
            sizes = plural(len(trials[0].trial.request.counts), "size")
            counts = f"{series.name:<16} {len(trials):>4} trials, {_done(trials, options.results):>4} done"
            print(f"  {counts}   {series.program} {series.operation} {series.measure}, {sizes}{varied}")
    todo, done = missing(campaign.plans, options.results)
    jobs = campaign.site.at_once or options.jobs
    seconds = TimeEstimate(_trials(campaign), options.results).total_s(todo, jobs)
    counts = f"{plural(len(todo) + done, 'trial')}, {done} done, {len(todo)} to run"
    print(f"{counts}: about {seconds:.0f} s with {jobs} at once")
    return 0


def _done(trials: Iterable[Planned], results: Path) -> int:
    return sum(has_record(results, planned.trial.key) for planned in trials)


def _trials(campaign: Campaign) -> Iterator[Planned]:
    return (planned for plan in campaign.plans for planned in plan.planned)


def run(options: Namespace) -> int:
    """Run the missing trials and write the tables; with --report, each report as soon as its trials are over."""
    campaign = campaign_of(options.experiment, options)
    with Reporting(campaign, options) as reports:
        summary = run_remaining(campaign, options.results, options.jobs, fresh=options.fresh, watch=reports.watch)
        for plan in campaign.plans:
            write_table(plan, options.results)
        others = f", {summary.by_others} measured by another run" if summary.by_others else ""
        counts = f"{plural(summary.measured, 'trial')} measured, {summary.done_before} done before"
        print(f"{counts}{others}, {len(summary.failed)} failed", flush=True)
        status = reports.finish()
    return max(say_failures(summary), status)


def run_remaining(
    campaign: Campaign, results: Path, jobs: int, *, fresh: bool = False, watch: Watch | None = None
) -> RunSummary:
    """Run the trials without a record; the progress line ends whatever happens."""
    todo, done = missing(campaign.plans, results, fresh=fresh)
    if not todo:
        return RunSummary(done_before=done)
    tell(*damaged(todo, results))
    for line in preflight(campaign.site, campaign.facts, todo) if is_wanted(campaign.facts.traits, len(todo)) else ():
        tell(line)
    progress = Progress(todo, sys.stderr, TimeEstimate(_trials(campaign), results))

    def watch_all(result: str, planned: Planned) -> None:
        progress.watch(result, planned)
        if watch:
            watch(result, planned)

    try:
        work = RunSetup(campaign.site, campaign.facts, results, fresh, progress.say)
        summary = run_trials(work, todo, campaign.site.at_once or jobs, watch_all)
    finally:
        progress.close()
    summary.done_before = done
    tell(*_notes_of_student_programs(todo, results))
    return summary


def _notes_of_student_programs(trials: Iterable[Planned], results: Path) -> Iterator[str]:
    """The warnings in the records of student programs; reports have those of other programs."""
    for planned in trials:
        if planned.series.tool.build and has_record(results, planned.trial.key):
            facts = open_record(results, planned.trial.key).facts()
            more = (*_notes_of_output(facts.measured.header or {}), early_messages(facts.measured.grown))
            for note in filter(None, (*facts.assessment.notes, *more)):
                yield f"note: {planned.series.name} repetition {planned.repetition}: {note}"


def _notes_of_output(header: Mapping[str, str]) -> Iterator[str]:
    """What the reader of a student program's output found, in a line for all sizes."""
    for start, words in ((LINES, "several lines, of which the median counts"), (ROUNDED, "few digits were printed")):
        found = {name.removeprefix(start): value for name, value in header.items() if name.startswith(start)}
        values = ", ".join(f"{plural(int(size), 'byte')}: {value}" for size, value in found.items())
        yield from [f"{words} ({values}{' % open' if start == ROUNDED else ' lines'})"] if found else []


def say_failures(summary: RunSummary) -> int:
    """Name the first failed trials; return the exit status, 1 if there is any."""
    for planned, what in summary.failed[:SHOWN_FAILURES]:
        varied = "".join(f" {name}={value}" for name, value in planned.point.items())
        tell(f"failed: {planned.series.name}{varied} repetition {planned.repetition}: {what}")
    if len(summary.failed) > SHOWN_FAILURES:
        tell(f"and {len(summary.failed) - SHOWN_FAILURES} more")
    return int(bool(summary.failed))


def table(options: Namespace) -> int:
    if options.reference:  # the plans of a run now: a reference from an earlier build or VM would be stale
        site = choose(options.hosts)[0] if options.site == ANY else options.site
        plans = campaign_of(options.experiment, options, open_site(site, options.hosts)).plans
    else:
        plans = plans_of(options)
    for plan in plans:
        tell(*damaged(plan.planned, options.results))
        file = write_table(plan, options.results, options.out)
        print(f"{from_here(file)}: {_done(plan.planned, options.results)} of {plural(len(plan.planned), 'trial')}")
        if options.json:
            beside = file.with_suffix(".jsonl")
            write_text(beside, format_json_lines(make_table(plan, options.results)))
            print(from_here(beside))
    if options.reference:
        todo, _ = missing(plans, options.results)
        if todo:  # a reference with gaps would look complete
            what = f"no record yet of {plural(len(todo), 'trial')}"
            raise LabError(what, where=str(options.results), hint="lab run first")
        for file, rows in write_reference(plans, options.results, REFERENCE).items():
            print(f"{from_here(file)}: {plural(rows, 'row')}")
    return 0


def write_table(plan: Plan, results: Path, folder: Path | None = None) -> Path:
    """Write the table of all records, unless the file is current."""
    file, stamp = (folder or results) / f"{plan.experiment.name}.csv", table_stamp(plan, results)
    if not is_current(file, stamp):
        rows = make_table(plan, results)
        write_text(file, format_table(columns(plan, rows), rows))
        keep_stamp(file, stamp)
    return file


def show(options: Namespace) -> int:
    key = find_key(options.results, options.record)
    facts = open_record(options.results, key).facts()
    table = facts.table()
    print(from_here(record_folder(options.results, key)))
    for name in (*SHOWN_FACTS, "state"):
        print(f"{name:>14}: {table[name]}")
    for step in facts.measured.steps:
        print(f"{'client':>14}: {' '.join(step.client)}")
    if options.pcap:
        capture(facts, options.experiment, options.pcap)
    return 0


def capture(facts: Facts, experiment: Path | None, file: Path) -> None:
    """Run the trial of a record again and write the frames of its link. On exact each run has the same frames."""
    from lab.grade.witness.capture import write  # imported lazily: printing a record needs no VM
    from lab.sites.exact import ExactSite

    files = experiment_files() if experiment is None else [find_experiment(experiment)]
    planned = planned_of(facts, files)
    if planned is None:
        hint = f"lab show {facts.key[:8]} --pcap {file} --experiment FILE"
        raise RecordError(f"no experiment plans this trial as its file is now: {facts.key[:8]}", hint=hint)
    site = ExactSite(MACHINE, CACHE)
    site.prepare(tell)
    if (facts.asked.site, facts.asked.identity) != (site.name, site.identity()):
        what = f"frames of a trial on another site or VM: {facts.asked.site} (only today's exact site logs them)"
        raise RecordError(what, hint="lab run EXPERIMENT --site exact, then lab show one of its records")
    if gone := [each.name for each in planned.trial.job.overlay if not each.is_file()]:
        what = f"programs of the trial that are no longer in .cache: {', '.join(gone)}"
        raise RecordError(what, hint="lab run --fresh of its experiment")
    with tempfile.TemporaryDirectory() as folder:
        site.run_watched(planned.trial.job, Path(folder))
        count = write(Path(folder) / "client.pcapng", file)
    print(f"{from_here(file)}: {plural(count, 'frame')} at the client")


def campaign_of(files: Iterable[Path], options: Namespace, site: Site | None = None) -> Campaign:
    """The plans for a site, which is open and ready: by default the one of the options."""
    return open_campaign(files, site or open_site(options.site, options.hosts), tell, most_trials(options))


def chosen_seed(options: Namespace) -> int:
    """The seed of the options, or a random one; it is printed, so that the command can be repeated."""
    seed: int = secrets.randbelow(10**6) if options.seed is None else options.seed
    print(f"seed {seed}; --seed {seed} chooses the same again", flush=True)
    return seed
