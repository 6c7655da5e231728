"""The trials of an experiment on a site, in their order."""

import hashlib
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from lab.errors import SpecError, Tell
from lab.experiment.experiment import Experiment, Point, Series
from lab.files.store import sha256, sums_of
from lab.model.parameters import Parameters
from lab.model.trial import DAEMON, OVER_CARD, Ends, Job, Perturbation, Step
from lab.places import CACHE, CARD, GUEST_SANDBOX, MACHINE
from lab.plan.builds import kept_binary
from lab.programs.launchers import with_ranks_under
from lab.programs.program import Program, Request
from lab.sites.site import Shared, Site, Traits

FORMAT = 2  # of keys and records; another number makes all old records unknown
TOKEN_BYTES = 16
LEAST_TIME_S = 1  # of each size on a wall clock, unless least_time_s is given
START_DELAY_NS = 8_000_000  # two scheduler ticks at 250 Hz
ENVIRONMENT_BYTES = 4096  # a page: moves the stack against it
SCRIPT = CARD / "library" / Path(OVER_CARD).name
CARD_FILES = STARTER, MODULE, LIBRARY = tuple(
    CACHE / "card" / name for name in (SCRIPT.name, "labcard.ko", "libcard.so")
)


@dataclass(frozen=True)
class SiteFacts:
    name: str
    ends: Ends
    identity: dict[str, str]
    traits: Traits

    @classmethod
    def of(cls, site: Site) -> "SiteFacts":
        return cls(site.name, site.ends, site.identity(), site.traits)

    def can_run(self, program: Program) -> bool:
        """Whether both ends have the RDMA device that a program needs."""
        return not program.rdma or bool(self.ends.client.device and self.ends.server.device)


@dataclass(frozen=True)
class Trial:
    key: str
    outcome_key: str  # without how the output is read
    request: Request
    job: Job
    programs: dict[str, str]  # program under test -> sha256


@dataclass(frozen=True)
class Planned:
    """A trial as a part of an experiment; several parts may share one trial."""

    trial: Trial
    series: Series
    point: Point
    repetition: int

    @property
    def digests(self) -> dict[Path, str]:
        return {file: self.trial.programs[file.name] for file in files_of(self.series)}


@dataclass(frozen=True)
class Plan:
    experiment: Experiment
    site: SiteFacts
    planned: tuple[Planned, ...]

    @property
    def digests(self) -> dict[Path, str]:
        return {file: digest for planned in self.planned for file, digest in planned.digests.items()}

    def trials(self) -> dict[str, Trial]:
        """Every trial once, by key, first repetitions first: early results cover all series."""
        return {each.trial.key: each.trial for each in sorted(self.planned, key=lambda each: each.repetition)}


def make_plan(experiment: Experiment, site: SiteFacts, digests: Mapping[Path, str]) -> Plan:
    """All trials that the site can run; digests are those of the programs under test."""
    experiment = experiment.on(site.traits)
    # Refuse to set a clock apart from itself.
    if site.traits.shared in (Shared.CORE, Shared.COMPUTER):
        for series in experiment.series:
            if series.link.sets_clock:
                what = f"{series.name} sets the server's clock, and both ends have the same one on {site.name}"
                raise SpecError(what, file=experiment.file, hint="--site exact")
    return Plan(experiment, site, tuple(_planned(experiment, site, digests)))


def binaries(experiments: Iterable[Experiment]) -> set[Path]:
    return {file for experiment in experiments for series in experiment.series for file in files_of(series)}


def files_of(series: Series) -> tuple[Path, ...]:
    """The programs of one series, the one that sets its clock, and the files of its card."""
    return (*series.builds, *(CARD_FILES if series.has_card else ()))


