"""A host's row: what was measured there, or why nothing was."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import ceil

from tests.hosts.jobs import RACES
from tests.hosts.matrix import Host
from tests.hosts.measuring import Count, HostFailed, counted
from tests.hosts.outcomes import EVERY

from lab.errors import LabError

Tell = Callable[[str], None]
NONE = "-"
UNTRIED = "not measured"


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
        """As it stands in the table."""
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
