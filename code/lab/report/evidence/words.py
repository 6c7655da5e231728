"""Words for series, versions and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.machine import snapshot
from lab.places import MACHINE
from lab.report.evidence.evidence import Evidence
from lab.sites.site import Clock, Shared, Traits
from lab.supply.lock import COMPILER, GUEST, RUNNER, Lock, read

_BASE = re.compile(r"\bbase=(\d{4}-\d\d-\d\d)\b", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def measured_on(evidence: Evidence) -> str:
    """The days of a clock on the wall. Where a trial gives the same bytes on any day, the report must not name one: the
    date of the site's own clock stands in its place."""
    site = evidence.plan.site
    if site.traits.repeats:
        base = _BASE.search(site.identity.get("arguments", ""))
        return f"Its clock begins at {base[1]}; on any day the records are the same." if base else ""
    days = sorted({found[0] for each in evidence.facts.values() if (found := _DAY.match(each.moment.started))})
    if not days:
        return ""
    return f"Measured on {days[0]}." if len(days) == 1 else f"Measured from {days[0]} to {days[-1]}."


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
    known = snapshot.read(machine)
    return known is not None and identity.get("frozen") == known.frozen.get("memory")


def _packages(lock: Lock, start: str, kind: str) -> Iterator[str]:
    """On whatever architecture the computer at hand is."""
    for section in lock.kind(kind).values():
        yield from (each.named for each in section if each.package.startswith(start) and not _is_beside(each.package))


def _is_beside(package: str) -> bool:
    return package.endswith(BESIDE)


@dataclass(frozen=True)
class SiteWords:
    """For captions, for the head, for a paragraph, for the first page, and for the limits."""

    caption: str
    short: str
    long: str
    spread: str  # the effects that repetitions include, and those that they miss
    shared: str = ""  # the parts that both ends share


SHARED = {
    Shared.CORE: "Client and server share one CPU core, so that the costs of both ends add up; on two hosts they would "
    "overlap.",
    Shared.COMPUTER: "Client and server run on one host and share its CPUs and its memory.",
    Shared.HOST: "Client and server are VMs of one host and share its CPUs with its other work.",
    Shared.NOTHING: "",
}


SOFT = "rxe"  # how the names of Soft-RoCE devices begin, as the lab makes them


def rdma_words(device: str, cards: Sequence[str] = ()) -> str:
    """What moves the data of RDMA: a device, or Soft-RoCE in its place, or modelled cards beside it."""
    if cards and device.startswith(SOFT):
        card = f"RDMA uses a modelled card ({', '.join(cards)}) whose times are those of its file"
        return f"{card}, or kernel RDMA (Soft-RoCE, {device}), where the kernel does the card's work."
    if cards:
        return f"RDMA uses a modelled card ({', '.join(cards)}) whose times are those of its file, or {device}."
    if device.startswith(SOFT):
        return f"RDMA is kernel RDMA (Soft-RoCE, {device}): the kernel does the work of a card."
    return f"RDMA uses the device {device}." if device else "There is no RDMA device."


def words_of(site: str, traits: Traits) -> SiteWords:
    """The words for a site by its traits, not by its name."""
    words = _of_instructions if traits.clock is Clock.INSTRUCTIONS else _of_wall_time
    return words(site, SHARED[traits.shared])


def _of_instructions(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: time is counted in instructions.",
        long=f"On the site {site} a CPU executes one instruction a nanosecond: it has no caches, stalls or clock "
        "frequency. The numbers measure the length of the software's path and do not predict real hardware.",
        spread="Repetitions start at different moments of one snapshot: their spread shows chance of memory layout and "
        "timing, not of other hosts or days.",
        shared=shared,
    )


def _of_wall_time(site: str, shared: str) -> SiteWords:
    return SiteWords(
        caption=f"Site {site}.",
        short=f"Site {site}: wall-clock time.",
        long=f"On the site {site} time is wall-clock time.",
        spread="Repetitions ran one after the other: their spread does not show what differs on other hosts or days.",
        shared=shared,
    )


EMULATED = (
    "The site {site} is two emulated VMs that execute one instruction a nanosecond, joined by a computed link, so that "
    "everybody who repeats a measurement gets the same bytes. {rdma} The numbers compare the length of the software's "
    "paths; they do not predict another CPU, card or link."
)
REAL = (
    "The site {site} runs the programs on real hosts by a wall clock. {shared} {rdma} The numbers hold for these hosts "
    "and this link while they were measured."
)


def about_site(site: str, traits: Traits, device: str, cards: Sequence[str] = ()) -> str:
    """The site in plain words, for a reader who has never heard of it."""
    text = EMULATED if traits.clock is Clock.INSTRUCTIONS else REAL
    return " ".join(text.format(site=site, shared=SHARED[traits.shared], rdma=rdma_words(device, cards)).split())
