"""The commands that look after the exact machine: renew its lock, export and import it."""

from __future__ import annotations

import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from lab.cli.remaining import run_remaining
from lab.compiler.kept import place
from lab.errors import VerifyError
from lab.machine import exchange
from lab.machine.renewal import renew
from lab.places import CACHE, MACHINE, REFERENCE
from lab.plan.sources import own_programs, own_task
from lab.plan.workshop import all_experiments, open_workshop
from lab.records.reference import write_reference
from lab.sites import open_site
from lab.sites.exact import ExactSite
from lab.supply.lock import read


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
