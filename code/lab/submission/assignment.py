"""An assignment: its experiment, demands, asks, steps and deadline, and the points of each check. One TOML file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Annotated

from lab.errors import SizeError, SpecError, plural
from lab.experiment.experiment import Experiment, Series
from lab.experiment.reader import load
from lab.files.toml import TomlFile, read_toml
from lab.model.sizes import LARGEST, parse_size, parse_sizes
from lab.places import ASSIGNMENTS, EXPERIMENTS
from lab.programs.student import Words, split
from lab.sites.site import EVERYWHERE, FIXED_TRAITS, MODULES
from lab.typed_json import LINE, Fault, JsonTable, Keys, Limits, PartOf, Typed, nearest, parse_as

# In the order in which they are made.
CHECKS = (
    *("package", "records", "rerun", "program", "sources", "correct", "steps"),
    *("speed", "claims", "pages", "discussion"),
)
DAY_S = 86_400
NAMED = {"small": (0, 4096), "large": (65_536, LARGEST), "all": (0, LARGEST)}
NAMED_WORDS = "small (up to 4K), large (from 64K), all, a range such as 1..4K, or sizes such as 64, 64K"

Points = Annotated[int, Limits(least=0, most=1_000_000)]
Count = Annotated[int, Limits(least=0, most=100_000)]
Check = Annotated[str, Limits(choices=CHECKS)]
Line = Annotated[str, Limits(longest=1000, pattern=r"[^\n]*[^\s][^\n]*", expected="a line of text")]
Option = Annotated[str, Limits(longest=1000)]
MODULE = "|".join(MODULES)
IDENTITY = "the name of the assignment's site, such as exact, or 16 digits or more of an identity's digest"
Identity = Annotated[str, Limits(pattern=f"{MODULE}|[0-9a-f]{{16,64}}", expected=IDENTITY)]


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
    """A number of true statements or claims that are each about all of these series, at any of these sizes."""

    about: Annotated[tuple[Line, ...], Limits(shortest=1, longest=20, unique=True)]
    statements: Annotated[int, Limits(least=1, most=1000)] = 1
    sizes: Annotated[str, Limits(pattern=r"[^\n]{1,200}", expected=NAMED_WORDS)] = "all"
    text: Line = ""  # for the hand-out and the feedback

    @property
    def words(self) -> str:
        """`2 statements about card and tcp.card at small sizes`."""
        place = "" if self.sizes == "all" else f" at {self.sizes_words}"
        return f"{plural(self.statements, 'statement')} about {' and '.join(self.about)}{place}"

    @property
    def sizes_words(self) -> str:
        return f"{self.sizes} sizes" if self.sizes in NAMED else self.sizes

    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The first and last size of each range: of `small`, `1..4K` or `64, 64K`."""
        if self.sizes in NAMED:
            return (NAMED[self.sizes],)
        ends = (part.strip().partition("..") for part in self.sizes.split(","))
        return tuple((parse_size(low), parse_size(high if dots else low)) for low, dots, high in ends)

    def includes(self, series: Collection[str], sizes: Collection[int]) -> bool:
        """Whether evidence about these series and sizes counts."""
        ranges = self.ranges()
        return set(self.about) <= set(series) and any(low <= size <= high for size in sizes for low, high in ranges)


@dataclass(frozen=True)
class Tier:
    """More points for more speed: the geometric mean over the sizes of the step's rate over the other series'."""

    at_least: Annotated[float, Limits(above=0, most=1000)]
    points: Points


