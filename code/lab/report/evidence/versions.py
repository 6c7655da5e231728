"""The versions of what the exact machine is made of: the lock of its packages says them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.machine import expected
from lab.places import MACHINE
from lab.report.evidence.evidence import Evidence
from lab.supply.lock import COMPILER, GUEST, RUNNER, Lock, read

LOCK = "packages.lock"
# What a reader knows it by, how its packages are called, the kind of their section; and a word that the name of some
# program of the experiment must hold.
SHOWN = (
    ("kernel", "linux-image-", GUEST, ""),
    ("C library", "libc6", GUEST, ""),
    ("compiler", "gcc-12", COMPILER, ""),
    ("rdma-core", "libibverbs1", GUEST, ""),
    ("Open MPI", "libopenmpi3", GUEST, "mpi"),
    ("UCX", "libucx0", GUEST, "mpi"),
    ("perftest", "perftest", GUEST, "ib_"),
    ("iperf3", "iperf3", GUEST, "iperf3"),
    ("NetPIPE", "netpipe-", GUEST, "netpipe"),
    ("qperf", "qperf", GUEST, "qperf"),
    ("QEMU", "qemu-system-x86", RUNNER, ""),
)
BESIDE = ("-dev", "-base", "-common", "-data")  # files for developers and the like, whose names begin alike


def versions(evidence: Evidence, machine: Path = MACHINE) -> list[tuple[str, str]]:
    """Name and packages; nothing where the records are of another machine than this checkout's."""
    if not _is_of(machine, evidence.plan.site.identity):
        return []
    lock = read(machine / LOCK)
    programs = " ".join(each.program for each in evidence.plan.experiment.series)
    return [
        (name, ", ".join(found))
        for name, start, kind, word in SHOWN
        if word in programs and (found := sorted(set(_packages(lock, start, kind))))
    ]


def _is_of(machine: Path, identity: dict[str, str]) -> bool:
    """Whether the memory of the frozen machine is the one that the records name."""
    known = expected.read(machine)
    return known is not None and identity.get("frozen") == known.frozen.get("memory")


def _packages(lock: Lock, start: str, kind: str) -> Iterator[str]:
    """On whatever architecture the computer at hand is."""
    for section in lock.kind(kind).values():
        yield from (each.named for each in section if each.package.startswith(start) and not _is_beside(each.package))


def _is_beside(package: str) -> bool:
    return package.endswith(BESIDE)
