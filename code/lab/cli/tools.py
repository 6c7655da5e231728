"""Commands beside measuring: causes, card fits, job scripts and upkeep."""

from __future__ import annotations

import csv
import io
import shlex
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from statistics import median

from lab.analysis.card import Conditions, Rates, errors, fit
from lab.causes.count import Profiler, Window, windows
from lab.causes.table import FOLDER, FUNCTIONS, WAITING, Share, file_of, format_classes, format_functions, rows
from lab.cli.measure import open_shop, run_remaining, say_failures, say_interrupted, write_table
from lab.compiler.build import place
from lab.errors import SiteError, SizeError, SpecError, VerifyError
from lab.experiment.reader import load
from lab.files.bounded import read_typed
from lab.files.storage import write_text
from lab.machine import exchange
from lab.machine.renewal import renew
from lab.model.sizes import format_size, parse_size, parse_sizes
from lab.model.trial import End, Ends, Job
from lab.places import CACHE, EXPERIMENTS, MACHINE, PUBLISHED, REFERENCE, from_here
from lab.plan.builds import keep_binaries, own_programs, own_task
from lab.plan.plan import Plan, Planned, SiteFacts, binaries, make_plan
from lab.plan.planning import all_experiments, find_experiment, open_workshop
from lab.records.compare import changed_parts, compare, format_result, read_reference, write_reference
from lab.records.compare import verify as compare_tables
from lab.records.table import make_table
from lab.report.evidence.published import published_curve
from lab.sites.agent.client import kept, locator
from lab.sites.exact import ExactSite, ProfiledSite, open_profiled
from lab.sites.hosts import Slurm, read_slurm
from lab.sites.queue import load as load_modules
from lab.sites.queue import options as sbatch_options
from lab.sites.queue import shell
from lab.sites.site import open_site
from lab.sites.slurm import TRAITS
from lab.supply.lock import read

NS_PER_US = 1000


def causes(options: Namespace) -> int:
    """Count each window, print its largest functions, and write both tables."""
    site = open_profiled()
    for plan in open_workshop(options.experiment, site, _tell).plans:
        shares = list(_shares(site, _windows(plan, options), options.top))
        name, out = plan.experiment.name, options.out or options.results
        _write(out / FOLDER / FUNCTIONS.format(name), format_functions(shares))
        _write(file_of(name, out), format_classes(rows(shares)))
        if options.reference:
            _write(file_of(name, REFERENCE), format_classes(rows(shares)))
    return 0


def _write(file: Path, text: str) -> None:
    write_text(file, text)
    print(f"{from_here(file)}: {len(text.splitlines()) - 1} rows")


def _windows(plan: Plan, options: Namespace) -> list[Window]:
    asked = plan.experiment.causes
    series = options.series or (asked.series if asked else ())
    sizes = parse_sizes(options.sizes) if options.sizes else asked.sizes if asked else ()
    if not series or not sizes:
        what = f"{plan.experiment.name} does not say which series and sizes to count"
        raise SpecError(what, file=plan.experiment.file, hint="--series NAME --sizes 1,4K, or a table [causes]")
    return windows(plan, series, sizes)


def _shares(site: ProfiledSite, wanted: Iterable[Window], top: int) -> Iterator[Share]:
    counter = Profiler(site)
    for window in wanted:
        for share in counter.shares(window):
            print("\n".join(lines(share, top)), end="\n\n", flush=True)
            yield share


def lines(share: Share, top: int) -> Iterator[str]:
    """One end's share for people: kinds of work, then the functions that executed most."""
    each = share.instructions / share.messages
    place = f"{share.series}, {format_size(share.size_bytes)}, {share.end}"
    time = f"{share.time_ns / share.messages / NS_PER_US:.2f} us a message, {share.messages} messages"
    yield f"{place}: {each:,.1f} instructions a message ({time})"
    for name, number in share.classes().most_common():
        if name != WAITING:
            yield _line(share, number, name)
    yield ""
    for (owner, name), number in share.functions.most_common(top):
        yield _line(share, number, f"{owner:<20} {name}")


def _line(share: Share, number: int, words: str) -> str:
    return f"{number / (share.instructions or 1):>8.2%} {number / share.messages:>12,.1f}  {words}"


SIZE, RATE = "size_bytes", "bytes_per_s"
MB = 1e6


