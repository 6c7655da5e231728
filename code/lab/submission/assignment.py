"""An assignment: its experiment, demands, asks, steps and terms, and the points of each check. One TOML file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Annotated

from lab.errors import SizeError, SpecError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.files.toml import TomlFile, read_toml
from lab.model.sizes import LARGEST, parse_size, parse_sizes
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.programs.student import Words, split
from lab.sites.site import EVERYWHERE, MODULES, fixed
from lab.typed_json import LINE, Fault, JsonTable, Keys, Limits, PartOf, Typed, nearest, parse_as

CHECKS = (  # in the order of making them
    "package",
    "records",
    "rerun",
    "program",
    "sources",
    "correct",
    "steps",
    "speed",
    "claims",
    "pages",
    "discussion",
)
DAY_S = 86_400
NAMED = {"small": (0, 4096), "large": (65_536, LARGEST), "all": (0, LARGEST)}
NAMED_WORDS = "small (up to 4K), large (from 64K), all, a range such as 1..4K, or sizes such as 64, 64K"

Points = Annotated[int, Limits(least=0, most=1_000_000)]
Line = Annotated[str, Limits(longest=1000, pattern=r"[^\n]*[^\s][^\n]*", expected="a line of text")]
Option = Annotated[str, Limits(longest=1000)]
Identity = Annotated[
    str,
    Limits(
        pattern=f"{'|'.join(MODULES)}|[0-9a-f]{{16,64}}",
        expected="the name of the assignment's site, such as exact, or 16 digits or more of an identity's digest",
    ),
]


@dataclass(frozen=True)
class Demands:
    """Other sizes to measure, and faults that must end with an error."""

    sizes: Annotated[tuple[int, ...], Typed(str), Limits(shortest=1, longest=10_000)] = (1, 1000, 4097)
    verify: Annotated[Words, Typed(str), Limits(longest=1000)] = ()  # options that let both ends check the data
    refuses: Annotated[tuple[Option, ...], Limits(longest=100)] = ()  # options that every client must refuse
    killed_server: bool = True  # killed while the client sends
    no_server: bool = True
    seconds: Annotated[int, Limits(least=1, most=100_000)] = 120  # of the site's clock, for all checks of a program


@dataclass(frozen=True)
class Ask:
    """A number of true statements or claims, each about all of these series, at any of these sizes."""

    about: Annotated[tuple[Line, ...], Limits(shortest=1, longest=20, unique=True)]
    statements: Annotated[int, Limits(least=1, most=1000)] = 1
    sizes: Annotated[str, Limits(pattern=r"[^\n]{1,200}", expected=NAMED_WORDS)] = "all"
    text: Line = ""  # for the hand-out and the feedback

    @property
    def words(self) -> str:
        """`2 statements about card and tcp.card at small sizes`."""
        count = f"{self.statements} statement{'s' if self.statements > 1 else ''}"
        place = "" if self.sizes == "all" else f" at {self.sizes}{' sizes' if self.sizes in NAMED else ''}"
        return f"{count} about {' and '.join(self.about)}{place}"

    def includes(self, series: Collection[str], sizes: Collection[int]) -> bool:
        """Whether evidence about these series and sizes counts."""
        ranges = sizes_asked(self.sizes)
        return set(self.about) <= set(series) and any(low <= size <= high for size in sizes for low, high in ranges)


@dataclass(frozen=True)
class Tier:
    """More points for more speed: the geometric mean over the sizes of the step's rate over the other series'."""

    at_least: Annotated[float, Limits(above=0, most=1000)]
    points: Points


@dataclass(frozen=True)
class TaskStep:
    """One step. Its points are shared out among the sizes; those of the tiers are all or none, each."""

    series: Line
    points: Points
    asks: Line  # what it is, in a line
    advice: Line = ""  # where to look first if it fails
    against: Line = ""  # the series that the tiers compare with
    tiers: Annotated[tuple[Tier, ...], Limits(shortest=1, longest=20)] = ()

    @property
    def most(self) -> int:
        return self.points + sum(tier.points for tier in self.tiers)


@dataclass(frozen=True)
class DueDate:
    """The last moment, and what comes after it."""

    at: Annotated[str, Limits(longest=100, expected="a moment such as 2026-12-01T23:59+01:00")]
    late_days: Annotated[int, Limits(least=0, most=1000)] = 0  # that a hand-in may take; later ones get nothing
    percent_a_day: Annotated[int, Limits(least=0, most=100)] = 0  # off the points, for each late day that is not free
    minutes_of_grace: Annotated[int, Limits(least=0, most=1440)] = 10  # a slow network is no lateness

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    def days_late(self, handed_in: datetime) -> int:
        """The late days, each as soon as it has begun."""
        late_s = (handed_in - self.moment).total_seconds()
        return 0 if late_s <= 60 * self.minutes_of_grace else ceil(late_s / DAY_S)

    def share(self, days: int, free_days: int) -> float:
        """The share of the points that is left: 1 in time, 0 beyond the last late day; free days cost nothing."""
        if days > self.late_days + free_days:
            return 0.0
        return max(0.0, 1 - self.percent_a_day / 100 * max(0, days - free_days))


@dataclass(frozen=True)
class Criterion:
    """What a person judges: a name, its points, and what earns them."""

    name: Annotated[
        str, Limits(pattern="[A-Za-z][A-Za-z0-9 _-]{0,59}", expected="a name of letters, digits and spaces")
    ]
    points: Points
    asks: Line


@dataclass(frozen=True)
class Terms:
    """All that a course agrees on besides the checks."""

    deadline: DueDate | None = None
    people_at_most: int = 0  # of one hand-in; 0 is any number
    anonymous: bool = False  # a person judges reports without names
    rubric: tuple[Criterion, ...] = ()


@dataclass(frozen=True)
class DiscussionKeys:
    """The table [discussion]."""

    words_at_least: Annotated[int, Limits(least=0, most=100_000)] = 1
    evidence_at_least: Annotated[int, Limits(least=0, most=100_000)] = 0


@dataclass(frozen=True)
class AssignmentFile:
    """The tables of an assignment, as they are typed."""

    title: Annotated[str, LINE]
    experiment: Annotated[
        str, Limits(pattern=r"(?!/)[^\n]{1,200}", expected="a name in experiments/, or a .toml file beside this one")
    ]
    points: Mapping[Annotated[str, Limits(choices=CHECKS)], Points]
    site: Annotated[str, Limits(pattern=rf"({'|'.join(MODULES)})(:\S+)?", expected="a site, such as exact")] = (
        EVERYWHERE
    )
    identities: Annotated[tuple[Identity, ...] | None, Limits(shortest=1, longest=100, unique=True)] = None
    hidden: Annotated[tuple[Annotated[str, Limits(choices=CHECKS)], ...], Limits(unique=True)] = ()
    discussion: DiscussionKeys = DiscussionKeys()
    program: Annotated[JsonTable, PartOf((Demands,))] = field(default_factory=dict)
    hidden_program: Annotated[JsonTable, PartOf((Demands,))] = field(default_factory=dict)
    step: Annotated[tuple[TaskStep, ...], Limits(longest=100)] = ()
    asks: Annotated[tuple[Ask, ...], Limits(longest=100)] = ()
    deadline: DueDate | None = None
    anonymous: bool = False
    people_at_most: Annotated[int, Limits(least=1, most=50)] = 0
    rubric: Annotated[tuple[Criterion, ...], Limits(longest=100)] = ()


@dataclass(frozen=True)
class Assignment:
    """One assignment file; only the grader makes the hidden checks."""

    file: Path
    title: str
    experiment: Path
    site: str
    points: dict[str, int]
    words_at_least: int = 1
    evidence_at_least: int = 0  # different claims and true statements
    asks: tuple[Ask, ...] = ()
    hidden: frozenset[str] = frozenset()
    asked: Demands = field(default_factory=Demands)
    identities: tuple[str, ...] | None = None  # whose records are graded without a person: names and digests
    steps: tuple[TaskStep, ...] = ()
    terms: Terms = field(default_factory=Terms)

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks with points, in their order: others are not made."""
        return tuple(name for name, points in self.points.items() if points)

    @property
    def most(self) -> int:
        """All points: of the checks, and of what a person judges."""
        return sum(self.points.values()) + sum(each.points for each in self.terms.rubric)

    @property
    def recorded_as(self) -> str:
        """The name of its site in records: `slurm:exact` makes those of exact, `host:rxe` of host."""
        kind, _, wanted = self.site.partition(":")
        return wanted if wanted in MODULES else kind

    @property
    def listed(self) -> tuple[str, ...]:
        """The identities that it accepts, by name or digest. By default the one that every computer has on its site;
        other hardware has to be named."""
        if self.identities is not None:
            return self.identities
        return (self.recorded_as,) if fixed(self.recorded_as) else ()

    def accepts(self, digest: str, *, own: bool) -> bool:
        """Whether records of an identity are graded without a person; `own` is the one that the grader's site has."""
        return (own and self.recorded_as in self.listed) or any(map(digest.startswith, self.listed))

    @property
    def named(self) -> str:
        """The word that names it in a command: its name, or its file in another folder."""
        return self.name if self.file.parent == ASSIGNMENTS else str(self.file)


