"""`lab adopt`: guess an experiment from a folder of programs, write its file, and run one small trial."""

import re
import tempfile
import tomllib
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

from lab.cli.adopt.folder import Folder
from lab.cli.adopt.guesses import NO_SIZE, SILENT, experiment_of
from lab.cli.adopt.link import Watched
from lab.cli.adopt.outputs import columns, printed_outputs
from lab.cli.adopt.starts import MISUSED, ROW, SAID_NOTHING, Guess, Tried
from lab.cli.adopt.usage import usage_of
from lab.cli.measure import campaign_of, run_remaining, say_failures, write_table
from lab.errors import SpecError, plural
from lab.files.storage import write_text
from lab.machine.results import NAMES
from lab.places import from_here
from lab.plan.plan import Plan
from lab.plan.planning import Campaign
from lab.programs.printed import COLOUR, NONE, RANK, bytes_of
from lab.records.record import record_folder
from lab.records.table import make_table
from lab.run.checks import ENDLESS
from lab.run.run import RunSummary
from lab.sites.site import Site, open_site

CORRECTIONS = 5  # at most: by the failure of a trial, its sizes, the failure with these, and with other commands
NO_RESULT = "no line has a number with its unit: set output, pattern and unit (docs/programs.md, Read the output) in"


def adopt(options: Namespace) -> int:
    """Write the experiment of a folder, run it, and print what was seen and what to change."""
    if not options.folder.is_dir():
        raise SpecError("is not a folder", file=options.folder, hint="lab adopt FOLDER")
    folder = options.folder.resolve()
    file, source, text = folder.with_name(f"{folder.name}.toml"), Folder(folder), ""
    if file.exists():
        print(f"{from_here(file)}: used as it is; remove it to guess again")
    else:
        text, guesses = experiment_of(source)
        write_text(file, text)
        print(f"{from_here(file)}: written, by these guesses:", *map(shown, guesses), sep="\n  ", flush=True)
    with tempfile.TemporaryDirectory() as logs:
        watched = Watched(open_site(options.site, options.hosts), Path(logs)) if text else None
        campaign, summary = run_file(file, options, watched)
        if watched:
            campaign, summary = corrected(file, source, options, text, watched, (campaign, summary))
        seen = tried(campaign, options.results, summary, watched)
    if summary.failed:
        print(f"the trial failed, for the reason below; change {from_here(file)}, then: lab adopt {options.folder}")
        if SILENT in file.read_text() and ROW.search(seen.client):
            say_unread(file, seen)
        return say_failures(summary)
    return show(file, campaign.plans[0], options.results, seen)


def corrected(
    file: Path,
    source: Folder,
    options: Namespace,
    text: str,
    watched: Watched,
    ran: tuple[Campaign, RunSummary],
) -> tuple[Campaign, RunSummary]:
    """Guess again by what each trial showed, until nothing changes; return the last trial."""
    (campaign, summary), failures, usages = ran, "", dict[str, str]()
    refused = tuple[str, ...]()
    for correction in range(CORRECTIONS):
        seen = tried(campaign, options.results, summary, watched)
        # Of all trials, so that no correction is taken back.
        failures += " ".join([seen.failure, *MISUSED.findall(seen.client + seen.server)])
        names = [file.name for file in campaign.plans[0].experiment.series[0].tool.binaries]
        printed = {end: usage_of(getattr(seen, end), *names) for end in NAMES if seen.failure}
        usages = {end: text for end, text in printed.items() if text} | usages
        if (not seen.failure or NONE in seen.failure) and not printed_outputs(seen.client + seen.server):
            failures += f" {SAID_NOTHING}"
        better, _ = experiment_of(source, replace(seen, failure=failures, usages=usages, refused=refused))
        if better == text and summary.failed and not ENDLESS.search(seen.failure):
            refused = (*refused, text)
            better, _ = experiment_of(source, replace(seen, failure=failures, usages=usages, refused=refused))
        is_read = not summary.failed and SILENT not in text
        if better in (text, *refused) or (correction and is_read and not seen.link):
            break
        write_text(file, better)
        changed = [line for line in better.splitlines() if line not in text.splitlines()]
        print(f"{from_here(file)}: written again, by what it printed:", *changed, sep="\n  ", flush=True)
        (campaign, summary), text = run_file(file, options, watched), better
    return campaign, summary


