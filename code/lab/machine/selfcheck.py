"""The self-check: whether this computer runs the frozen machine to the bytes that the repository expects.

A machine whose clock is off by chance shows it soonest in many short sleeps.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from lab.machine.qemu import MachineError
from lab.machine.results import SERVER, SIDE
from lab.machine.snapshot import Expected, Frozen
from lab.model.trial import Job, Link, Outcome, Perturbation, Step

FOLDER = "exact-here"
NAPS = 5000
WRITE = ("ib_write_bw", "-s", "4096", "-n", "200", "-F", "-d")
SLEEP = f"""mkfifo /tmp/never; exec 3<>/tmp/never; i=0
while [ $i -lt {NAPS} ]; do read -t 0.001 none <&3; i=$((i+1)); done"""
STEPS = {
    "ib_write_bw": Step((*WRITE, "rxe1"), (*WRITE, "rxe0", SIDE[SERVER]), 18515),
    "sleeping": Step(("sh", "-c", "exec iperf3 -s -1 -B 10.0.0.2"), ("sh", "-c", SLEEP), 5201),
}
JOB = Job(tuple(STEPS.values()), Link(), Perturbation(), deadline_s=60)
CPUINFO = Path("/proc/cpuinfo")

Run = Callable[[Job], Outcome]
Tell = Callable[[str], None]


def require_exact(machine: Frozen, known: Expected | None, cache: Path, run: Run, tell: Tell) -> None:
    """Run the check where it was not run yet; an error where it does not hold."""
    if known is None:
        tell("exact: the repository knows no results of this machine, so that none can be checked")
        return
    stamp = (
        cache / FOLDER / _digest([machine.folder.name, machine.runner.folder.name, machine.plugin.parent.name, host()])
    )
    if stamp.exists():
        return
    tell("checking that this computer runs the machine exactly (once)")
    compare(digests(run), known)
    with suppress(OSError):  # who may not write the cache is checked again by each command
        stamp.parent.mkdir(exist_ok=True)
        stamp.touch()


def compare(found: dict[str, str], known: Expected) -> None:
    """Refuse a computer where a step left something else than everywhere."""
    for name, digest in found.items():
        if digest != known.checks.get(name):
            what = f"this computer does not run the machine exactly: {name} gives other bytes here than everywhere else"
            raise MachineError(what, hint="--site vm measures in the time of the wall; docs/sites.md, Exact anywhere")


def digests(run: Run) -> dict[str, str]:
    """What each step of the check leaves here."""
    return {name: _digest(asdict(step)) for name, step in zip(STEPS, run(JOB).steps, strict=True)}


def host() -> str:
    """The computer: another one with the same cache is checked again."""
    lines = CPUINFO.read_text().splitlines() if CPUINFO.exists() else []
    model = next((line for line in lines if line.startswith("model name")), platform.machine())
    return f"{platform.node()} {platform.release()} {model}"


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