def load_assignment(file: Path) -> Assignment:
    """The checked assignment; an error names the line."""
    toml = read_toml(file, AssignmentFile, hint="experiments/assignments/NAME.toml")
    content = toml.content
    path = _experiment(file, content.experiment)
    experiment = load(path) if content.step or content.asks else None
    _check_steps(toml, experiment)
    _check_terms(toml)
    assignment = Assignment(
        file,
        content.title,
        path,
        content.site,
        {name: content.points.get(name, 0) for name in CHECKS},
        content.discussion.words_at_least,
        content.discussion.evidence_at_least,
        content.asks,
        frozenset(content.hidden),
        _demands(toml),
        content.identities,
        content.step,
        Terms(content.deadline, content.people_at_most, content.anonymous, content.rubric),
    )
    _check_identities(toml, assignment)
    _check_asks(toml, experiment, assignment.recorded_as)
    return assignment


def find_assignment(named: str | None, folder: Path = ASSIGNMENTS) -> Path:
    """The file of an assignment: given as a file, by its name, or the only one."""
    if named and named.endswith(".toml"):
        return Path(named)
    files = sorted(folder.glob("*.toml")) if named is None else [folder / f"{named}.toml"]
    if len(files) == 1 and files[0].exists():
        return files[0]
    known = names(folder)
    what = f"there is no assignment {named}" if named else "there are several assignments"
    raise SpecError(what, file=folder, expected=f"one of {', '.join(known)}", hint=f"ASSIGNMENT={''.join(known[:1])}")