def show(file: Path, plan: Plan, results: Path, printed: Tried) -> int:
    """Print the numbers that were read, and what to do next; without numbers, the last lines of both ends."""
    rows = make_table(plan, results)
    if not rows:
        say_unread(file, printed, "both ends ended without an error, but ")
        return 1
    for row in rows:
        rate = row.counts.get("completed_bytes_per_s") or row.counts.get("confirmed_bytes_per_s", 0)
        trip = row.counts.get("round_trip_ns")
        said = f"{trip / 1000:.3f} us" if trip else f"{rate:,} B/s"
        print(f"  {plural(row.size_bytes, 'byte')}: {said}{carried(printed, row.size_bytes, rate, trip)}")
    if NO_SIZE in file.read_text():
        print(f"  the size is {NO_SIZE}")
    if lines := [*lines_read(file, rows[0].size_bytes, printed)]:
        print("read, with the value in brackets:", *lines[:3], *["..."][: len(lines) - 3], sep="\n  ")
    print(f"measured: {from_here(write_table(plan, results))}; compare it with what the program prints")
    print(f"next: set sizes, iterations and repetitions in {from_here(file)}, then: lab run {from_here(file)} --report")
    return 0


def carried(tried: Tried, size_bytes: int, rate: int, trip_ns: int | None) -> str:
    """What the link carried of a size, and whether a result agrees with it; empty if the log does not tell."""
    pace = tried.link.pace(size_bytes) if tried.link else None
    if not pace:
        return ""
    time_ns, measure = (trip_ns, "latency") if trip_ns else (1e9 * size_bytes / max(rate, 1), "throughput")
    agrees = pace.agrees(time_ns, measure)
    speed = f"{pace.steady_ns / 1000:.3f} us" if trip_ns else f"{1e9 * size_bytes / pace.steady_ns:,.0f} B/s"
    what = f" (the link carried {plural(pace.messages, 'message')}: {speed})"
    return what if agrees else f"{what}, which differs: see the pattern, unit and factor"


def lines_read(file: Path, size_bytes: int, printed: Tried) -> Iterator[str]:
    """The lines about a size that were read, with their values in brackets, below the heading of a table."""
    program, heading = next(iter(tomllib.loads(file.read_text())["programs"].values())), ""
    for line in f"{printed.client}\n{printed.server}".splitlines() if "pattern" in program else ():
        if not (match := re.search(program["pattern"], line)):
            heading = line if len(columns(line)) > 1 else heading
            continue
        groups = match.groupdict()
        if bytes_of(groups.get("size", str(size_bytes)), program.get("size_unit", "B")) == size_bytes:
            if heading and len(columns(heading)) == len(columns(line)):
                yield " ".join(heading.split())
            start, end = match.span("value" if "value" in groups else "total")
            yield " ".join(f"{line[:start]}[{line[start:end]}]{line[end:]}".split())
            heading = ""


def say_unread(file: Path, printed: Tried, before: str = "") -> None:
    last = *printed.client.splitlines()[-3:], *printed.server.splitlines()[-3:]
    print(f"{before}{NO_RESULT} {from_here(file)}; the last lines of both:", *last, sep="\n  ")


def shown(guess: Guess) -> str:
    return f"{guess[0]}  ({guess[1]})"


def run_file(file: Path, options: Namespace, watched: Watched | None) -> tuple[Campaign, RunSummary]:
    """Run what is missing; what is to be watched runs again, unless only its reading has changed."""
    campaign = campaign_of([file], options, cast("Site | None", watched))
    fresh = watched is not None and not watched.has_run(campaign.plans[0].planned[0])
    return campaign, run_remaining(campaign, options.results, options.jobs, fresh=fresh)


def tried(campaign: Campaign, results: Path, summary: RunSummary, watched: Watched | None) -> Tried:
    """What the trial printed, without colours and ranks, from its record or from the evidence of its failure."""
    planned = campaign.plans[0].planned[0]
    key = planned.trial.key
    folder = results / "failed" / key if summary.failed else record_folder(results, key)
    client, server = (file.read_text() if (file := folder / f"{end}.log").exists() else "" for end in NAMES)
    client, server = (COLOUR.sub("", RANK.sub("", text)) for text in (client, server))
    link = watched.link(planned) if watched else None
    return Tried(client, server, " ".join(what for _, what in summary.failed), link)
