"""Find the records of experiments, without the site."""

import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from pathlib import Path
from typing import NoReturn

from lab.errors import RecordError, plural, tell
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.files.store import sha256_of
from lab.places import REFERENCE
from lab.plan.builds import compiled_before
from lab.plan.plan import Plan, Planned, SiteFacts, binaries, files_of, make_plan
from lab.plan.planning import find_experiment, left_out, most_trials, require_count
from lab.records.facts import SITE, Facts, read_site
from lab.records.record import RecordFiles, open_record
from lab.records.reference import SITE as SITE_OF_REFERENCE
from lab.records.reference import read_identity, reference_plan
from lab.sites.hosts import ANY, choose
from lab.sites.site import Traits, require_known
from lab.typed_json import JsonError, parse_as

Programs = tuple[tuple[str, str], ...]  # (name, sha256), by name


@dataclass(frozen=True)
class Group:
    """The records of one site with one identity."""

    site: SiteFacts
    started: dict[str, str]  # start of each record by key
    programs: dict[Programs, str]  # start of the newest record by programs
    failed: dict[str, str]  # start of each failed trial by key


Present = Mapping[Path, frozenset[str]]  # by program: the digests of builds of the present sources


@dataclass(frozen=True)
class Choice:
    """A plan on one site, and the starts of its records, the newest first."""

    plan: Plan
    starts: tuple[str, ...]
    outdated: tuple[str, ...]  # programs whose present build differs
    failed: int  # trials that always fail

    @property
    def there(self) -> int:
        return len(self.starts)

    @property
    def share(self) -> float:
        return (self.there + self.failed) / len(self.plan.trials())


def plans_of(options: Namespace, reference: Path | None = None) -> tuple[Plan, ...]:
    """Plan each experiment of a command for the site and identity with records of most of its trials; without a record,
    for those of a reference.

    Ties are broken by the site that a run would use, then the identity of results/reference, then age.
    """
    site, results, most = options.site, options.results, most_trials(options)
    experiments = [load(find_experiment(file), most) for file in options.experiment]
    kind, groups = require_known(site).partition(":")[0] if site != ANY else ANY, read_groups(results)
    groups = [group for group in groups if kind in (ANY, group.site.name)]
    for name in sorted({group.site.name for group in groups}):
        require_count(experiments, name, tell, most)
    others = reference if site in (ANY, SITE_OF_REFERENCE) else None
    plans = tuple(
        (choice.plan if (choice := _best(experiment, groups, options.hosts)) else None)
        or (reference_plan(experiment, others) if others else None)
        or _refuse(experiment, groups, results, site)
        for experiment in experiments
    )
    tell(*left_out(plans))
    return plans


def planned_of(facts: Facts, files: Iterable[Path]) -> Planned | None:
    """Return a record's trial, as the first of some experiments plans it; None if none does now."""
    site = read_site(facts.lasting())
    for file in files:
        experiment = load(file)
        if facts.moment.first_asked_by.series not in (series.name for series in experiment.series):
            continue
        programs = {each: facts.asked.programs.get(each.name, "") for each in binaries([experiment])}
        for planned in make_plan(experiment, site, programs).planned:
            if planned.trial.key == facts.key:
                return planned
    return None


def _refuse(experiment: Experiment, groups: list[Group], results: Path, site: str) -> NoReturn:
    count = sum(len(group.started) for group in groups)
    where = "" if site == ANY else f" of the site {site}"
    what = f"there is no record{where}"
    if count:
        what = f"none of {plural(count, 'record')}{where} is of a trial of {experiment.name} as its file is now"
    elif not where and any((results / "records").glob("*/*")):
        what = "no record there names its site"
    raise RecordError(what, str(results), f"lab run {experiment.name}")


def _best(experiment: Experiment, groups: list[Group], hosts: Path) -> Choice | None:
    choices = [choice for group in groups if (choice := _choice(experiment, group)) and choice.there]
    most = max((choice.share for choice in choices), default=0.0)
    first = [choice for choice in choices if choice.share == most]
    if len({choice.plan.site.name for choice in first}) > 1:
        preferred, _ = choose(hosts)
        first = [choice for choice in first if choice.plan.site.name == preferred] or first
    reference = read_identity(REFERENCE) or {}

    def rank(choice: Choice) -> tuple[bool, tuple[str, ...]]:
        return choice.plan.site.identity.items() <= reference.items(), choice.starts

    best = max(first, key=rank, default=None)
    tell(*(_about(best, len(choices) - 1) if best else ()))
    return best


