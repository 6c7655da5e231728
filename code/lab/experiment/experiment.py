"""An experiment: its series, sweeps and sizes."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

from lab.errors import SpecError
from lab.experiment.document import Causes, Comparison
from lab.model.parameters import Counts, Parameters, Profile, Scalar
from lab.model.trial import Link
from lab.places import SET_CLOCK
from lab.programs.program import Build, Program
from lab.sites.site import Traits

Point = dict[str, Scalar]  # varied parameter -> its value
MOST_TRIALS = 1_000_000  # without --yes: a plan keeps each trial in memory


@dataclass(frozen=True)
class Series:
    """One curve, or a family of curves: a program, its operation, and the varied values."""

    name: str
    tool: Program
    operation: str
    measure: str
    published: Parameters
    profiles: dict[str, Profile]
    link: Link
    vary: dict[str, tuple[Scalar, ...]]
    soft_roce: bool = False  # over a card's wire, but by the kernel

    @property
    def program(self) -> str:
        return self.tool.name

    @property
    def builds(self) -> dict[Path, Build | None]:
        """The programs under test and the one that sets the clock; each with its build, if that is not `make`."""
        clock = {SET_CLOCK: None} if self.link.sets_clock else {}
        return dict.fromkeys(self.tool.binaries, self.tool.build) | clock

    @property
    def has_card(self) -> bool:
        """Whether its messages use a modelled card; sockets and Soft-RoCE use the same wire without it."""
        return self.link.card is not None and self.tool.rdma and not self.soft_roce

    def runs_on(self, traits: Traits) -> bool:
        return not self.obstacle(traits)

    def obstacle(self, traits: Traits) -> str:
        """The reason why a site cannot provide the series' link; empty if it can."""
        link, together = self.link, self.tool.together
        if traits.repeats:
            return ""
        if link.card:
            return "has a modelled card, and this site has none"
        if together and link.computers > traits.computers:
            most = f"{traits.computers} computers" if traits.computers else "a server and a client"
            return f"needs {link.computers} computers that start at once, and this site has {most}"
        if link.is_modelled and not traits.takes_models:
            return "models a link, and this site's link is real"
        return "has a switch's queue, and this link has no switch" if link.queue_bytes and not together else ""

    def points(self) -> tuple[Point, ...]:
        return tuple(dict(zip(self.vary, values, strict=True)) for values in product(*self.vary.values()))

    def trials(self, site: str) -> int:
        return prod(len(values) for values in self.vary.values()) * self.parameters(site, {}).repetitions

    def profile(self, site: str) -> Profile:
        return self.profiles.get(site, Profile(why="The published parameters run unchanged."))

    def parameters(self, site: str, point: Point) -> Parameters:
        """The published parameters, replaced by the site's profile, then by the varied values."""
        return self.published.with_values(self.profile(site).values).with_values(point)

    def sizes(self, site: str) -> tuple[int, ...]:
        return tuple(sorted(self.parameters(site, {}).sizes))

    def counts(self, site: str, point: Point) -> tuple[Counts, ...]:
        parameters = self.parameters(site, point)
        return tuple(self.profile(site).counts(parameters, size) for size in parameters.sizes)


@dataclass(frozen=True)
class Experiment:
    name: str
    file: Path
    title: str
    question: str
    series: tuple[Series, ...]
    comparisons: tuple[Comparison, ...] = ()
    left_out: tuple[str, ...] = ()  # series that the link cannot run
    failed: tuple[str, ...] = ()  # series without numbers, since their programs failed
    causes: Causes | None = None

    @property
    def cards(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.link.card.name for each in self.series if each.link.card and each.has_card))

    def on(self, traits: Traits) -> "Experiment":
        """The experiment without the series that the site cannot run."""
        series = tuple(each for each in self.series if each.runs_on(traits))
        left_out = tuple(each.name for each in self.series if each not in series)
        if not series:
            what = " or ".join(dict.fromkeys(each.obstacle(traits) for each in self.series))
            raise SpecError(f"every series {what}", file=self.file, hint="--site exact")
        return replace(self.without(left_out), left_out=left_out)

    def without(self, names: Collection[str]) -> "Experiment":
        series = tuple(each for each in self.series if each.name not in names)
        comparisons = tuple(each for each in self.comparisons if not {each.ours, *each.peers} & {*names})
        return replace(self, series=series, comparisons=comparisons)
