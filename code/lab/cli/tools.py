"""Commands besides measuring: profile, fit-card, verify, spot, lock and image."""

import random
import tempfile
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lab.analysis.card import Conditions, Rates, errors, slowed, unknown
from lab.causes.count import Profiler, Window, windows
from lab.causes.table import FOLDER, FUNCTIONS, WAITING, Share, file_of, format_classes, format_functions, rows
from lab.cli.measure import campaign_of, chosen_seed, run_remaining, say_failures
from lab.compiler import build
from lab.errors import LabError, SizeError, SpecError, plural, tell
from lab.files.storage import write_text
from lab.files.store import sha256
from lab.machine import exchange
from lab.machine.renewal import renew
from lab.model.sizes import format_size, parse_size, parse_sizes
from lab.places import CACHE, MACHINE, REFERENCE, from_here
from lab.plan.builds import compiled_places, lab_programs
from lab.plan.plan import Plan
from lab.plan.planning import all_experiments, open_campaign
from lab.programs.perftest import PS_PER_US
from lab.records.compare import difference_of_records
from lab.records.compare import verify as compare_tables
from lab.records.record import has_record
from lab.records.reference import changed_parts, read_reference, write_reference
from lab.records.table import make_table, parse_table
from lab.report.evidence.measured import MeasuredCurve, fit_measured, read_measured, summary
from lab.sites.exact import ExactSite, ProfiledSite
from lab.sites.site import open_site
from lab.supply.lock import read

NS_PER_US = 1000
MB = 1e6


def profile(options: Namespace) -> int:
    sizes = parse_sizes(options.sizes) if options.sizes else ()
    site = ProfiledSite(MACHINE, CACHE)
    for plan in open_campaign(options.experiment, site, tell).plans:
        counter, shares = Profiler(site), list[Share]()
        for window in asked_windows(plan, options.series, sizes):
            for share in counter.shares(window):
                print("\n".join(lines(share, options.top)), end="\n\n", flush=True)
                shares.append(share)
        name, out = plan.experiment.name, options.out or options.results
        _write(out / FOLDER / FUNCTIONS.format(name), format_functions(shares))
        for folder in (out, REFERENCE) if options.reference else (out,):
            _write(file_of(name, folder), format_classes(rows(shares)))
    return 0


def asked_windows(plan: Plan, series: Sequence[str], sizes: Sequence[int]) -> list[Window]:
    """The windows that the options name, else those of the experiment's [causes]."""
    typed = plan.experiment.causes
    series = series or (typed.series if typed else ())
    sizes = sizes or (typed.sizes if typed else ())
    if not series or not sizes:
        what = f"{plan.experiment.name} does not name the series and sizes to count"
        raise SpecError(what, file=plan.experiment.file, hint="--series NAME --sizes 1,4K, or a table [causes]")
    return windows(plan, series, sizes)


def lines(share: Share, top: int) -> Iterator[str]:
    """One end's share for people: kinds of work, then the functions that executed most."""
    time = f"{share.time_ns / share.messages / NS_PER_US:.2f} us a message, {plural(share.messages, 'message')}"
    end = f"{share.series}, {format_size(share.size_bytes)}, {share.end}"
    yield f"{end}: {share.instructions / share.messages:,.1f} instructions a message ({time})"
    kinds = [(name, number) for name, number in share.classes().most_common() if name != WAITING]
    functions = [(f"{owner:<20} {name}", number) for (owner, name), number in share.functions.most_common(top)]
    for name, number in (*kinds, ("", 0), *functions):
        what = f"{number / (share.instructions or 1):>8.2%} {number / share.messages:>12,.1f}  {name}"
        yield what if name else ""


def _write(file: Path, text: str) -> None:
    write_text(file, text)
    print(f"{from_here(file)}: {plural(len(text.splitlines()) - 1, 'row')}")


def fit_card(options: Namespace) -> int:
    inline = None if options.inline is None else _inline(options.inline)
    known = Conditions(float(options.rate_bit_s), options.mtu)
    fitted, predicted = (
        [curve for file in files for curve in read_measured(file, known, inline=inline)]
        for files in (options.curve, options.predict)
    )
    card = fit_measured(fitted)
    print("\n".join(parameters(card, fitted)))
    for verb, curves in (("fitted to", fitted), ("predicts", predicted)):
        for curve in curves:
            print(f"\n{verb} {curve.label}:\n" + "\n".join(error_lines(curve, card)))
    return 0


def _inline(text: str) -> int:
    try:
        return 0 if text == "0" else parse_size(text)
    except SizeError as error:
        raise SpecError(f"--inline {text!r:.40}: {error.what}", hint="--inline 1K") from error


def parameters(card: Rates, curves: Iterable[MeasuredCurve]) -> Iterator[str]:
    """The values of the card, each with where it comes from."""
    hidden = set.intersection(*(set(unknown(curve.values, card, curve.known)) for curve in curves))
    hidden |= {"header_bytes"} if card.bus_bit_s else set()  # the bus is the limit that the curve shows
    notes = {"rate_bit_s": "given"}
    notes |= dict.fromkeys(("doorbell_ps", "write_ps"), "assumed: a latency shows only its sum with wire_ns")
    notes |= dict.fromkeys(hidden - {"rate_bit_s"}, "assumed: no curve shows it")
    for name, value in vars(card).items():
        note = f" ({notes[name]})" if name in notes else ""
        yield f"{name:<13} {value:.0f}{note}"