def fit_card(options: Namespace) -> int:
    """Fit, then print what an experiment's card would be told, and how far off it is."""
    curve = read_curve(options.curve)
    known = Conditions(float(options.rate_bit_s), options.mtu, _bytes(options.inline, "--inline"))
    found = fit(curve, known)
    print("\n".join((*parameters(found), "", *comparison(curve, found, known))))
    return 0


def read_curve(file: Path) -> dict[int, float]:
    """Bytes per second by size: a published report's file, or one with these two columns."""
    if file.resolve().parent == PUBLISHED and (known := published_curve(file.name)):
        return {size: rate.value for size, rate in zip(known.sizes, known.rates, strict=True)}
    rows = csv.DictReader(io.StringIO(read_typed(file, "experiments/published/verbs_a.csv")))
    return dict(_point(file, line, row) for line, row in enumerate(rows, 2))


def _point(file: Path, line: int, row: Mapping[str, str | None]) -> tuple[int, float]:
    try:
        size, rate = int(row[SIZE] or ""), float(row[RATE] or "")
    except (KeyError, ValueError):
        size, rate = 0, 0.0
    if size < 1 or not 0 < rate < float("inf"):
        raise SpecError("holds no point of a curve", file=file, line=line, expected=f"{SIZE} and {RATE} above 0")
    return size, rate


def _bytes(text: str, name: str) -> int:
    try:
        return parse_size(text) if text != "0" else 0
    except SizeError as error:
        raise SpecError(f"{name} {text!r:.40}: {error.what}", hint="--inline 1K") from error


def parameters(found: Rates) -> Iterator[str]:
    """The values for a card's file; nothing else of it follows from a curve of throughput."""
    yield f"rate_bit_s   {found.rate_bit_s:.0f} (given)"
    yield f"header_bytes {found.header_bytes:.0f}"
    yield f"gap_ps       {found.gap_ps:.0f}"
    yield f"block_ps     {found.block_ps:.0f}"


def comparison(curve: Mapping[int, float], found: Rates, known: Conditions) -> Iterator[str]:
    """All sizes, and two numbers for all of them."""
    off = errors(curve, found, known)
    yield f"{'bytes':>10} {'measured':>10} {'model':>10}  error"
    for size in sorted(curve):
        made = found.bytes_per_s(size, known.mtu, known.inline_most)
        yield f"{format_size(size):>10} {curve[size] / MB:>10.1f} {made / MB:>10.1f}  {off[size]:+.1%}"
    worst = max(off, key=lambda size: abs(off[size]))
    each = median(abs(error) for error in off.values())
    yield f"median error {each:.1%}, worst {off[worst]:+.1%} at {format_size(worst)} (rates in MB/s)"


def verify(options: Namespace) -> int:
    """Measure everything again in an empty folder, then compare the tables with the reference."""
    shop = open_shop(options.experiment or all_experiments(), options)
    references = [read_reference(each, REFERENCE) for each in shop.plans]
    with tempfile.TemporaryDirectory(prefix="lab-verify-") as folder:
        summary = run_remaining(shop, Path(folder), options.jobs)
        if summary.interrupted:
            raise KeyboardInterrupt
        verdicts = [
            compare_tables(*each) for each in zip(shop.plans, [Path(folder)] * len(references), references, strict=True)
        ]
    for verdict in verdicts:
        print("\n".join(verdict.lines()))
    if not all(verdict.identical for verdict in verdicts):
        print("not as it was for the reference: " + (", ".join(changed_parts(shop.plans, REFERENCE)) or "nothing"))
    return max(say_failures(summary), int(not all(verdict.holds for verdict in verdicts)))


def bench(options: Namespace) -> int:
    """Print ratios from records of one run."""
    shop = open_shop([EXPERIMENTS / "bench.toml"], options)
    summary = run_remaining(shop, options.results, options.jobs)
    if summary.interrupted:
        return say_interrupted(summary)
    (only,) = shop.plans
    rows = make_table(only, options.results)
    write_table(only, options.results)
    results = [compare(each, rows) for each in only.experiment.comparisons]
    for result in results:
        print(format_result(result))
    return max(say_failures(summary), int(not all(result.holds for result in results)))