def canonical(value: object) -> str:
    """The same text for equal values, whatever the order of their keys; a dataclass becomes a table of its fields."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=vars)


def _planned(experiment: Experiment, site: SiteFacts, digests: Mapping[Path, str]) -> Iterator[Planned]:
    """The trials of all series. Repetitions share their request to save memory."""
    for series in experiment.series:
        for point in series.points():
            parameters, counts = series.parameters(site.name, point), series.counts(site.name, point)
            parameters = replace(parameters, least_time_s=_least_time_s(series, point, parameters, site.traits))
            request = Request(series.program, series.operation, series.measure, counts, parameters)
            for repetition in range(1, parameters.repetitions + 1):
                trial = make_trial(series, _shuffled(request, repetition), repetition, site, digests)
                yield Planned(trial, series, point, repetition)


def _least_time_s(series: Series, point: Point, parameters: Parameters, traits: Traits) -> int:
    """The least time of a size. On a wall clock a few milliseconds would measure the scheduler; a count of instructions
    has no such noise. With repeated rounds, checked bytes or varied iterations the number of messages is fixed; with a
    duration the time is."""
    if parameters.least_time_s != "auto":
        return parameters.least_time_s
    counted = parameters.verify or parameters.until_stable or parameters.duration_s or "iterations" in point
    counted = counted or "least_time_s" not in series.tool.parameters
    return 0 if counted or traits.is_deterministic else LEAST_TIME_S


def make_trial(
    series: Series, request: Request, repetition: int, site: SiteFacts, digests: Mapping[Path, str]
) -> Trial:
    programs = {file.name: digests[file] for file in files_of(series)}
    job = Job(
        steps=steps_of(series, request, site.ends),
        link=series.link,
        perturbation=perturb(repetition),
        deadline_s=request.deadline_s,
        overlay=tuple(kept_binary(name, digest) for name, digest in programs.items()),
        untrusted=series.tool.build is not None and not series.tool.launched,
    )
    reading = series.tool.reading
    if series.tool.chooses_sizes:
        reading += f" about {sorted(counts.size for counts in request.counts)}"
    if series.tool.reads_iterations:
        reading += f" of {[counts.iterations for counts in request.counts]}"
    key = _key(job, programs, site, reading)
    outcome_key = _key(job, programs, site, "") if reading else key
    token = _token_of(key) if site.traits.is_deterministic else secrets.token_hex(TOKEN_BYTES)
    return Trial(key, outcome_key, request, replace(job, environment=(("LAB_TOKEN", token),)), programs)


def steps_of(series: Series, request: Request, ends: Ends) -> tuple[Step, ...]:
    """The commands of both ends, over the card where the series has one."""
    steps = series.tool.steps(request, ends)
    return tuple(map(over_card, steps)) if series.has_card else steps


def _shuffled(request: Request, repetition: int) -> Request:
    counts = {each.size: each for each in request.counts}
    return replace(request, counts=tuple(counts[size] for size in shuffle(tuple(counts), repetition)))


def _key(job: Job, programs: dict[str, str], site: SiteFacts, reading: str) -> str:
    """The digest of all that determines a record; the experiment's name and the paths of files do not count."""
    steps = [{name: value for name, value in vars(step).items() if value is not None} for step in job.steps]
    facts = vars(job) | {"steps": steps, "overlay": (), "format": FORMAT, "programs": programs}
    facts["identity"] = site.identity
    facts["link"] = job.link.table
    del facts["untrusted"]
    if job.untrusted:
        facts["shut in"] = sha256(GUEST_SANDBOX)
    if job.is_switched and site.traits.is_deterministic:
        from lab.machine import switched  # imported lazily: other plans need no VM

        facts["switch"] = switched.digest(MACHINE)
    if reading:
        facts["reading"] = reading
    return hashlib.sha256(canonical(facts).encode()).hexdigest()


def _token_of(key: str) -> str:
    """A token of this trial, the same in each run. It is not secret, since records publish keys: use it only where
    nobody else reaches the ends."""
    return hashlib.sha256(f"token {key}".encode()).hexdigest()[: 2 * TOKEN_BYTES]


def perturb(repetition: int) -> Perturbation:
    delay, environment = (draw(what, repetition) for what in ("delay", "environment"))
    return Perturbation(delay % START_DELAY_NS, environment % ENVIRONMENT_BYTES)


@cache
def shuffle(sizes: tuple[int, ...], repetition: int) -> tuple[int, ...]:
    return tuple(sorted(sizes, key=lambda size: draw(f"size {size}", repetition)))


@cache
def draw(what: str, repetition: int) -> int:
    """A number from a hash: the sequence of a random generator may change with Python's version."""
    return int.from_bytes(hashlib.sha256(f"{what} {repetition}".encode()).digest()[:8], "big")


def card_contents(experiments: Iterable[Experiment], tell: Tell) -> dict[Path, bytes]:
    """The compiled files of the card, if an experiment has a card."""
    has_card = any(series.has_card for experiment in experiments for series in experiment.series)
    return parts(MACHINE, CACHE, tell) if has_card else {}


def parts(machine: Path, cache: Path, tell: Tell) -> dict[Path, bytes]:
    """The starter script, the kernel module and the library of the card. The script ends with a digest of the device:
    the bytes of the others are of one CPU architecture."""
    from lab.compiler import build  # imported lazily: planning from records needs no compiler

    module, library = (build.card_file(name, machine, cache, tell) for name in (build.MODULE, build.LIBRARY))
    sources = {file.name: sha256(file) for file in (CARD / "abi.h", *CARD.glob("device/*.[ch]"))}
    starter = SCRIPT.read_bytes() + f"# the device: {hashlib.sha256(sums_of(sources)).hexdigest()}\n".encode()
    return {STARTER: starter, MODULE: module.read_bytes(), LIBRARY: library.read_bytes()}


def over_card(step: Step) -> Step:
    """A step whose programs use the card in place of Soft-RoCE's data path."""
    if step.ranks and DAEMON not in step.ranks:
        ranks = tuple((OVER_CARD, *command) for command in step.ranks)
        return replace(step, client=ranks[0], ranks=ranks)
    if step.server in ((), DAEMON):  # a launcher of all ranks
        launcher = with_ranks_under((OVER_CARD,), step.client)
        return replace(step, client=launcher, ranks=step.ranks and (launcher, *step.ranks[1:]))
    return replace(step, server=(OVER_CARD, *step.server), client=(OVER_CARD, *step.client))
