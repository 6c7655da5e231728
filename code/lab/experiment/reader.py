"""Read an experiment file: layers of parameters, sweeps and cards."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import prod
from pathlib import Path

from lab.errors import SizeError
from lab.experiment.document import Document, SeriesTable, Values
from lab.experiment.experiment import MOST_TRIALS, Causes, Comparison, Experiment, Point, Series
from lab.experiment.rules import FIXED, SWEEPABLE, Setting, broken_rule, find_program, idle_variation, program_faults
from lab.files.schema import EXPERIMENT, Fault, Keys, check_value
from lab.files.toml import TomlFile, check_lines, read_toml, read_whole
from lab.model.parameters import BYTE_COUNTS, Parameters, Profile, Scalar
from lab.model.sizes import LARGEST, parse_size, parse_sizes
from lab.model.trial import PARAMETERS, Card, Link
from lab.places import CARDS
from lab.typed_json import parse_as

SCHEMA = "card"


@dataclass(frozen=True)
class Known:
    """One parameter: its value, and why it is that."""

    value: int
    origin: str  # data sheet, fitted, assumed
    source: str
    fitted_to: str = ""  # the report that a fitted value repeats


@dataclass(frozen=True)
class CardFile:
    """A card, and the origin of each of its parameters, in the order of the model."""

    title: str
    card: Card
    known: dict[str, Known]


def card_names(folder: Path = CARDS) -> list[str]:
    """Those that an experiment can name."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def read_card(name: str, folder: Path = CARDS) -> CardFile:
    """A card's file, each value checked by its schema."""
    document = read_toml(folder / f"{name}.toml", SCHEMA, hint="experiments/cards/NAME.toml").document
    known = {each: parse_as(Known, document[each]) for each in PARAMETERS}
    card = parse_as(Card, {"name": name, **{each: given.value for each, given in known.items()}})
    return CardFile(str(document["title"]), card, known)


BOUNDS = (
    "iterations_at_most",
    "iterations_at_least",
    "depths_at_least",
    "warmup_at_most",
    "warmup_depths_at_least",
    "bytes_per_size_at_most",
)


def load(file: Path, most_trials: int | None = MOST_TRIALS) -> Experiment:
    """Read and check an experiment file; refuse one that cannot run."""
    found = check_lines(read_whole(file), EXPERIMENT)
    document = parse_as(Document, found.document)
    if fault := next(program_faults(document, file), None):
        found.refuse(fault)
    return _Reader(found, document, most_trials).experiment()