def error_lines(curve: MeasuredCurve, card: Rates) -> Iterator[str]:
    """The measured and the modelled value, size by size; then a summary."""
    is_rate, known = curve.known.measure == "throughput", curve.known
    off = errors(curve.values, card, known)
    exempt = slowed(curve.values, known) if is_rate else []
    unit = MB if is_rate else PS_PER_US
    yield f"{'bytes':>10} {'measured':>10} {'model':>10}  error"
    for size, value in sorted(curve.values.items()):
        model = card.value(size, known)
        note = "  slower than a larger size" if size in exempt else ""
        pair = f"{value / unit:>10.{1 if is_rate else 2}f} {model / unit:>10.2f}"
        yield f"{format_size(size):>10} {pair}  {off[size]:+.1%}{note}"
    yield summary(off, exempt) + (" (rates in MB/s)" if is_rate else " (times in us)")


@contextmanager
def _temporary_results(command: str) -> Iterator[Path]:
    """A folder for the records of a command, which an interruption deletes, too."""
    try:
        with tempfile.TemporaryDirectory(prefix=f"lab-{command}-") as folder:
            yield Path(folder)
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt("no record is kept; to begin again") from error


def verify(options: Namespace) -> int:
    campaign = campaign_of(options.experiment, options)
    references = [read_reference(each, REFERENCE) for each in campaign.plans]
    with _temporary_results("verify") as results:
        summary = run_remaining(campaign, results, options.jobs)
        pairs = zip(campaign.plans, references, strict=True)
        verdicts = [compare_tables(plan, results, reference) for plan, reference in pairs]
    for verdict in verdicts:
        print("\n".join(verdict.lines()))
    if not all(verdict.identical for verdict in verdicts):
        _print_changes(campaign.plans)
    return max(say_failures(summary), int(not all(verdict.holds for verdict in verdicts)))


def _print_changes(plans: Iterable[Plan]) -> None:
    print("changed since the reference: " + (", ".join(changed_parts(plans, REFERENCE)) or "nothing"))


def spot(options: Namespace) -> int:
    campaign = campaign_of(options.experiment, options)
    references = [parse_table(read_reference(plan, REFERENCE)) for plan in campaign.plans]
    seed = chosen_seed(options)
    sample = replace(campaign, plans=tuple(_tenth(plan, random.Random(seed)) for plan in campaign.plans))
    summary = run_remaining(sample, options.results, options.jobs)
    differences = []
    for plan, reference in zip(campaign.plans, references, strict=True):
        trials = plan.trials()
        there = sum(has_record(options.results, key) for key in trials)
        difference = difference_of_records(make_table(plan, options.results), reference)
        verdict = f"; {difference}" if difference else ", all identical to the reference"
        print(f"{plan.experiment.name}: {there} of {plural(len(trials), 'trial')} measured here{verdict}")
        differences.append(difference)
    if any(differences):
        _print_changes(campaign.plans)
    return max(say_failures(summary), int(any(differences)))


def _tenth(plan: Plan, chance: random.Random) -> Plan:
    """The plan with a tenth of the trials of each series, and at least one."""
    of_series = [[each for each in plan.planned if each.series is series] for series in plan.experiment.series]
    chosen = (chance.sample(trials, max(1, len(trials) // 10)) for trials in of_series if trials)
    return replace(plan, planned=tuple(planned for trials in chosen for planned in trials))


def lock(options: Namespace) -> int:
    """Renew the lock, the digests of its VM, and results/reference; raise for a stale reference."""
    if not options.machine:
        for section, packages in renew(MACHINE, CACHE, tell).sections.items():
            print(f"{MACHINE / 'packages.lock'}: {plural(len(packages), 'package')} of {section}")
    print(f"{ExactSite(MACHINE, CACHE).expect(tell)}: what every host must find")
    if options.machine:
        return 0
    campaign = open_campaign(all_experiments(), open_site(options.site, options.hosts), tell)
    hint = "lab run, then lab table --reference"
    tell(f"measuring the reference, which is stale until then; after an interruption: {hint}")
    with _temporary_results("lock") as results:
        summary = run_remaining(campaign, results, options.jobs)
        if summary.failed:
            raise LabError("the reference is stale: not all trials could be measured", str(REFERENCE), hint)
        for file, rows in write_reference(campaign.plans, results, REFERENCE).items():
            print(f"{file}: {plural(rows, 'row')}")
    return 0


COURSE_IMAGE = """or let each checkout import it by itself, from where you put it, by these lines in its lab.toml:

[image]
url = "https://HOST/{name}"
sha256 = "{sha256}"
size_bytes = {size}"""


def image(options: Namespace) -> int:
    """Export or import the VM as one file: an imported VM needs no network and has the same identity."""
    if options.action == "export":
        site = ExactSite(MACHINE, CACHE)
        site.prepare(tell)
        tell("compressing the VM")
        lab_programs(tell)
        for name in (build.MODULE, build.LIBRARY, build.DEVICE):
            build.card_file(name, MACHINE, CACHE, tell)
        lock = read(MACHINE / "packages.lock")
        size = exchange.export(site.verified_snapshot(), site.inputs(tell), lock, compiled_places(), options.file)
        print(f"{options.file}: {size / 1e6:.1f} MB; import it with: lab image import {options.file.name}")
        print(COURSE_IMAGE.format(name=options.file.name, sha256=sha256(options.file), size=size))
        return 0
    imported = exchange.bring(options.file, MACHINE, CACHE, compiled_places(), tell)
    print(f"{imported.folder}: imported, and used from now on")
    return 0