def _about(best: Choice, others: int) -> Iterator[str]:
    """Report records with another identity, and records of another build."""
    name, site = best.plan.experiment.name, best.plan.site.name
    if others:
        there = f"{best.there} of {plural(len(best.plan.trials()), 'trial')}, the last of {best.starts[0]}"
        yield f"{name}: read from the records of {site} ({there}); {others} more with another identity"
    if best.outdated:
        yield f"{name}: the records are of another build of {', '.join(best.outdated)}; lab run measures this one"


def _choice(experiment: Experiment, group: Group) -> Choice | None:
    """Plan the experiment with the present programs where they have records, else with the newest that have some. None
    if the site's link can run no series."""
    if not any(series.runs_on(group.site.traits) for series in experiment.series):
        return None
    pairs = {frozenset(files) for series in experiment.series if (files := files_of(series))}
    ran = [builds for files in pairs if (builds := _ran(files, group))]
    present, digests = _present(experiment, ran), dict.fromkeys(binaries([experiment]), "")
    for builds in ran:
        here = [build for build in builds if all(digest in present.get(file, ()) for file, digest in build.items())]
        digests |= (here or builds)[-1]
    plan = make_plan(experiment, group.site, digests)
    starts = sorted((group.started[key] for key in plan.trials() if key in group.started), reverse=True)
    outdated = sorted(file.name for file, digest in digests.items() if digest not in present.get(file, {digest}))
    lost = group.failed.keys() - group.started.keys() if plan.site.traits.is_deterministic else set[str]()
    failed = len(plan.trials().keys() & lost)
    return Choice(plan, tuple(starts), tuple(outdated), failed)


def _ran(files: frozenset[Path], group: Group) -> list[dict[Path, str]]:
    """The digests of programs that belong together, by build, the newest last."""
    names = {file.name for file in files}
    builds = ((newest, dict(digests)) for digests, newest in group.programs.items())
    ran = sorted(((newest, digests) for newest, digests in builds if digests.keys() == names), key=itemgetter(0))
    return [{file: digests[file.name] for file in files} for _, digests in ran]


def _present(experiment: Experiment, ran: list[list[dict[Path, str]]]) -> Present:
    """Return the builds by this host's compiler, and by the locked compiler if there are several to choose from."""
    builds = {file: build for series in experiment.series for file, build in series.builds.items()}
    several = any(len(of_pair) > 1 for of_pair in ran) or any(map(_build_digest, builds))
    locked = {file: sha256_of(content) for file, content in compiled_before(builds).items()} if several else {}
    digests = {file: {locked.get(file, ""), _build_digest(file)} - {""} for file in builds}
    return {file: frozenset(present) for file, present in digests.items() if present}


@cache
def _build_digest(file: Path) -> str:
    """Return the digest of the present build of a program; empty without a build."""
    try:
        return sha256_of(file.read_bytes())
    except OSError:
        return ""


@dataclass(frozen=True)
class Start:
    started: str


@dataclass(frozen=True)
class Ran:
    """The facts that a record must have besides its site, to be found."""

    traits: Traits
    programs: dict[str, str]
    state: Start


def read_groups(results: Path) -> list[Group]:
    """Group all records that name their site, and failed trials. Readers of other records report their damage."""
    groups: dict[str, Group] = {}
    for folder in sorted([*results.glob("records/*/*"), *results.glob("failed/*")]):
        has_failed = folder.parent.name == "failed"
        with suppress(RecordError, JsonError):
            failure = RecordFiles(folder, Path.read_bytes)  # without digests, unlike a record
            document = failure.document() if has_failed else open_record(results, folder.name).document()
            ran, site = parse_as(Ran, document), json.dumps([document.get(name) for name in SITE], sort_keys=True)
            group = groups.setdefault(site, Group(read_site(document), {}, {}, {}))
            programs, started = tuple(sorted(ran.programs.items())), ran.state.started
            (group.failed if has_failed else group.started)[folder.name] = started
            group.programs[programs] = max(started, group.programs.get(programs, ""))
    return list(groups.values())
