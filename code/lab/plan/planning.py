"""Plan experiments for a site: programs, cards and facts together."""

import math
import threading
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from lab.errors import SpecError, Tell
from lab.experiment.experiment import MOST_TRIALS, Experiment
from lab.experiment.reader import load
from lab.files.bounded import read_typed
from lab.files.toml import Lines, parse
from lab.places import ASSIGNMENTS, CACHE, EXAMPLES, EXPERIMENTS, MACHINE
from lab.plan.builds import build, compiled, compiled_places, keep_binaries, keep_contents
from lab.plan.plan import Plan, SiteFacts, card_contents, make_plan
from lab.sites.site import Site
from lab.typed_json import nearest

FOLDERS = (EXPERIMENTS, EXAMPLES)
MANY_TRIALS = 50_000  # a plan of so many trials takes ten seconds


@dataclass(frozen=True)
class Campaign:
    """A prepared site, and the plans of experiments for it."""

    site: Site
    facts: SiteFacts
    plans: tuple[Plan, ...]


def open_campaign(files: Iterable[Path], site: Site, tell: Tell, most: int | None = MOST_TRIALS) -> Campaign:
    """Open the site and make the plans. All experiments are checked before a build and counted before a plan."""
    experiments = [load(find_experiment(file), most) for file in files]
    require_count(experiments, site.name, tell, most)
    if site.boots_image:
        from lab.machine.exchange import bring_from_course  # imported lazily: reading records needs no network

        bring_from_course(MACHINE, CACHE, compiled_places, tell)
    ready = _started(lambda: site.prepare(tell))  # the VM boots while the programs compile
    digests = under_test(experiments, site, tell)
    ready.result()
    facts = SiteFacts.of(site)
    plans = tuple(make_plan(each, facts, digests) for each in experiments)
    for line in left_out(plans):
        tell(line)
    return Campaign(site, facts, plans)


def _started(function: Callable[[], None]) -> Future[None]:
    """Start a function in a thread that an interrupted process does not wait for."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 - raised again by result()
            future.set_exception(error)
        else:
            future.set_result(None)

    threading.Thread(target=run, daemon=True).start()
    return future


def under_test(experiments: Sequence[Experiment], site: Site, tell: Tell) -> dict[Path, str]:
    """The digests of the programs under test.

    The locked compiler builds them if the site boots Verbyte's VM, else this host's compiler. This host's compiler also
    replaces a locked one that no package source has: other bytes then change the identity. A card's module needs the
    locked compiler.
    """
    series = [each for experiment in experiments for each in experiment.series]
    builds = dict(pair for each in series for pair in each.builds.items())
    if site.boots_image:
        from lab.supply.packages import SupplyError  # imported lazily: reading records needs no network

        try:
            cards = card_contents(experiments, tell) if site.traits.is_deterministic else {}
            return keep_contents(compiled(builds, tell) | cards)
        except SupplyError as error:
            if site.traits.is_deterministic and any(each.has_card for each in series):
                raise
            tell(f"{error.what}: using the programs of this host's compiler")
    build(each.tool.build for each in series if each.tool.build)
    return keep_binaries(builds)


def require_count(experiments: list[Experiment], site: str, tell: Tell, most: int | None) -> None:
    """Refuse or announce a large plan before it takes memory."""
    counts = {each.file: sum(series.trials(site) for series in each.series) for each in experiments}
    count = sum(counts.values())
    if most is not None and count > most:
        largest = max(counts, key=lambda file: counts[file])
        what = f"{count:,} trials on {site}"
        raise SpecError(what, file=largest, expected=f"at most {most:,}", hint="fewer repetitions or values, or --yes")
    if count > MANY_TRIALS:
        tell(f"planning {count:,} trials takes a while")


def most_trials(options: Namespace) -> int | None:
    """The most trials to plan; no limit with --yes."""
    return None if getattr(options, "yes", False) else MOST_TRIALS


def left_out(plans: Iterable[Plan]) -> list[str]:
    """A line for each experiment with series that the site's link cannot run."""
    return [
        f"{plan.experiment.name}: left out on {plan.site.name}, whose link takes no such model: "
        + ", ".join(plan.experiment.left_out)
        for plan in plans
        if plan.experiment.left_out
    ]


def find_experiment(name: Path) -> Path:
    """A file or the folder beside it, or the name of an experiment in experiments/, of an example or of a kit."""
    if name.suffix == ".toml" or (name.exists() and not name.is_dir()):
        return name
    beside, of_kit = Path(f"{name}.toml"), ASSIGNMENTS / name / f"{name}.toml"
    for file in (*(folder / beside for folder in FOLDERS), of_kit, beside):
        if file.exists():
            return file
    names = sorted(file.stem for folder in FOLDERS for file in folder.glob("*.toml"))
    expected, hint = f"one of {', '.join(names)}", nearest(name.stem.lower(), names)
    raise SpecError(f"unknown experiment {name}", file=EXPERIMENTS, expected=expected, hint=hint)


def experiment_files() -> Iterator[Path]:
    """Every file that find_experiment() finds by its name."""
    for folder in FOLDERS:
        yield from sorted(folder.glob("*.toml"))
    yield from sorted(file for file in ASSIGNMENTS.glob("*/*.toml") if file.stem == file.parent.name)


def all_experiments() -> list[Path]:
    """Every experiment but those with `in_all = false`: those with the key `order` first, then by name. A wrong value
    of either key is refused where the experiment is loaded."""
    files = sorted(EXPERIMENTS.glob("*.toml"))
    tables = {file: parse(Lines(file, read_typed(file))) for file in files}
    orders = {file: order if isinstance(order := tables[file].get("order"), int) else math.inf for file in files}
    return sorted((file for file in files if tables[file].get("in_all") is not False), key=orders.__getitem__)
