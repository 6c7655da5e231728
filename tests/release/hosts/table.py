"""The rows of docs/hosts.md: measured now, or kept of the same machine from before."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from math import ceil
from pathlib import Path

from tests.release.hosts.matrix import HOSTS, Host
from tests.release.hosts.measuring import Count, HostFailed, counted
from tests.release.hosts.outcomes import EVERY, RACES

from lab.errors import LabError
from lab.places import CACHE, DOCS

Tell = Callable[[str], None]
NONE = "-"
UNTRIED = "not measured"
FOLDER = CACHE / "hosts" / "measured"
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


@dataclass(frozen=True)
class Wanted:
    """How much to measure."""

    runs: int
    loads: Sequence[int]
    parts: Sequence[str]
    busy: int = 0  # programs that compute on this computer anyway, as part of a load


@dataclass(frozen=True)
class Row:
    """The cells of one host."""

    host: Host
    day: date | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    counts: Mapping[str, Count] = field(default_factory=dict)
    race: Mapping[int, Count] = field(default_factory=dict)
    why: str = ""

    @property
    def ran(self) -> bool:
        """Whether the host was tried at all."""
        return not self.why.startswith(UNTRIED)

    @property
    def equal(self) -> bool:
        """Whether all that was run left the reference's bytes."""
        return not self.why and not any(each.other for each in self.all_counts())

    def line(self) -> str:
        """As it is in the table."""
        counts = [str(self.counts.get(part, NONE)) for part in ("kinds", EVERY)]
        race = ", ".join(f"{load}: {count}" for load, count in self.race.items()) or NONE
        remark = self.why or next((f"differs: {each.other}" for each in self.all_counts() if each.other), "")
        facts = [self.facts.get(name) or NONE for name in ("python", "qemu")]
        cells = (self.host.name, self.host.words, *facts, *counts, race, self._days() or NONE, remark)
        return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"

    def _days(self) -> str:
        """The day, or each day with what is of it where a row was measured in parts."""
        parts = [("kinds", "kinds"), (EVERY, "all trials")]
        named = [(words, self.counts[part].day) for part, words in parts if part in self.counts]
        named += [(f"race {load}", count.day) for load, count in self.race.items()]
        days = {day: ", ".join(name for name, other in named if other == day) for _, day in named}
        if len(days) < 2:
            return next(iter(days), "") or str(self.day or "")
        return "; ".join(f"{day}: {words}" for day, words in days.items())

    def all_counts(self) -> list[Count]:
        """Those of the parts, then the race's."""
        return [*self.counts.values(), *self.race.values()]


def lacking(host: Host) -> str:
    """What this computer lacks for a host; empty if nothing."""
    missing = [each for each in host.needs if shutil.which(each) is None]
    if missing:
        return f"{UNTRIED}: it takes {' and '.join(missing)}"
    return f"{UNTRIED}: to make its root takes root" if host.needs_root and os.getuid() else ""


def measured(host: Host, wanted: Wanted, tell: Tell) -> Row:
    """Open the host and run all parts there."""
    if why := lacking(host):
        return Row(host, why=why)
    try:
        return _run(host, wanted, tell)
    except (HostFailed, LabError) as error:
        return Row(host, date.today(), why=f"failed: {error}")
    except subprocess.CalledProcessError as error:
        said = str(error.stderr).strip().splitlines() or [str(error)]
        return Row(host, date.today(), why=f"its root could not be made: {said[-1]}")


def _run(host: Host, wanted: Wanted, tell: Tell) -> Row:
    enter = host.opened(host.name)
    counts, race = dict[str, Count](), dict[int, Count]()
    facts: Mapping[str, str] = {}
    for part in (each for each in wanted.parts if host.every or each != EVERY):
        count, facts = counted(enter, part)
        counts[part] = _of_today(count)
        tell(f"{host.name}: {part} {count} {count.other}")
    for load in wanted.loads:
        count, facts = counted(enter, "race", ceil(wanted.runs / RACES), max(0, load - wanted.busy))
        race[load] = _of_today(count)
        tell(f"{host.name}: race at load {load} {count} {count.other}")
    return Row(host, date.today(), facts, counts, race)


def _of_today(count: Count) -> Count:
    return replace(count, day=date.today().isoformat())


def with_earlier(row: Row, folder: Path = FOLDER) -> Row:
    """The row, with the counts that are not in it as they were; kept for the next time. Another machine begins anew."""
    if not row.facts:
        return row
    file = folder / row.facts["identity"] / f"{row.host.name}.json"
    known = json.loads(file.read_text()) if file.exists() else {"counts": {}, "race": {}}
    counts = {part: Count(**each) for part, each in known["counts"].items()}
    race = {int(load): Count(**each) for load, each in known["race"].items()}
    whole = replace(row, counts=counts | dict(row.counts), race=dict(sorted((race | dict(row.race)).items())))
    file.parent.mkdir(parents=True, exist_ok=True)
    kept = {
        "counts": {part: asdict(each) for part, each in whole.counts.items()},
        "race": {load: asdict(each) for load, each in whole.race.items()},
    }
    file.write_text(json.dumps(kept))
    return whole


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