@dataclass(frozen=True)
class TaskStep:
    """One step. Its points are divided among the sizes; a tier gives all its points or none."""

    series: Line
    points: Points
    asks: Line
    advice: Line = ""  # where to look first if it fails
    sends: Count = 0  # messages of each size that a step without output must send; of several computers: untimed calls
    # Bytes of its only message size, in place of the assignment's sizes:
    size: Annotated[int, Limits(least=0, most=LARGEST)] = 0
    alone: bool = False  # each message must wait until the one before has arrived
    # Over a modelled card, which shows how requests are posted:
    inline_up_to: Count = 0  # bytes of the messages that must be inside their requests
    list_of: Count = 0  # requests for one call
    signals_each: Count = 0  # requests for one completion
    # Of several computers in a ring:
    turns: Count = 0  # of the ring, in which a vector is sent once by each computer: 2 for an all-reduce
    segment: Count = 0  # bytes of the longest message, in place of whole chunks by the operation of the series
    in_flight: Count = 0  # messages of a computer that must be in flight at once, where a chunk is two segments or more
    into: Annotated[int, Limits(least=0, most=2**63)] = 0  # address of the vector into which one turn must be written
    against: Line = ""  # the series that the tiers compare with
    tiers: Annotated[tuple[Tier, ...], Limits(shortest=1, longest=20)] = ()

    @property
    def most(self) -> int:
        return self.points + sum(tier.points for tier in self.tiers)


@dataclass(frozen=True)
class Leaderboard:
    """Ranks submissions by their speed at the largest size of a step's series, if the step has no fault."""

    series: Line


MOMENT = "such as 2026-12-01T23:59+01:00"


def read_moment(text: str) -> datetime | None:
    """A moment with its offset from UTC: without the offset it would depend on the host. None for any other text."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


@dataclass(frozen=True)
class DueDate:
    """The last moment to hand in, and the rules after it."""

    at: Annotated[str, Limits(longest=100, expected="a moment such as 2026-12-01T23:59+01:00")]
    late_days: Annotated[int, Limits(least=0, most=1000)] = 0  # later submissions get no points
    percent_a_day: Annotated[int, Limits(least=0, most=100)] = 0  # of the points, for each late day that is not free
    minutes_of_grace: Annotated[int, Limits(least=0, most=1440)] = 10  # for a slow network

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)

    def days_late(self, handed_in: datetime) -> int:
        """The number of late days, where a day counts as soon as it has begun."""
        late_s = (handed_in - self.moment).total_seconds()
        return 0 if late_s <= 60 * self.minutes_of_grace else ceil(late_s / DAY_S)

    def share(self, days: int, free_days: int) -> float:
        """The remaining share of the points: 1 in time, 0 after the last late day; free days cost nothing."""
        if days > self.late_days + free_days:
            return 0.0
        return max(0.0, 1 - self.percent_a_day / 100 * max(0, days - free_days))


@dataclass(frozen=True)
class Criterion:
    name: Annotated[str, Limits(pattern="[A-Za-z][A-Za-z0-9 _-]{0,59}", expected="letters, digits and spaces")]
    points: Points
    asks: Line


@dataclass(frozen=True)
class DiscussionKeys:
    words_at_least: Count = 1
    evidence_at_least: Count = 0


@dataclass(frozen=True)
class AssignmentFile:
    title: Annotated[str, LINE]
    experiment: Annotated[
        str, Limits(pattern=r"(?!/)[^\n]{1,200}", expected="a name in experiments/, or a .toml file beside this one")
    ]
    points: Mapping[Check, Points]
    site: Annotated[str, Limits(pattern=rf"({MODULE})(:\S+)?", expected="a site, such as exact")] = EVERYWHERE
    identities: Annotated[tuple[Identity, ...] | None, Limits(shortest=1, longest=100, unique=True)] = None
    hidden: Annotated[tuple[Check, ...], Limits(unique=True)] = ()
    discussion: DiscussionKeys = DiscussionKeys()
    program: Annotated[JsonTable, PartOf((Demands,))] = field(default_factory=dict)
    hidden_program: Annotated[JsonTable, PartOf((Demands,))] = field(default_factory=dict)
    step: Annotated[tuple[TaskStep, ...], Limits(longest=100)] = ()
    asks: Annotated[tuple[Ask, ...], Limits(longest=100)] = ()
    leaderboard: Leaderboard | None = None
    deadline: DueDate | None = None
    anonymous: bool = False  # a person judges reports without names
    people_at_most: Annotated[int, Limits(least=1, most=50)] = 0  # of one submission; 0 is any number
    rubric: Annotated[tuple[Criterion, ...], Limits(longest=100)] = ()


@dataclass(frozen=True)
class Assignment(AssignmentFile):
    """One assignment, with points for every check; only the grader makes the hidden checks."""

    file: Path = Path()
    experiment_file: Path = Path()
    asked: Demands = field(default_factory=Demands)
    words_at_least: int = 1
    evidence_at_least: int = 0  # different claims and true statements
    steps: tuple[TaskStep, ...] = ()

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def checks(self) -> tuple[str, ...]:
        """The checks with points, in their order; other checks are not made."""
        return tuple(name for name, points in self.points.items() if points)

    @property
    def step_names(self) -> tuple[str, ...]:
        """The series of the steps. Their programs may fail."""
        return tuple(step.series for step in self.steps)

    @property
    def most(self) -> int:
        return sum(self.points.values()) + sum(self.criteria.values())

    @property
    def criteria(self) -> dict[str, int]:
        return {criterion.name: criterion.points for criterion in self.rubric}

    @property
    def recorded_as(self) -> str:
        """The name of its site in records: `host:rxe` makes those of host."""
        return self.site.partition(":")[0]

    @property
    def listed(self) -> tuple[str, ...]:
        """The accepted identities, by name or digest. The default is the identity that every host has on the site;
        other hardware has to be named."""
        if self.identities is not None:
            return self.identities
        return (self.recorded_as,) if self.recorded_as in FIXED_TRAITS else ()

    def accepts(self, digest: str, *, here: bool) -> bool:
        """Whether records of an identity are graded without a person; `here`: it is that of the grader's site."""
        return (here and self.recorded_as in self.listed) or any(map(digest.startswith, self.listed))

    @property
    def named(self) -> str:
        """The assignment's name in a command: its file, if that is in another folder."""
        return self.name if self.file.parent == ASSIGNMENTS else str(self.file)


