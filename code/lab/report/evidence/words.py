"""Words for sites, versions and dates."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lab.errors import plural
from lab.machine import snapshot
from lab.places import MACHINE
from lab.report.evidence.evidence import Evidence
from lab.sites.site import Clock, Shared, Traits
from lab.supply.lock import COMPILER, GUEST, RUNNER, read

LOCK = "packages.lock"
# The label of a package, how its name begins, the kind of its section in the lock; and a text that the name of some
# program of the experiment must contain.
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
BESIDE = ("-dev", "-base", "-common", "-data")  # ends of packages whose names begin alike, with files for developers
SHARED = {
    Shared.CORE: "Client and server share one CPU core, so that the costs of both ends add up; on two hosts they would "
    "overlap.",
    Shared.COMPUTER: "Client and server run on one host and share its CPUs and its memory.",
    Shared.HOST: "Client and server are VMs of one host and share its CPUs with its other work.",
    Shared.NOTHING: "",
}
SOFT = "rxe"  # the beginning of the names that Verbyte gives to Soft-RoCE devices
EMULATED = (
    "The site {site} is {number} emulated VMs that execute one instruction a nanosecond, joined by a computed link, so "
    "that everybody who repeats a measurement gets the same bytes. {rdma} The numbers compare the length of the "
    "software's paths; they do not predict another CPU, card or link."
)
REAL = (
    "The site {site} runs the programs on real hosts by a wall clock. {shared} {rdma} The numbers hold for these hosts "
    "and this link while they were measured."
)
_BASE = re.compile(r"\bbase=(\d{4}-\d\d-\d\d)\b", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def measured_on(evidence: Evidence) -> str:
    """The days of the measurements, or the date of the site's clock if every run has the same bytes."""
    site = evidence.plan.site
    if site.traits.is_deterministic:
        base = _BASE.search(site.identity.get("arguments", ""))
        return f"Its clock begins at {base[1]}; on any day the records are the same." if base else ""
    days = sorted({day[0] for facts in evidence.facts.values() if (day := _DAY.match(facts.moment.started))})
    if len(days) > 1:
        return f"Measured from {days[0]} to {days[-1]}."
    return f"Measured on {days[0]}." if days else ""


def measured_here(evidence: Evidence) -> str:
    """The number of trials that were measured, by the records alone."""
    trials, absent = len(evidence.facts), len(evidence.unmeasured)
    where = " on this computer" if evidence.plan.site.traits.is_deterministic else ""
    if not absent:
        return f"Measured{where}: {trials} of {plural(trials, 'trial')}."
    identical = ", all identical to the reference" if absent < trials else ""
    return f"Reference results: {trials - absent} of {plural(trials, 'trial')} measured{where}{identical}."


def versions(evidence: Evidence) -> list[tuple[str, str]]:
    """Labels and packages; nothing if the records are of another machine than this checkout's."""
    expected = snapshot.read(MACHINE)
    if expected is None or evidence.plan.site.identity.get("frozen") != expected.frozen.get("memory"):
        return []
    lock = read(MACHINE / LOCK)
    programs = " ".join(series.program for series in evidence.plan.experiment.series)
    rows = []
    for name, start, kind, needed in SHOWN:
        packages = {
            locked.named
            for section in lock.kind(kind).values()  # of whatever architecture the host is
            for locked in section
            if locked.package.startswith(start) and not locked.package.endswith(BESIDE)
        }
        if packages and needed in programs:
            rows.append((name, ", ".join(sorted(packages))))
    return rows


def rdma_words(device: str, cards: Sequence[str] = ()) -> str:
    """The carrier of RDMA's data: a device, Soft-RoCE, or modelled cards beside either."""
    if cards:
        card = f"RDMA uses a modelled card ({', '.join(cards)}) whose times are those of its file"
        if device.startswith(SOFT):
            return f"{card}, or kernel RDMA (Soft-RoCE, {device}), where the kernel does the card's work."
        return f"{card}, or {device}."
    if device.startswith(SOFT):
        return f"RDMA is kernel RDMA (Soft-RoCE, {device}): the kernel does the work of a card."
    return f"RDMA uses the device {device}." if device else "There is no RDMA device."


def profile_why(evidence: Evidence) -> str:
    """The reason of most series for other values on this site."""
    site, series = evidence.plan.site.name, evidence.plan.experiment.series
    return Counter(run.profile(site).why for run in series).most_common(1)[0][0]


@dataclass(frozen=True)
class SiteWords:
    """For the head, for a paragraph, and for the limits."""

    short: str
    long: str
    spread: str  # the effects that repetitions include, and those that they miss
    shared: str  # the parts that both ends share


def words_of(site: str, traits: Traits) -> SiteWords:
    """The words for a site, by its traits alone."""
    if traits.clock is Clock.INSTRUCTIONS:
        return SiteWords(
            f"Site {site}: time is counted in instructions.",
            f"On the site {site} a CPU executes one instruction a nanosecond: it has no caches, stalls or clock "
            "frequency. The numbers measure the length of the software's path and do not predict real hardware.",
            "Repetitions start at different moments of one snapshot: their spread shows chance of memory layout "
            "and timing, not of other hosts or days.",
            SHARED[traits.shared],
        )
    return SiteWords(
        f"Site {site}: wall-clock time.",
        f"On the site {site} time is wall-clock time.",
        "Repetitions ran one after the other: their spread does not show what differs on other hosts or days.",
        SHARED[traits.shared],
    )


def about_site(site: str, traits: Traits, device: str, cards: Sequence[str] = (), number: str = "two") -> str:
    """The site in plain words, for a reader who has never heard of it."""
    text = EMULATED if traits.clock is Clock.INSTRUCTIONS else REAL
    shared, rdma = SHARED[traits.shared], rdma_words(device, cards)
    return " ".join(text.format(site=site, number=number, shared=shared, rdma=rdma).split())