def names(folder: Path = ASSIGNMENTS) -> list[str]:
    """The names of a folder's assignments."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def sizes_asked(text: str) -> tuple[tuple[int, int], ...]:
    """The first and last size of each range: of `small`, `1..4K` or `64, 64K`."""
    if text in NAMED:
        return (NAMED[text],)
    ends = (part.strip().partition("..") for part in text.split(","))
    return tuple((parse_size(low), parse_size(high if dots else low)) for low, dots, high in ends)


def read_demands(table: JsonTable) -> Demands:
    """The demands of a table as it is typed."""
    values = dict(table)
    if isinstance(sizes := values.get("sizes"), (str, int, list)):
        values["sizes"] = list(parse_sizes(sizes))
    if isinstance(words := values.get("verify"), str):
        values["verify"] = list(split(words))
    return parse_as(Demands, values)


def _experiment(file: Path, named: str) -> Path:
    """A file beside the assignment's, or the name of one in experiments/."""
    return file.parent / named if named.endswith(".toml") else EXPERIMENTS / f"{named}.toml"


def _demands(toml: TomlFile[AssignmentFile]) -> Demands:
    """Both tables of demands: the grader's hidden ones replace those that everybody may read."""
    for key, table in (("program", toml.content.program), ("hidden_program", toml.content.hidden_program)):
        try:
            read_demands(table)
        except SizeError as error:
            toml.refuse(Fault(error.what, (key, "sizes"), error.hint))
        except ValueError as error:
            toml.refuse(Fault(f"verify: {str(error).lower()}", (key, "verify")))
    return read_demands({**toml.content.program, **toml.content.hidden_program})