def load_assignment(file: Path) -> Assignment:
    toml = read_toml(file, AssignmentFile, hint="experiments/assignments/NAME.toml")
    content = toml.content
    is_beside = content.experiment.endswith(".toml")  # else the name of an experiment in experiments/
    path = file.parent / content.experiment if is_beside else EXPERIMENTS / f"{content.experiment}.toml"
    experiment = load(path) if content.step or content.asks else None
    _check_steps(toml, experiment)
    _check_terms(toml)
    points = {name: content.points.get(name, 0) for name in CHECKS}
    typed = vars(content) | vars(content.discussion) | {"points": points}
    assignment = Assignment(**typed, file=file, experiment_file=path, asked=_demands(toml), steps=content.step)
    _check_identities(toml, assignment)
    _check_asks(toml, experiment, assignment.recorded_as)
    return assignment


def find_assignment(named: str | None, folder: Path = ASSIGNMENTS) -> Path:
    """The file of an assignment that is named by its file or its name, or the only assignment."""
    if named and named.endswith(".toml"):
        return Path(named)
    files = sorted(folder.glob("*.toml")) if named is None else [folder / f"{named}.toml"]
    if len(files) == 1 and files[0].exists():
        return files[0]
    choices = names(folder)
    what = f"unknown assignment {named}" if named else "there are several assignments"
    hint = nearest(named, choices) if named else f"ASSIGNMENT={''.join(choices[:1])}"
    expected = f"one of {', '.join(choices)}"
    raise SpecError(what, file=folder, expected=expected, hint=hint)


def names(folder: Path = ASSIGNMENTS) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.toml"))


def read_demands(table: JsonTable) -> Demands:
    values = dict(table)
    if isinstance(sizes := values.get("sizes"), (str, int, list)):
        values["sizes"] = list(parse_sizes(sizes))
    if isinstance(words := values.get("verify"), str):
        values["verify"] = list(split(words))
    return parse_as(Demands, values)


