"""An assignment: its experiment, demands, asks, steps and terms, and the points of each check. One TOML file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import ceil
from pathlib import Path

from lab.errors import SizeError, SpecError
from lab.experiment.experiment import Experiment
from lab.experiment.reader import load
from lab.files.schema import Fault, whole_schema
from lab.files.toml import TomlFile, read_toml
from lab.model.sizes import LARGEST, parse_size, parse_sizes
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.programs.student import Words, split
from lab.sites.site import EVERYWHERE, MODULES, fixed
from lab.typed_json import JsonTable, JsonValue, parse_as


@dataclass(frozen=True)
class Demands:
    """Other sizes to measure, and faults that must end with an error."""

    sizes: tuple[int, ...] = (1, 1000, 4097)  # sizes that no student chose
    verify: Words = ()  # words that let both ends check the data; none if the program has no such option
    refuses: tuple[str, ...] = ()  # options that every client must refuse
    killed_server: bool = True  # killed while the client sends
    no_server: bool = True
    seconds: int = 120  # of the site's clock, for all that the checks run of a hand-in's own programs


def read_asked(table: JsonTable) -> Demands:
    """The checked table."""
    given = dict(table)
    if isinstance(sizes := given.get("sizes"), (str, int, list)):
        given["sizes"] = list(parse_sizes(sizes))
    if isinstance(words := given.get("verify"), str):
        given["verify"] = list(split(words))
    return parse_as(Demands, given)


NAMED = {"small": (0, 4096), "large": (65_536, LARGEST), "all": (0, LARGEST)}


@dataclass(frozen=True)
class Ask:
    """A number of true statements or claims, each about all of these series, at any of these sizes."""

    about: tuple[str, ...]
    statements: int = 1
    sizes: str = "all"
    text: str = ""  # for the hand-out and the feedback

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


def sizes_asked(text: str) -> tuple[tuple[int, int], ...]:
    """The first and last size of each range: of `small`, `1..4K` or `64, 64K`."""
    if text in NAMED:
        return (NAMED[text],)
    ends = (part.strip().partition("..") for part in text.split(","))
    return tuple((parse_size(low), parse_size(high if dots else low)) for low, dots, high in ends)


def read_asks(file: TomlFile, experiment: Experiment | None, site: str) -> tuple[Ask, ...]:
    """The checked tables; the experiment must have the series, and the series a size that is asked for."""
    tables: list[JsonTable] = file.document.get("asks", [])
    asks = tuple(parse_as(Ask, table) for table in tables)
    for number, ask in enumerate(asks):
        try:
            sizes_asked(ask.sizes)
        except SizeError as error:
            expected = f"{', '.join(NAMED)}, a range such as 1..4K, or sizes such as 64, 64K"
            file.refuse(Fault(error.what, ("asks", number, "sizes"), expected))
        if experiment:
            _require_measured(file, number, ask, experiment, site)
    return asks


def _require_measured(file: TomlFile, number: int, ask: Ask, experiment: Experiment, site: str) -> None:
    series = {series.name: series for series in experiment.series}
    for name in ask.about:
        if name not in series:
            what = f"an ask is about the series {name}, which {experiment.name} lacks"
            file.refuse(Fault(what, ("asks", number, "about"), f"one of {', '.join(sorted(series))}"))
        if not ask.includes(ask.about, series[name].sizes(site)):
            what = f"{name} was not measured at {ask.sizes}{' sizes' if ask.sizes in NAMED else ''}"
            file.refuse(Fault(what, ("asks", number, "sizes")))


@dataclass(frozen=True)
class Tier:
    """More points for more speed: the geometric mean over the sizes of the step's rate over the other series'."""

    at_least: float
    points: int


@dataclass(frozen=True)
class TaskStep:
    """One step. Its points are shared out among the sizes; those of the tiers are all or none, each."""

    series: str
    points: int
    asks: str  # what it is, in a line
    advice: str = ""  # where to look first if it fails
    against: str = ""  # the series that the tiers compare with
    tiers: tuple[Tier, ...] = ()

    @property
    def most(self) -> int:
        return self.points + sum(each.points for each in self.tiers)


def read_steps(found: TomlFile, experiment: Experiment | None) -> tuple[TaskStep, ...]:
    """The checked tables; together they are worth what [points] says of the check `steps`."""
    tables: Sequence[JsonTable] = found.document.get("step", ())
    steps = tuple(parse_as(TaskStep, each) for each in tables)
    for number, step in enumerate(steps):
        if step.series in [each.series for each in steps[:number]]:
            found.refuse(Fault(f"two steps are of the series {step.series}", ("step", number, "series")))
        if bool(step.tiers) != bool(step.against):
            what = f"the step {step.series} has {'tiers' if step.tiers else 'against'} alone"
            found.refuse(Fault(what, ("step", number), "tiers and the series that they are against, or neither"))
        if experiment:
            _require_series(found, number, step, experiment)
    given, sum_ = found.document["points"].get("steps", 0), sum(each.most for each in steps)
    if given != sum_:
        fault = Fault(f"points.steps is {given}, its steps are worth {sum_}", ("points",), f"steps = {sum_}")
        found.refuse(fault)
    return steps


def _require_series(found: TomlFile, number: int, step: TaskStep, experiment: Experiment) -> None:
    known = sorted(each.name for each in experiment.series)
    for key, name in (("series", step.series), ("against", step.against)):
        if name and name not in known:
            what = f"a step is of the series {name}, which {experiment.name} lacks"
            found.refuse(Fault(what, ("step", number, key), f"one of {', '.join(known)}"))


DAY_S = 86_400


@dataclass(frozen=True)
class DueDate:
    """The last moment, and what comes after it."""

    at: str  # with its offset from UTC
    late_days: int = 0  # that a hand-in may take; later ones get nothing
    percent_a_day: int = 0  # of the points, for each late day that is not free
    minutes_of_grace: int = 10  # a slow network is no lateness

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    def days_late(self, handed_in: datetime) -> int:
        """Each day that has begun."""
        late_s = (handed_in - self.moment).total_seconds()
        return 0 if late_s <= 60 * self.minutes_of_grace else ceil(late_s / DAY_S)

    def share(self, days: int, free_days: int) -> float:
        """What is left of the points: 1 in time, 0 beyond the last late day; free days cost nothing."""
        if days > self.late_days + free_days:
            return 0.0
        return max(0.0, 1 - self.percent_a_day / 100 * max(0, days - free_days))


@dataclass(frozen=True)
class Criterion:
    """What a person judges: a name, its points, and what earns them."""

    name: str
    points: int
    asks: str


@dataclass(frozen=True)
class Terms:
    """All that a course agrees on besides the checks."""

    deadline: DueDate | None = None
    people_at_most: int = 0  # of one hand-in; 0 is any number
    anonymous: bool = False  # a person judges reports without names
    rubric: tuple[Criterion, ...] = ()


def read_terms(found: TomlFile) -> Terms:
    """The checked tables."""
    document = found.document
    deadline = parse_as(DueDate, document["deadline"]) if "deadline" in document else None
    if deadline:
        _require_moment(deadline, found)
    rubric = tuple(parse_as(Criterion, each) for each in document.get("rubric", ()))
    for number, each in enumerate(rubric):
        if each.name in [one.name for one in rubric[:number]]:
            found.refuse(Fault(f"two criteria are called {each.name}", ("rubric", number, "name")))
    return Terms(deadline, document.get("people_at_most", 0), document.get("anonymous", False), rubric)


def _require_moment(deadline: DueDate, found: TomlFile) -> None:
    try:
        is_moment = deadline.moment.tzinfo is not None
    except ValueError:
        is_moment = False
    if not is_moment:
        fault = Fault(f"deadline.at is {deadline.at!r}", ("deadline", "at"), "such as 2026-12-01T23:59+01:00")
        found.refuse(fault)


CHECKS: tuple[str, ...] = tuple(whole_schema("assignment")["$defs"]["check"]["enum"])  # in the order of making them


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
    found = read_toml(file, "assignment", hint="experiments/assignments/NAME.toml")
    document = found.document
    path, site = _experiment(file, document["experiment"]), document.get("site", EVERYWHERE)
    experiment = load(path) if {"step", "asks"} & document.keys() else None
    more = document.get("discussion", {}) | {"asked": _asked(found), "terms": read_terms(found)}
    more |= {"steps": read_steps(found, experiment), "hidden": frozenset(document.get("hidden", ()))}
    points = {name: document["points"].get(name, 0) for name in CHECKS}
    listed = tuple(document["identities"]) if "identities" in document else None
    made = Assignment(file, document["title"], path, site, points, **more, identities=listed)
    _require_own_name(made, found)
    return replace(made, asks=read_asks(found, experiment, made.recorded_as))


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
    return sorted(each.stem for each in folder.glob("*.toml"))


def _experiment(file: Path, named: str) -> Path:
    """A file beside the assignment's, or the name of one in experiments/."""
    return file.parent / named if named.endswith(".toml") else EXPERIMENTS / f"{named}.toml"


def _asked(found: TomlFile) -> Demands:
    """Its texts must be sizes and words. What only the grader asks takes the place of what everybody may read."""
    asked: dict[str, JsonValue] = {}
    for named in ("program", "hidden_program"):
        table = found.document.get(named, {})
        for name, read in (("sizes", parse_sizes), ("verify", split)):
            try:
                read(table.get(name, "1"))
            except (SizeError, ValueError) as error:
                what = error.what if isinstance(error, SizeError) else f"{name}: {str(error).lower()}"
                found.refuse(Fault(what, (named, name), getattr(error, "hint", "")))
        asked |= table
    return read_asked(asked)


def _require_own_name(made: Assignment, found: TomlFile) -> None:
    """By name, only the identity of the assignment's own site is known where it is graded."""
    for number, name in enumerate(made.listed):
        if name in MODULES and name != made.recorded_as:
            expected = f"{made.recorded_as!r}, or the digest of an identity"
            fault = Fault(f"identities names {name!r}, and the site is {made.site!r}", ("identities", number), expected)
            found.refuse(fault)