def _check_steps(toml: TomlFile[AssignmentFile], experiment: Experiment | None) -> None:
    """The steps together are worth what [points] gives the check `steps`."""
    steps = toml.content.step
    for number, step in enumerate(steps):
        if step.series in [earlier.series for earlier in steps[:number]]:
            toml.refuse(Fault(f"two steps are of the series {step.series}", ("step", number, "series")))
        if bool(step.tiers) != bool(step.against):
            what = f"the step {step.series} has {'tiers' if step.tiers else 'against'} alone"
            toml.refuse(Fault(what, ("step", number), "tiers and the series that they are against, or neither"))
        for key, name in (("series", step.series), ("against", step.against)):
            if experiment and name:
                _require_series(toml, experiment, name, ("step", number, key))
    points, total = toml.content.points.get("steps", 0), sum(step.most for step in steps)
    if points != total:
        fault = Fault(f"points.steps is {points}, its steps are worth {total}", ("points",), f"steps = {total}")
        toml.refuse(fault)


def _check_asks(toml: TomlFile[AssignmentFile], experiment: Experiment | None, site: str) -> None:
    """The experiment must have the series, and the series a size that is asked for."""
    for number, ask in enumerate(toml.content.asks):
        try:
            sizes_asked(ask.sizes)
        except SizeError as error:
            expected = f"{', '.join(NAMED)}, a range such as 1..4K, or sizes such as 64, 64K"
            toml.refuse(Fault(error.what, ("asks", number, "sizes"), expected))
        if experiment is None:
            continue
        for name in ask.about:
            _require_series(toml, experiment, name, ("asks", number, "about"))
            series = next(series for series in experiment.series if series.name == name)
            if not ask.includes(ask.about, series.sizes(site)):
                what = f"{name} was not measured at {ask.sizes}{' sizes' if ask.sizes in NAMED else ''}"
                toml.refuse(Fault(what, ("asks", number, "sizes")))


def _require_series(toml: TomlFile[AssignmentFile], experiment: Experiment, name: str, path: Keys) -> None:
    known = sorted(series.name for series in experiment.series)
    if name not in known:
        what = f"there is no series {name!r} in {experiment.name}"
        toml.refuse(Fault(what, path, f"one of {', '.join(known)}", nearest(name, known)))


def _check_terms(toml: TomlFile[AssignmentFile]) -> None:
    if deadline := toml.content.deadline:
        try:
            is_moment = deadline.moment.tzinfo is not None
        except ValueError:
            is_moment = False
        if not is_moment:
            fault = Fault(f"deadline.at is {deadline.at!r}", ("deadline", "at"), "such as 2026-12-01T23:59+01:00")
            toml.refuse(fault)
    rubric = toml.content.rubric
    for number, criterion in enumerate(rubric):
        if criterion.name in [earlier.name for earlier in rubric[:number]]:
            toml.refuse(Fault(f"two criteria are called {criterion.name}", ("rubric", number, "name")))


def _check_identities(toml: TomlFile[AssignmentFile], assignment: Assignment) -> None:
    """By name, only the identity of the assignment's own site is known where it is graded."""
    for number, name in enumerate(assignment.listed):
        if name in MODULES and name != assignment.recorded_as:
            what = f"identities names {name!r}, and the site is {assignment.site!r}"
            expected = f"{assignment.recorded_as!r}, or the digest of an identity"
            toml.refuse(Fault(what, ("identities", number), expected))
