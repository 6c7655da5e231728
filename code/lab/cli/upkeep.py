"""The commands that check the lab and look after the exact machine: verify, bench, lock and image."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from lab.cli.commands import open_shop, write_table
from lab.cli.remaining import run_remaining, say_failures, say_interrupted
from lab.compiler.kept import place
from lab.errors import VerifyError
from lab.machine import exchange
from lab.machine.renewal import renew
from lab.places import CACHE, EXPERIMENTS, MACHINE, REFERENCE
from lab.plan.sources import own_programs, own_task
from lab.plan.workshop import all_experiments, open_workshop
from lab.records.comparison import compare, format_result
from lab.records.reference import changed_parts, read_reference, write_reference
from lab.records.table import make_table
from lab.records.verify import verify as compare_tables
from lab.sites import open_site
from lab.sites.exact import ExactSite
from lab.supply.lock import read


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
        size = exchange.export(site.asked(), site.made(_tell), lock, place(own_task(), MACHINE, CACHE), options.file)
        print(f"{options.file}: {size / 1e6:.1f} MB; others take it with: lab image import {options.file.name}")
        return 0
    imported = exchange.bring(options.file, MACHINE, CACHE, place(own_task(), MACHINE, CACHE), _tell)
    print(f"{imported.folder}: imported, and used from now on")
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
