"""The rows of docs/hosts.md."""

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from math import ceil
from pathlib import Path

from tests.release.hosts.matrix import HOSTS, Host
from tests.release.hosts.measuring import Count, HostFailed, counted
from tests.release.hosts.outcomes import EVERY, RACES

from lab.errors import LabError
from lab.places import DOCS

NONE = "-"
UNTRIED = "not measured"
NAMES = [host.name for host in HOSTS]
PAGE = DOCS / "hosts.md"
HEAD = """\
# The same bytes on other hosts

`make hosts` measures this table and writes it. Each host runs the same jobs of the exact site as the reference, a plain
checkout on the computer that measured. A cell is the number of runs with the reference's bytes (both ends' output, the
link's counters, all clocks, the kernel's messages), and the number of runs. `-` was not measured.

- kinds: a trial of every kind (verbs write, read and send; TCP, also over a modelled Ethernet; `ib_write_bw`; `iperf3`;
  MPI over TCP and over verbs), and a run of the race.
- all trials: every trial of every experiment, compared with the repository's tables as by `make verify`.
- race: a program that sleeps 20,000 times, five times in one restored VM, beside a number of busy programs. It detects
  an inexact clock soonest.

No host has a network. Each gets the locked packages, and builds from them the programs, the guest's image, the bundled
QEMU and the snapshot. Where the harness is outside, the host has QEMU alone, which restores the reference's snapshot.
The QEMU that is installed on a host is never used. The hosts are environments on one physical machine, whose kernel and
CPU are {computer}; `arm64` is emulated on it.

| host | what | Python | its QEMU | kinds | all trials | race, by load | day | remarks |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
FOOT = """
## How they are made
`make hosts HOSTS="debian-13 musl" RUNS=10 LOADS="0 2"` measures some hosts, or fewer runs; `EVERY=no` and `KINDS=no`
leave out those trials. A measured row replaces the earlier one. The roots are in `.cache/hosts`. Some need root.

| host | made by | needs root |
| --- | --- | --- |
"""


@dataclass(frozen=True)
class Row:
    host: Host
    day: date | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, Count] = field(default_factory=dict)
    race: Mapping[int, Count] = field(default_factory=dict)
    why: str = ""

    @property
    def ran(self) -> bool:
        return not self.why.startswith(UNTRIED)

    @property
    def difference(self) -> str:
        """The first run that left other bytes; empty if there is none."""
        return next((each.other for each in (*self.counts.values(), *self.race.values()) if each.other), "")

    def line(self) -> str:
        counts = [str(self.counts.get(part, NONE)) for part in ("kinds", EVERY)]
        race = ", ".join(f"{load}: {count}" for load, count in self.race.items()) or NONE
        remark = self.why or (self.difference and f"differs: {self.difference}")
        facts = [self.facts.get(name) or NONE for name in ("python", "qemu")]
        cells = (self.host.name, self.host.words, *facts, *counts, race, str(self.day or NONE), remark)
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def lacking(host: Host) -> str:
    """The reason why a host cannot be made here; empty if there is none."""
    if missing := [each for each in host.needs if shutil.which(each) is None]:
        return f"{UNTRIED}: needs {' and '.join(missing)}"
    return f"{UNTRIED}: needs root" if host.needs_root and os.getuid() else ""


def measured(
    host: Host, runs: int, loads: Sequence[int], parts: Iterable[str], tell: Callable[[str], None] = print
) -> Row:
    """Open the host and run all parts there, and the race this number of times at each load."""
    if why := lacking(host):
        return Row(host, why=why)
    counts, race, facts = dict[str, Count](), dict[int, Count](), dict[str, str]()
    try:
        enter = host.opened(host.name)
        for part in (each for each in parts if host.every or each != EVERY):
            counts[part], facts = counted(enter, part)
            tell(f"{host.name}: {part} {counts[part]} {counts[part].other}")
        for load in loads:
            race[load], facts = counted(enter, "race", ceil(runs / RACES), load)
            tell(f"{host.name}: race at load {load} {race[load]} {race[load].other}")
    except (HostFailed, LabError) as error:
        return Row(host, date.today(), why=f"failed: {error}")
    except subprocess.CalledProcessError as error:
        lines = str(error.stderr).strip().splitlines() or [str(error)]
        return Row(host, date.today(), why=f"its root could not be made: {lines[-1]}")
    return Row(host, date.today(), facts, counts, race)


def lines(page: str) -> dict[str, str]:
    """The rows of a page's first table, by host."""
    table = page.partition("\n## ")[0].splitlines()
    return {line.split(" ")[1]: line for line in table if line.startswith("| ") and line.split(" ")[1] in NAMES}


def text(rows: Iterable[Row], old: Mapping[str, str]) -> str:
    """The page. A row in which nothing was run does not replace a measured one."""
    new = {row.host.name: row.line() for row in rows if row.ran or UNTRIED in old.get(row.host.name, UNTRIED)}
    table = [{host.name: Row(host, why=UNTRIED).line(), **old, **new}[host.name] for host in HOSTS]
    model = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    computer = f"Linux {platform.release().partition('-')[0]}, {model[1] if model else platform.machine()}"
    made = [f"| {host.name} | `{host.made}` | {'yes' if host.needs_root else 'no'} |" for host in HOSTS]
    return HEAD.format(computer=computer) + "\n".join(table) + "\n" + FOOT + "\n".join(made) + "\n"


def write(rows: Iterable[Row]) -> None:
    """Write the page; hosts without a new row keep their row."""
    PAGE.write_text(text(rows, lines(PAGE.read_text())))
