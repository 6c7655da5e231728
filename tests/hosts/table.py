"""docs/hosts.md: written from rows; the line of a host that was not measured now stays as it is."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterable
from pathlib import Path

from tests.hosts.matrix import HOSTS
from tests.hosts.row import UNTRIED, Row

from lab.places import DOCS

NAMES = [host.name for host in HOSTS]
CPUINFO = Path("/proc/cpuinfo")
PAGE = DOCS / "hosts.md"
HEAD = """\
# The same bytes on other hosts

Written by `make hosts`, which measures it. Each host runs the same jobs of the exact machine as the reference, a plain
checkout on the computer that measured. A cell counts the runs that left the reference's bytes: what both ends print,
the link's counters, all clocks, the kernel's messages; and how many ran. `-` was not measured.

- kinds: a trial of every kind (verbs write, read and send; TCP, also over a modelled Ethernet; `ib_write_bw`; `iperf3`;
  MPI over TCP and over verbs), and a run of the race.
- all trials: every trial of every experiment, its lines against the repository's tables, as `make verify` compares.
- race: a program that sleeps 20,000 times, five times in one restored machine, beside so many busy programs. It finds a
  clock that is not exact soonest.

No host has a network. Each gets the lock's packages, and makes by itself the programs, the guest's image, the carried
QEMU and the frozen machine. Where the harness is outside, QEMU alone is there, and restores the machine
that the reference froze. No QEMU that is installed on a host is used but in the rows `qemu-10` and `qemu-11`: they show
where the lab could move to.
The hosts are environments on one physical machine, whose kernel and CPU are {computer}; `arm64` is emulated on it.

| host | what | Python | its QEMU | kinds | all trials | race, by load | day | remarks |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
FOOT = """
## How they are made
`make hosts HOSTS="debian-13 musl" RUNS=10 LOADS="0 2"` measures some hosts, or fewer runs; `EVERY=no` and `KINDS=no`
leave out those trials: what was measured before, of the same machine, stays in the table. `BUSY=2`: two of a load's
programs run already. The roots stay in `.cache/hosts`. To make some of them takes root; other users measure the rest.

| host | made by | takes root |
| --- | --- | --- |
"""


def lines(page: str) -> dict[str, str]:
    """The rows of the first table, by host."""
    table = page.partition("\n## ")[0].splitlines()
    return {line.split(" ")[1]: line for line in table if line.startswith("| ") and line.split(" ")[1] in NAMES}


def text(rows: Iterable[Row], old: dict[str, str]) -> str:
    """The page. A row in which nothing was run does not replace one in which something was."""
    new = {row.host.name: row.line() for row in rows if row.ran or UNTRIED in old.get(row.host.name, UNTRIED)}
    table = [{host.name: Row(host, why=UNTRIED).line(), **old, **new}[host.name] for host in HOSTS]
    computer = f"Linux {platform.release().partition('-')[0]}, {processor()}"
    made = [f"| {host.name} | `{host.made}` | {'yes' if host.needs_root else 'no'} |" for host in HOSTS]
    return HEAD.format(computer=computer) + "\n".join(table) + "\n" + FOOT + "\n".join(made) + "\n"


def processor() -> str:
    """Its name, as the kernel has it."""
    named = re.search(r"^model name\s*: (.*)$", CPUINFO.read_text(), re.MULTILINE)
    return named[1] if named else platform.machine()


def write(rows: Iterable[Row], page: Path = PAGE) -> None:
    """Renew the page."""
    page.write_text(text(rows, lines(page.read_text() if page.exists() else "")))
