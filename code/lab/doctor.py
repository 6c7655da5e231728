"""What the exact site needs of this computer, what is there, and the command that brings what is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.places import BENCH, ROOT
from lab.rules import ONE_CORE_SITES

FREE_BYTES = 2 * 2**30  # image, frozen machine and results, with room to spare
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",  # runs the machine
    "apt-get": "apt",  # fetches the packages that the image is made of
    "dpkg-deb": "dpkg",  # unpacks them
    "gcc": "gcc",  # builds the programs under test
}
BINARIES = ("verbs-server", "verbs-client", "tcp-server", "tcp-client")


@dataclass(frozen=True)
class Finding:
    """One thing that a site needs."""

    what: str
    found: str
    remedy: str = ""  # empty when all is well


def examine() -> Iterator[Finding]:
    """Everything, in the order in which it is needed."""
    yield from (_program(name, package) for name, package in PROGRAMS.items())
    yield from (_binary(name) for name in BINARIES)
    yield _disk(ROOT)
    yield Finding("processors", f"{os.cpu_count()}: as many trials at once")
    yield _rdma()


def format_findings(findings: list[Finding]) -> str:
    """A line for each, remedies at the end of theirs."""
    width = max(len(each.what) for each in findings)
    return "\n".join(f"{_verdict(each)} {each.what:<{width}}  {each.found}{_advice(each)}" for each in findings)


def _verdict(finding: Finding) -> str:
    return "no" if finding.remedy else "ok"


def _advice(finding: Finding) -> str:
    return f"; try: {finding.remedy}" if finding.remedy else ""


def _program(name: str, package: str) -> Finding:
    place = shutil.which(name)
    return Finding(name, place) if place else Finding(name, "not installed", f"make setup, or apt install {package}")


def _binary(name: str) -> Finding:
    file = BENCH / name
    return Finding(name, "built") if file.exists() else Finding(name, "not built", "make build")


def _disk(folder: Path) -> Finding:
    free = shutil.disk_usage(folder).free
    remedy = "" if free >= FREE_BYTES else "free some space"
    return Finding("disk", f"{free / 2**30:.1f} GiB free", remedy)


def _rdma() -> Finding:
    devices = Path("/sys/class/infiniband")
    names = sorted(each.name for each in devices.iterdir()) if devices.is_dir() else []
    own = ", ".join(names) or "none"
    return Finding("RDMA devices", f"{own} (the {', '.join(sorted(ONE_CORE_SITES))} site brings its own)")
