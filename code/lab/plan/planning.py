"""Plan an experiment for a site: programs, cards and facts together."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError
from lab.experiment.experiment import MOST_TRIALS, Experiment
from lab.experiment.reader import load
from lab.places import ASSIGNMENTS, EXAMPLES, EXPERIMENTS
from lab.plan.builds import build, keep_binaries, keep_contents
from lab.plan.plan import Plan, SiteFacts, make_plan
from lab.sites.site import Site

FOLDERS = (EXPERIMENTS, EXAMPLES)
MANY_TRIALS = 50_000  # to plan so many trials takes ten seconds


@dataclass(frozen=True)
class Workshop:
    """A site that is ready, and the plans for it."""

    site: Site
    facts: SiteFacts
    plans: tuple[Plan, ...]


def open_workshop(
    files: Iterable[Path], site: Site, progress: Callable[[str], None], most: int | None = MOST_TRIALS
) -> Workshop:
    """Opens the site and makes the plans. All experiments are checked before a build and counted before a plan."""
    experiments = [load(find_experiment(file), most) for file in files]
    require_count(experiments, site.name, progress, most)
    digests = under_test(experiments, site, progress)
    site.prepare(progress)
    facts = SiteFacts.of(site)
    plans = tuple(make_plan(each, facts, digests) for each in experiments)
    for line in left_out(plans):
        progress(line)
    return Workshop(site, facts, plans)


def under_test(experiments: Sequence[Experiment], site: Site, progress: Callable[[str], None]) -> dict[Path, str]:
    """The digests of the programs under test: by the locked compiler where they run in the lab's image, else by this
    computer's. That takes its place where nobody gives the locked one: other bytes are then another identity. A card's
    module is made by the locked one only."""
    from lab.plan.builds import compiled
    from lab.plan.plan import card_contents  # only now: who reads records needs no compiler and no network
    from lab.supply.packages import SupplyError

    series = [each for experiment in experiments for each in experiment.series]
    builds = dict(pair for each in series for pair in each.builds.items())
    if site.boots_image:
        try:
            programs = compiled(builds, progress)
            return keep_contents(programs | (card_contents(experiments, progress) if site.traits.repeats else {}))
        except SupplyError as why:
            if site.traits.repeats and any(each.has_card for each in series):
                raise
            progress(f"{why.what}: taking programs of this computer's compiler")
    build(each.tool.build for each in series if each.tool.build)
    return keep_binaries(builds)


def most_trials(options: Namespace) -> int | None:
    """The most trials to plan; no limit with --yes."""
    return None if getattr(options, "yes", False) else MOST_TRIALS


def left_out(plans: Iterable[Plan]) -> list[str]:
    """A sentence for each experiment about series that the site's link cannot run."""
    named = ((each, ", ".join(each.experiment.left_out)) for each in plans)
    return [
        f"{each.experiment.name}: left out on {each.site.name}, whose link takes no such model: {names}"
        for each, names in named
        if names
    ]


def require_count(experiments: list[Experiment], site: str, progress: Callable[[str], None], most: int | None) -> None:
    """Refuse or announce a large plan before it takes memory."""
    counts = {each.file: sum(series.trials(site) for series in each.series) for each in experiments}
    count = sum(counts.values())
    if most is not None and count > most:
        largest = max(counts, key=lambda file: counts[file])
        what = f"{count:,} trials on {site}"
        raise SpecError(what, file=largest, expected=f"at most {most:,}", hint="fewer repetitions or values, or --yes")
    if count > MANY_TRIALS:
        progress(f"{count:,} trials are planned, which takes a while")


def find_experiment(named: Path) -> Path:
    """A file, or the name of one in experiments/, else of an example or of a kit's own there."""
    if named.suffix == ".toml" or (named.exists() and not named.is_dir()):
        return named
    for file in (*(folder / f"{named}.toml" for folder in FOLDERS), ASSIGNMENTS / named / f"{named}.toml"):
        if file.exists():
            return file
    known = ", ".join(sorted(each.stem for folder in FOLDERS for each in folder.glob("*.toml")))
    raise SpecError(f"there is no experiment {named}", file=EXPERIMENTS, expected=f"one of {known}")


def all_experiments() -> list[Path]:
    """Every experiment but the bench: the bench compares programs only."""
    return [file for file in sorted(EXPERIMENTS.glob("*.toml")) if file.stem != "bench"]
