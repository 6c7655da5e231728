"""Whether every program leaves the same bytes, whatever this computer does meanwhile and however the machine was made.

`python -m tests.release.same_bytes --runs 20 --busy 6` prints a table: how many runs of each trial left what its first
run did, to the last byte of what both ends print, of the link's counters, of all clocks and the kernel's messages.
"""

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from tests.machine.over_card import rarer
from tests.release.hosts.elsewhere import tell
from tests.release.hosts.measuring import busy
from tests.release.hosts.outcomes import FAILED, Named, said_of, trials

from lab.compiler import build
from lab.model.trial import Job
from lab.places import CACHE, EXPERIMENTS, MACHINE
from lab.sites.exact import ExactSite

EVERY_PROGRAM = Path(__file__).with_name("every_program.toml")
AT_ONCE = 4
OTHER_FLAGS = ("-O1", "-O3")
FURTHER_NS = (1_000, 4_000, 9_000)  # of propagation more

Digests = Mapping[str, str]
Opened = Callable[[], AbstractContextManager[ExactSite]]


@dataclass(frozen=True)
class Circumstance:
    """How the site is opened, how often each trial runs there, and by how much the computers stand further apart."""

    words: str
    opened: Opened
    runs: int = 1
    further_ns: int = 0


def circumstances(runs: int, loops: int) -> tuple[Circumstance, ...]:
    """All that may not change a byte. A longer wire makes another trial, which is compared with its first run."""
    return (
        Circumstance(f"{AT_ONCE} at once beside {loops} busy loops", partial(beside, loops), runs),
        Circumstance("on one core", on_one_core),
        Circumstance("frozen again", frozen_again),
        Circumstance("with a card that nobody uses", partial(opened, kind=EachWithCard)),
        *(Circumstance(f"card by {flag}", partial(card_by, flag)) for flag in OTHER_FLAGS),
        *(Circumstance(f"{far / 1000:g} us further", opened, 1, far) for far in FURTHER_NS),
    )


class EachWithCard(ExactSite):
    """The exact site with a card in both computers, whether a link has one or not."""

    def card(self, _: Job) -> Path:
        """The same device as over a card."""
        return build.card_file(build.DEVICE, self.machine, self.cache, self.tell)


@contextmanager
def opened(cache: Path = CACHE, kind: type[ExactSite] = ExactSite) -> Iterator[ExactSite]:
    site = kind(MACHINE, cache)
    site.prepare(tell)
    try:
        yield site
    finally:
        site.stop()


@contextmanager
def beside(loops: int) -> Iterator[ExactSite]:
    """Beside programs that only compute."""
    with busy(loops), opened() as site:
        yield site


@contextmanager
def on_one_core() -> Iterator[ExactSite]:
    """All threads of the site take turns on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        with opened() as site:
            yield site
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def frozen_again() -> Iterator[ExactSite]:
    """A snapshot of its own, booted again from the image."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the compiler is shut in as somebody else
        for unpacked in ("image", "runner", "compiler"):
            shutil.copytree(CACHE / unpacked, Path(folder, "cache", unpacked))
        with opened(Path(folder, "cache")) as site:
            yield site


@contextmanager
def card_by(flag: str) -> Iterator[ExactSite]:
    """The card's device, optimised in another way."""
    flags = tuple(flag if each.startswith("-O") else each for each in build.PLUGIN_FLAGS)
    assert flags != build.PLUGIN_FLAGS
    with patch.object(build, "PLUGIN_FLAGS", flags), opened() as site:
        yield site


def further(jobs: Named, by_ns: int) -> Named:
    """The same over longer wires; a card's wire has its own length."""
    return {
        name: replace(job, link=replace(job.link, delay_ns=job.link.delay_ns + by_ns))
        for name, job in jobs.items()
        if by_ns == 0 or not job.link.card
    }


def digests(site: ExactSite, jobs: Named) -> Digests:
    """Of each trial's outcome, several at once."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = dict(zip(jobs, pool.map(partial(said_of, site), jobs.values()), strict=True))
    for name, said in found.items():
        if said.startswith(FAILED):
            tell(f"{name}: {said}")
    return found


def equal_runs(found: Circumstance, jobs: Named, first: Digests) -> dict[str, int]:
    """How many runs of each trial were equal to its first one."""
    equal = dict.fromkeys(jobs, 0)
    with found.opened() as site:
        for run in range(found.runs):
            for name, said in digests(site, jobs).items():
                equal[name] += said == first[name] and not said.startswith(FAILED)
            tell(f"{found.words}: {sum(equal.values())} of {(run + 1) * len(jobs)} equal")
    return equal


def every_job(folder: Path) -> Named:
    """Of each program once, by the name of its series; those of no series have their files in that folder."""
    with opened() as site:
        found = trials([EVERY_PROGRAM, short_all_reduce(folder / "reduce")], site)
        return {name.split("/")[1]: job for name, job in found.items()} | rarer(folder)


def short_all_reduce(folder: Path) -> Path:
    """The experiment of several computers behind a switch, with two sizes and a repetition of each series."""
    shutil.copytree(EXPERIMENTS / "all_reduce", folder / "all_reduce")
    text = (EXPERIMENTS / "all_reduce.toml").read_text()
    text, count = re.subn(r'^sizes = ".*"$', 'sizes = "1K,16K"', text, flags=re.M)
    assert count == 1
    (folder / "all_reduce.toml").write_text(re.sub(r"^repetitions = \d+$", "repetitions = 1", text, flags=re.M))
    return folder / "all_reduce.toml"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="beside the busy loops (default: 20)")
    parser.add_argument("--busy", type=int, default=6, help="how many loops (default: 6)")
    parser.add_argument("--only", nargs="*", default=[], help="series or other jobs (default: all)")
    parser.add_argument("--where", nargs="*", default=[""], help="circumstances by a word of each (default: all)")
    asked = parser.parse_args()
    possible = circumstances(asked.runs, asked.busy)
    tried = tuple(each for each in possible if any(word in each.words for word in asked.where))
    if not tried:
        parser.error(f"no circumstance has one of these words: {' '.join(asked.where)}")
    with TemporaryDirectory() as folder:
        jobs = every_job(Path(folder))
        if unknown := sorted({*asked.only} - jobs.keys()):
            parser.error(f"no series and no job: {', '.join(unknown)}")
        return compare({name: jobs[name] for name in asked.only or jobs}, tried)


def compare(jobs: Named, tried: tuple[Circumstance, ...]) -> int:
    """Print a row for each job; 1 if any run was not equal."""

    @cache
    def first(by_ns: int) -> Digests:
        with opened() as site:
            return digests(site, further(jobs, by_ns))

    columns = [(each.runs, equal_runs(each, further(jobs, each.further_ns), first(each.further_ns))) for each in tried]
    print("| series | " + " | ".join(each.words for each in tried) + " |")
    print("| --- |" + " --- |" * len(tried))
    for name in jobs:
        cells = (f"{equal[name]}/{runs}" if name in equal else "-" for runs, equal in columns)
        print(f"| {name} | {' | '.join(cells)} |")
    return int(any(count < runs for runs, equal in columns for count in equal.values()))


if __name__ == "__main__":
    sys.exit(main())