def _demands(toml: TomlFile[AssignmentFile]) -> Demands:
    """Check both tables of demands; the grader's hidden values replace the public ones."""
    for key, table in (("program", toml.content.program), ("hidden_program", toml.content.hidden_program)):
        name = "verify"
        try:
            demands, name = read_demands(table), "refuses"
            for options in demands.refuses:
                split(options)
        except SizeError as error:
            toml.refuse(Fault(error.what, (key, "sizes"), error.hint))
        except ValueError as error:
            toml.refuse(Fault(f"{name}: {str(error).lower()}", (key, name), "options as in a shell"))
    return read_demands({**toml.content.program, **toml.content.hidden_program})


def _check_steps(toml: TomlFile[AssignmentFile], experiment: Experiment | None) -> None:
    steps = toml.content.step
    _refuse_twice(toml, "two steps are of the series", ("step", "series"), [step.series for step in steps])
    for number, step in enumerate(steps):
        if bool(step.tiers) != bool(step.against):
            what = f"the step {step.series} has {'tiers' if step.tiers else 'against'} alone"
            toml.refuse(Fault(what, ("step", number), "both tiers and the series that they are against, or neither"))
        for key, name in (("series", step.series), ("against", step.against)):
            if experiment and name:
                _require_series(toml, experiment, name, ("step", number, key))
    ranked, names = toml.content.leaderboard, [step.series for step in steps]
    if ranked and ranked.series not in names:
        what = f"the leaderboard is of {ranked.series!r}, which is not a step"
        toml.refuse(Fault(what, ("leaderboard", "series"), f"one of {', '.join(names) or 'no steps'}"))
    points, total = toml.content.points.get("steps", 0), sum(step.most for step in steps)
    if points != total:
        what = f"points.steps is {points}, its steps are worth {total}"
        toml.refuse(Fault(what, ("points",), f"steps = {total}"))


def _check_asks(toml: TomlFile[AssignmentFile], experiment: Experiment | None, site: str) -> None:
    """Check that the experiment has the series, and the series a size of the ask."""
    for number, ask in enumerate(toml.content.asks):
        try:
            ask.ranges()
        except SizeError as error:
            toml.refuse(Fault(error.what, ("asks", number, "sizes"), NAMED_WORDS))
        if experiment is None:
            continue
        for name in ask.about:
            series = _require_series(toml, experiment, name, ("asks", number, "about"))
            if not ask.includes(ask.about, series.sizes(site)):
                what = f"{name} was not measured at {ask.sizes_words}"
                toml.refuse(Fault(what, ("asks", number, "sizes"), NAMED_WORDS))


def _require_series(toml: TomlFile[AssignmentFile], experiment: Experiment, name: str, path: Keys) -> Series:
    by_name = {series.name: series for series in experiment.series}
    if name not in by_name:
        choices, what = sorted(by_name), f"unknown series {name!r} of {experiment.name}"
        toml.refuse(Fault(what, path, f"one of {', '.join(choices)}", nearest(name, choices)))
    return by_name[name]


def _refuse_twice(toml: TomlFile[AssignmentFile], what: str, keys: tuple[str, str], names: list[str]) -> None:
    table, key = keys
    for number, name in enumerate(names):
        if name in names[:number]:
            toml.refuse(Fault(f"{what} {name}", (table, number, key), "each once"))


def _check_terms(toml: TomlFile[AssignmentFile]) -> None:
    deadline = toml.content.deadline
    if deadline and not read_moment(deadline.at):
        toml.refuse(Fault(f"deadline.at is {deadline.at!r}", ("deadline", "at"), MOMENT))
    _refuse_twice(toml, "two criteria are called", ("rubric", "name"), [item.name for item in toml.content.rubric])


def _check_identities(toml: TomlFile[AssignmentFile], assignment: Assignment) -> None:
    """By name, only the identity of the assignment's site can be compared where it is graded."""
    for number, name in enumerate(assignment.listed):
        if name in MODULES and name != assignment.recorded_as:
            what = f"identities names {name!r}, and the site is {assignment.site!r}"
            expected = f"{assignment.recorded_as!r}, or the digest of an identity"
            toml.refuse(Fault(what, ("identities", number), expected))