def lock(options: Namespace) -> int:
    """Renew the lock, what is expected of its machine, and results/reference together, or say that the reference is
    stale."""
    if not options.machine:
        for section, packages in renew(MACHINE, CACHE, _tell).sections.items():
            print(f"{MACHINE / 'packages.lock'}: {len(packages)} packages of {section}")
    print(f"{ExactSite(MACHINE, CACHE).expect(_tell)}: what every computer must find")
    return 0 if options.machine else _renew_reference(options)


def _renew_reference(options: Namespace) -> int:
    shop = open_workshop(all_experiments(), open_site(options.site, options.hosts), _tell)
    with tempfile.TemporaryDirectory(prefix="lab-lock-") as folder:
        results = Path(folder)
        summary = run_remaining(shop, results, options.jobs)
        if summary.interrupted or summary.failed:
            hint = "lab run, then lab table --reference"
            raise VerifyError("the reference is stale: not all trials could be measured", str(REFERENCE), hint)
        for file, rows in write_reference(shop.plans, results, REFERENCE).items():
            print(f"{file}: {rows} rows")
    return 0


def image(options: Namespace) -> int:
    """Export or import the machine as one file: who imports it needs no network, and has the same identity."""
    if options.action == "export":
        site = ExactSite(MACHINE, CACHE)
        site.prepare(_tell)
        _tell("compressing the machine")
        own_programs(_tell)
        lock = read(MACHINE / "packages.lock")
        size = exchange.export(
            site.verified_snapshot(), site.inputs(_tell), lock, place(own_task(), MACHINE, CACHE), options.file
        )
        print(f"{options.file}: {size / 1e6:.1f} MB; others take it with: lab image import {options.file.name}")
        return 0
    imported = exchange.bring(options.file, MACHINE, CACHE, place(own_task(), MACHINE, CACHE), _tell)
    print(f"{imported.folder}: imported, and used from now on")
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr)


HEAD = """{shell}#SBATCH --job-name=lab-{name}
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --time={minutes}
#SBATCH --output=%x-%j.log
{options}
# A CSV for each trial, in a folder of the job's own, in the folder from which it was submitted.
out=$SLURM_SUBMIT_DIR/lab-{name}-$SLURM_JOB_ID
failed=0
mkdir -p "$out"
{modules}"""


def script(options: Namespace) -> int:
    """Print a job script for two nodes of a cluster."""
    cluster = read_slurm(options.hosts)
    experiment = load(find_experiment(options.experiment))
    plan = make_plan(experiment, cluster_facts(cluster), keep_binaries(binaries([experiment])))
    print(make_script(plan, cluster), end="")
    return 0


def cluster_facts(cluster: Slurm) -> SiteFacts:
    """Two nodes: the cluster chooses their names, hosts.toml must name their end of the link."""
    if not cluster.interface:
        raise SiteError("a job script must name the nodes' data link", "hosts.toml", 'interface = "..." under [slurm]')
    ends = [End(f"node{number}", cluster.device, cluster.interface) for number in (0, 1)]
    return SiteFacts("slurm", Ends(ends[0], ends[1], "", cluster.launcher), {}, TRAITS)


def make_script(plan: Plan, cluster: Slurm) -> str:
    """The script's text."""
    launched = [each for each in plan.planned if is_launched(each.trial.job) and plan.site.can_run(each.series.tool)]
    if not launched:
        raise SiteError("no series of it runs an MPI program", plan.experiment.name, "lab run --site slurm")
    name = plan.experiment.name
    head = HEAD.format(
        name=name,
        minutes=cluster.minutes * len(launched),
        shell=shell(cluster),
        options="\n".join(f"#SBATCH {each}" for each in sbatch_options(cluster)),
        modules=load_modules(cluster),
    )
    return head + "".join(map(_trial, launched)) + "exit $failed\n"


def is_launched(job: Job) -> bool:
    """Whether one command starts both ends: no server waits for a client."""
    return not any(step.server for step in job.steps)


def _trial(planned: Planned) -> str:
    """The lines of one trial; the next trial runs even if this one fails."""
    point = "".join(f".{value}" for value in planned.point.values())
    file = f"{planned.series.name}{point}.{planned.repetition}.csv"
    locate = locator(kept(planned.trial.job.overlay))
    text = " && ".join(shlex.join(map(locate, step.client)) for step in planned.trial.job.steps)
    return f'{{ {text}; }} >"$out"/{shlex.quote(file)} || failed=1\n'
