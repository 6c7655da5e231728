"""The host site: RDMA devices with their links and GIDs, the kernel's modules, locked memory, namespaces."""

from __future__ import annotations

import math
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from lab.doctor import Diagnosis, program
from lab.errors import LabError
from lab.plan.workshop import all_experiments
from lab.sites.agent import computer
from lab.sites.links import namespaces
from lab.spec.experiment import Experiment
from lab.spec.reader import load

SITE = "host"
VERIFIED_BYTES = 32 << 20  # the buffer of a --verify round (bench/buffer.c), which a preflight runs
QUEUES_BYTES = 1 << 20  # all else that a program locks
MODULES = {
    "rdma_rxe": "Soft-RoCE",
    "vrf": "both ends of Soft-RoCE on one computer",
    "siw": "Soft-iWARP",
    "sch_tbf": "link models with a rate",
    "sch_netem": "link models with a delay or a loss",
}
PEERS = {"iperf3": "iperf3", "ib_write_bw": "perftest", "qperf": "qperf", "orterun": "openmpi-bin"}


def examine() -> Iterator[Diagnosis]:
    """Devices first: without them there is TCP in namespaces."""
    names = computer.devices()
    if not names:
        instead = "none: TCP over a cable between two namespaces; --site exact has RDMA"
        yield Diagnosis(SITE, "RDMA devices", instead, missing=True)
    for name in names:
        yield from _device(name)
    yield _locked(all_experiments())
    yield _namespaces()
    yield from (_module(name, use) for name, use in MODULES.items())
    yield from (program(SITE, name, f"make build, or apt install {package}") for name, package in PEERS.items())
    settings = {"governor": computer.governor(), "turbo": computer.turbo()}
    yield from (
        Diagnosis(SITE, name, value or "this computer does not say", missing=not value)
        for name, value in settings.items()
    )


def _device(name: str) -> Iterator[Diagnosis]:
    port = computer.SYS / "class/infiniband" / name / "ports/1"
    state, interface = computer.port_state(name), computer.interface_of(name)
    up = "ACTIVE" in state
    yield Diagnosis(
        SITE, name, f"{state}, {computer.text(port / 'rate')}, {interface}", "" if up else f"ip link set {interface} up"
    )
    gids = computer.gid_kinds(name)
    yield Diagnosis(SITE, f"{name} GIDs", gids or "none", "" if gids else f"an address for {interface}")
    yield Diagnosis(SITE, f"{name} messages", f"{_max_message(name)} in one request; larger ones are cut")


def _max_message(name: str) -> str:
    """The largest message of a device, from ibv_devinfo: sysfs does not have it."""
    if not shutil.which("ibv_devinfo"):
        return "unknown size (apt install ibverbs-utils)"
    asked = subprocess.run(["ibv_devinfo", "-v", "-d", name], capture_output=True, text=True, check=False)
    found = re.search(r"max_msg_sz:\s*(\S+)", asked.stdout)
    return f"{found[1]} bytes" if found else "unknown size"


def locked_bytes(experiments: Iterable[Experiment]) -> int:
    """The most that one end locks: room to send and to receive the largest message planned over RDMA."""
    series = (each for experiment in experiments for each in experiment.series if each.tool.rdma)
    largest = max((size for each in series for size in each.sizes(SITE)), default=0)
    return max(2 * largest, VERIFIED_BYTES) + QUEUES_BYTES


def _locked(experiments: Iterable[Path]) -> Diagnosis:
    """The limit is per process, and does not hold for root."""
    try:
        need = locked_bytes(map(load, experiments))
    except LabError as error:
        return Diagnosis(SITE, "locked memory", f"no plan to hold it against: {error}", "lab plan")
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    plan = f"the plans of experiments/ need {math.ceil(need / 2**20)} MiB"
    if os.geteuid() == 0 or limit == resource.RLIM_INFINITY:
        return Diagnosis(SITE, "locked memory", f"no limit; {plan}")
    remedy = "" if limit >= need else "ulimit -l unlimited, or memlock in /etc/security/limits.conf"
    return Diagnosis(SITE, "locked memory", f"{limit >> 20} MiB; {plan}", remedy)


def _namespaces() -> Diagnosis:
    why = namespaces.refusal()
    return Diagnosis(SITE, "network namespaces", why or "yes", namespaces.HINT if why else "")


def _module(name: str, use: str) -> Diagnosis:
    """Whether a module is loaded or can be; one that is built in may show neither."""
    if (computer.SYS / "module" / name).exists():
        return Diagnosis(SITE, name, f"loaded ({use})")
    if shutil.which("modinfo") and subprocess.run(["modinfo", name], capture_output=True, check=False).returncode == 0:
        return Diagnosis(SITE, name, f"there ({use})")
    return Diagnosis(SITE, name, f"not in this kernel, unless built in ({use})", missing=True)