class _Reader:
    """Lays values over each other. Each refusal names the line that caused it."""

    def __init__(self, found: TomlFile, document: Document, most_trials: int | None) -> None:
        self.most_trials = most_trials
        self.file, self.document, self.refuse = found.file, document, found.refuse

    def experiment(self) -> Experiment:
        series = tuple(self.series(index, table) for index, table in enumerate(self.document.series))
        names = [each.name for each in series]
        for index, name in enumerate(names):
            if name in names[:index]:
                self.refuse(
                    Fault(f"a second series is called {name!r}", ("series", index, "name"), "a name of its own")
                )
        comparisons = tuple(self.comparison(index, names) for index in range(len(self.document.comparison)))
        said = self.document
        causes = self.causes(names)
        return Experiment(self.file.stem, self.file, said.title, said.question, series, comparisons, causes=causes)

    def series(self, index: int, table: SeriesTable) -> Series:
        own = ("series", index, "parameters")
        base = self.layer(Parameters(), self.document.parameters, ("parameters",))
        series = Series(
            name=table.name,
            tool=find_program(table, self.document.programs, self.file),
            operation=table.operation,
            measure=table.measure,
            published=self.layer(base, table.parameters, own),
            profiles=self.profiles(index, table),
            link=self.link(index, table),
            vary=dict(table.vary),
            soft_roce=table.soft_roce,
        )
        if series.soft_roce and not (series.link.card and series.tool.rdma):
            what = f"{series.name} names Soft-RoCE in place of a card, and has no card"
            self.refuse(Fault(what, ("series", index, "soft_roce"), "a program of verbs over a link with a card"))
        if not series.published.sizes:
            self.refuse(Fault(f"{series.name} has no sizes", ("parameters",), "sizes = ..."))
        self.check(series, index)
        return series

    def link(self, index: int, table: SeriesTable) -> Link:
        """The series' link; a card's file says what its wire is, and nobody else."""
        given = {**self.document.link, **table.link}
        name = given.pop("card", None)
        link = parse_as(Link, given)
        if not isinstance(name, str):
            return link
        for key in ("rate_bit_s", "delay_ns"):
            if key in given:
                what = f"{table.name} has a card, whose wire has its own {key}"
                self.refuse(Fault(what, self.of_link(index, table, key), "the card's, in experiments/cards"))
        if name not in (known := card_names()):
            near = get_close_matches(name, known, n=1)
            hint = f"{near[0]!r}?" if near else ""
            what = f"there is no card {name!r}"
            self.refuse(Fault(what, self.of_link(index, table, "card"), f"one of {', '.join(known)}", hint))
        card = read_card(name).card
        return replace(link, rate_bit_s=card.rate_bit_s, card=card)

    def of_link(self, index: int, table: SeriesTable, key: str) -> Keys:
        return ("series", index, "link", key) if key in table.link else ("link", key)

    def layer(self, base: Parameters, given: Values, path: Keys) -> Parameters:
        """The parameters with these values, each checked again: the schema cannot read 4G."""
        for name, value in given.items():
            try:
                base = base.with_values({name: value})
            except SizeError as error:
                self.refuse(Fault(error.what, (*path, name), hint=error.hint))
            self.check_bytes(name, base.as_dict()[name], (*path, name))
        return base

    def check_bytes(self, name: str, value: Scalar | tuple[int, ...], path: Keys) -> None:
        if name in BYTE_COUNTS and (fault := check_value(name, value)):
            self.refuse(replace(fault, path=path))
        if isinstance(value, tuple) and (fault := check_value(name, max(value))):
            self.refuse(replace(fault, path=path))

    def profiles(self, index: int, table: SeriesTable) -> dict[str, Profile]:
        """Profiles by site. A series' own value wins over the common profile's; its own profile wins over both."""
        common, own = self.document.profile, table.profile
        profiles = {}
        for site in dict.fromkeys([*common, *own]):
            shared = {name: value for name, value in common.get(site, {}).items() if name not in table.parameters}
            path = ("series", index, "profile", site) if site in own else ("profile", site)
            profiles[site] = self.profile({**shared, **own.get(site, {})}, path)
        return profiles

    def profile(self, given: Values, path: Keys) -> Profile:
        if not isinstance(why := given.get("why"), str):
            self.refuse(Fault("the profile does not say why it differs", path, "why = a sentence"))
        bounds = {
            name: self.size(bound, (*path, name)) for name in BOUNDS if isinstance(bound := given.get(name), (int, str))
        }
        if bounds.get("iterations_at_least", 0) > (most := bounds.get("iterations_at_most", LARGEST)):
            what = f"iterations_at_least = {bounds['iterations_at_least']} is above iterations_at_most = {most}"
            self.refuse(Fault(what, (*path, "iterations_at_least"), f"at most {most}"))
        values = {name: value for name, value in given.items() if name not in (*BOUNDS, "why")}
        self.layer(Parameters(), values, path)
        return Profile(why, values=values, **bounds)

    def size(self, given: str | int, path: Keys) -> int:
        try:
            return parse_size(given)
        except SizeError as error:
            self.refuse(Fault(error.what, path, hint=error.hint))

    def check(self, series: Series, index: int) -> None:
        """The rules hold for published values and for those of every site, at every varied point."""
        wanted = (series.operation, series.measure)
        if wanted not in series.tool.abilities:
            able = ", ".join(sorted(" ".join(each) for each in series.tool.abilities))
            self.refuse(Fault(f"{series.program} cannot do {' '.join(wanted)}", ("series", index, "operation"), able))
        self.check_variation(series, ("series", index, "vary"))
        self.check_count(series, ("series", index, "vary"))
        for site in ("", *series.profiles):
            for point in series.points():
                self.check_point(series, index, site, point)

    def check_count(self, series: Series, path: Keys) -> None:
        """Refuse too many points before a value is made for each."""
        count = prod(len(values) for values in series.vary.values())
        if self.most_trials is not None and count > self.most_trials:
            what = f"{series.name} varies {count:,} points, each of them a trial at least"
            self.refuse(Fault(what, path, f"at most {self.most_trials:,}", "fewer values, or --yes"))

    def check_variation(self, series: Series, path: Keys) -> None:
        if idle := idle_variation(series.tool, tuple(series.vary)):
            can = sorted(series.tool.uses & SWEEPABLE)
            near = get_close_matches(idle, can, n=1)
            hint = f"{near[0]!r}?" if near else ""
            what = f"{idle} cannot be varied" if idle in FIXED else f"{idle} changes nothing for {series.program}"
            self.refuse(Fault(what, (*path, idle), f"one of {', '.join(can)}" if can else "no vary", hint))
        for name, values in series.vary.items():
            for fault in filter(None, (check_value(name, value) for value in values)):
                self.refuse(Fault(fault.what, (*path, name), fault.expected, fault.hint))

    def check_point(self, series: Series, index: int, site: str, point: Point) -> None:
        parameters, counts = series.parameters(site, point), series.counts(site, point)
        setting = Setting(series.tool, series.operation, series.measure, site, parameters, counts, series.link, point)
        if rule := broken_rule(setting):
            where = f" on {site}" if site else ""
            value = getattr(parameters, rule.parameter)
            what = f"{series.name}{where}: {rule.parameter} = {max(value) if rule.parameter == 'sizes' else value}"
            self.refuse(
                Fault(what + (rule.why and f": {rule.why}"), self.origin(index, site, rule.parameter), rule.expected)
            )

    def origin(self, index: int, site: str, name: str) -> Keys:
        """The key that gave a parameter its value: the last layer that names it."""
        own: Keys = ("series", index)
        table, common = self.document.series[index], self.document.profile.get(site, {})
        layers: list[tuple[Keys, Container[str]]] = [
            ((*own, "vary"), table.vary),
            ((*own, "profile", site), table.profile.get(site, {})),
            ((*own, "parameters"), table.parameters),
            (("profile", site), common),
            (("parameters",), self.document.parameters),
        ]
        return next(((*keys, name) for keys, given in layers if name in given), (*own, "name"))

    def comparison(self, index: int, names: list[str]) -> Comparison:
        table = self.document.comparison[index]
        for key, named in (("ours", (table.ours,)), ("peers", table.peers)):
            self.check_names(named, names, ("comparison", index, key))
        if table.ours in table.peers:
            what = f"{table.ours} is compared with itself"
            self.refuse(Fault(what, ("comparison", index, "peers"), "other series"))
        path: Keys = ("comparison", index, "geometric_mean_up_to")
        up_to = table.geometric_mean_up_to
        return Comparison(
            name=table.name,
            ours=table.ours,
            peers=table.peers,
            at_least=table.at_least,
            geometric_mean_up_to=None if up_to is None else self.size(up_to, path),
            limit_bytes_per_s=table.limit_bytes_per_s,
        )

    def causes(self, names: list[str]) -> Causes | None:
        """The series and sizes to count. Which sizes a series has depends on the site."""
        if (table := self.document.causes) is None:
            return None
        self.check_names(table.series, names, ("causes", "series"))
        try:
            sizes = parse_sizes(table.sizes)
        except SizeError as error:
            self.refuse(Fault(error.what, ("causes", "sizes"), hint=error.hint))
        return Causes(table.series, sizes)

    def check_names(self, named: Iterable[str], names: Iterable[str], path: Keys) -> None:
        """Refuse a series that is not there."""
        for name in named:
            if name not in names:
                self.refuse(Fault(f"there is no series {name!r}", path, f"one of {', '.join(names)}"))
