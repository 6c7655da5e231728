"""Compare the instructions of a message between two commits of the programs under test."""

import io
import subprocess
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from lab.causes.count import Profiler, Window
from lab.causes.symbols import POLLING
from lab.causes.table import Share, difference
from lab.cli.tools import asked_windows
from lab.errors import LabError, SpecError, tell
from lab.files import bounded
from lab.model.sizes import format_size, parse_sizes
from lab.places import CACHE, MACHINE
from lab.plan.builds import LARGEST_SOURCE, compiled, keep_contents
from lab.plan.plan import Plan, make_plan
from lab.plan.planning import open_campaign
from lab.programs.program import Build
from lab.sites.exact import ProfiledSite

PRESENT = "the files now"


def history(options: Namespace) -> int:
    sizes = parse_sizes(options.sizes) if options.sizes else ()
    site = ProfiledSite(MACHINE, CACHE)
    (plan,) = open_campaign([options.experiment], site, tell).plans
    before, after = at_commit(plan, options.since), at_commit(plan, options.until) if options.until else plan
    counter = Profiler(site)
    pairs = (asked_windows(each, options.series or (), sizes) for each in (before, after))
    for old, new in zip(*pairs, strict=True):
        for shares in zip(_shares(counter, old, options.since), _shares(counter, new, options.until), strict=True):
            print("\n".join(lines(*shares, new.trials[0].programs, options.top)), end="\n\n", flush=True)
    return 0


def at_commit(plan: Plan, commit: str) -> Plan:
    """The plan with the programs as they were at a commit. The VM, the card and the experiment are today's."""

    def read(build: Build) -> Iterator[tuple[str, bytes]]:
        files = sources(build.folder, commit)
        return ((name, files[name]) for name in sorted(files) if build.is_source(name))

    builds = dict(pair for series in plan.experiment.series for pair in series.builds.items())
    tell(f"building the programs of {commit}")
    return make_plan(plan.experiment, plan.site, plan.digests | keep_contents(compiled(builds, tell, read)))


def sources(folder: Path, commit: str) -> Mapping[str, bytes]:
    command = ("git", "-C", str(folder), "archive", "--format=tar", "--end-of-options", commit)
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise LabError(f"git cannot be run: {error}", hint="install git") from error
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().partition("\n")[0]
        raise SpecError(f"no sources at {commit!r:.60}: {why}", file=folder, hint=f"git log --oneline {folder}")
    return bounded.unpack(io.BytesIO(done.stdout), LARGEST_SOURCE)


def _shares(counter: Profiler, window: Window, commit: str | None) -> list[Share]:
    tell(f"counting {window.planned.series.name} at {format_size(window.counts.size)}: {commit or PRESENT}")
    return counter.shares(window)


def lines(before: Share, after: Share, programs: Collection[str], top: int) -> Iterator[str]:
    """One end's change for people: the functions of the programs under test, then of kernel and libraries: there, the
    same work may fall into other packets. Polls that found nothing do not count."""
    changed, messages = difference(after.functions, before.functions), after.messages
    del changed[POLLING]
    parts: list[list[tuple[int, str]]] = [[], []]
    for (owner, name), number in changed.items():
        parts[owner not in programs].append((number, f"{owner:<20} {name}"))
    inside, outside = (sum(number for number, _ in part) / messages for part in parts)
    yield (
        f"{after.series}, {format_size(after.size_bytes)}, {after.end}: {inside:+,.2f} instructions a message in the "
        f"programs, {outside:+,.2f} in kernel and libraries, {after.instructions / messages:,.2f} in all"
    )
    for part in parts:
        for number, name in sorted(part, key=lambda entry: (-abs(entry[0]), entry[1]))[:top]:
            yield f"{number / messages:>+12,.2f}  {name}"
