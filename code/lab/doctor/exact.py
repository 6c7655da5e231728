"""The exact site: its packages, QEMU, the machine, room on the disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from lab.doctor import Diagnosis
from lab.errors import LabError, SiteError
from lab.machine import expected, runner
from lab.places import CACHE, MACHINE, REFERENCE, ROOT, SETTINGS
from lab.records.reference import read_identity
from lab.supply.lock import COMPILER, GUEST, read
from lab.supply.providers import load

SITE = "exact"
FREE_BYTES = 2 * 2**30  # image, frozen machine and results, with room to spare


def examine() -> Iterator[Diagnosis]:
    """Everything, in the order in which it is needed."""
    yield _packages(MACHINE, CACHE / "packages", SETTINGS)
    yield _qemu()
    yield _machine()
    yield _disk(ROOT)
    yield Diagnosis(SITE, "processors", f"{os.cpu_count()}: as many trials at once")


def _packages(machine: Path, store: Path, settings: Path) -> Diagnosis:
    """What a first run will have to fetch; digests are asked then."""
    try:
        lock = read(machine / "packages.lock")
        wanted = {*lock.of(GUEST), *lock.of(COMPILER), *lock.of(runner.section())}
        missing = [each.size_bytes for each in wanted if not (store / f"{each.sha256}.deb").exists()]
        asked = ", ".join(load(settings).providers)
    except LabError as error:
        return Diagnosis(SITE, "packages", error.what, error.hint)
    if missing:
        return Diagnosis(SITE, "packages", f"{len(missing)} to fetch, {sum(missing) / 1e6:.0f} MB, from {asked}")
    return Diagnosis(SITE, "packages", f"all {len(wanted)} are there")


def _qemu() -> Diagnosis:
    """The one that runs the machine: nothing of the host's."""
    try:
        place = runner.place(MACHINE, CACHE)
        said = runner.Runner(place).version() if place.exists() else "not carried here yet: the first run fetches it"
    except (SiteError, OSError) as error:
        return Diagnosis(SITE, "QEMU's version", str(error), "lab run")
    return Diagnosis(SITE, "QEMU's version", said)


def _machine() -> Diagnosis:
    """Another machine counts other instructions: then results are compared with tolerances."""
    known, reference = expected.read(MACHINE), read_identity(REFERENCE) or {}
    if known and known.frozen["memory"] == reference.get("frozen"):
        return Diagnosis(SITE, "machine", "as of the reference")
    return Diagnosis(SITE, "machine", "not the reference's: verify compares with tolerances")


def _disk(folder: Path) -> Diagnosis:
    free = shutil.disk_usage(folder).free
    return Diagnosis(SITE, "disk", f"{free / 2**30:.1f} GiB free", "" if free >= FREE_BYTES else "free some space")
