"""Read an experiment file: layers of parameters, sweeps and cards."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, fields, make_dataclass, replace
from math import prod
from pathlib import Path
from typing import Annotated, Any

from lab.errors import SizeError
from lab.experiment.document import Document, SeriesTable, Values
from lab.experiment.experiment import MOST_TRIALS, Causes, Comparison, Experiment, Point, Series
from lab.experiment.rules import FIXED, SWEEPABLE, Setting, broken_rule, find_program, idle_variation, program_faults
from lab.files.toml import TomlFile, check_lines, read_toml, read_whole
from lab.model.parameters import BYTE_COUNTS, Parameters, Profile, ProfileKeys, Scalar
from lab.model.sizes import LARGEST, parse_size, parse_sizes
from lab.model.trial import PARAMETERS, Card, Link
from lab.places import CARDS
from lab.typed_json import About, Fault, Keys, Limits, check_values, nearest, parse_as

BOUNDS = tuple(each.name for each in fields(ProfileKeys) if each.name != "why")


@dataclass(frozen=True)
class Known:
    """One parameter of a card: its value, and why it is that."""

    value: int
    origin: Annotated[str, Limits(choices=("data sheet", "fitted", "assumed"))]
    source: Annotated[str, Limits(shortest=1, longest=400, expected="where the value comes from")]
    fitted_to: Annotated[str, Limits(shortest=1, longest=80, expected="the report that a fitted value repeats")] = ""


EXAMPLE = About("", '{ value = 100, origin = "assumed", source = "..." }')
CardTable = make_dataclass(
    "CardTable",
    [
        ("title", Annotated[str, Limits(shortest=1, longest=200)]),
        *((name, Annotated[Known, EXAMPLE]) for name in PARAMETERS),
    ],
)


@dataclass(frozen=True)
class CardFile:
    """A card, and the origin of each of its parameters, in the order of the model."""

    title: str
    card: Card
    known: dict[str, Known]


def card_names(folder: Path = CARDS) -> list[str]:
    """The cards that an experiment can name."""
    return sorted(file.stem for file in folder.glob("*.toml"))


def read_card(name: str, folder: Path = CARDS) -> CardFile:
    """The checked file of a card."""
    file: TomlFile[Any] = read_toml(folder / f"{name}.toml", CardTable, hint="experiments/cards/NAME.toml")
    known: dict[str, Known] = {parameter: getattr(file.content, parameter) for parameter in PARAMETERS}
    for parameter, entry in known.items():
        try:
            check_values(Card, {parameter: entry.value})
        except Fault as fault:
            file.refuse(replace(fault, path=(parameter, "value")))
        if entry.origin == "fitted" and not entry.fitted_to:
            file.refuse(Fault(f"{parameter}: the key 'fitted_to' is missing", (parameter,), "fitted_to = ..."))
    card = Card(name, **{parameter: entry.value for parameter, entry in known.items()})
    return CardFile(file.document["title"], card, known)


def load(file: Path, most_trials: int | None = MOST_TRIALS) -> Experiment:
    """Read and check an experiment file; refuse one that cannot run."""
    toml = check_lines(read_whole(file), Document)
    if fault := next(program_faults(toml.content, file), None):
        toml.refuse(fault)
    return _Reader(toml, most_trials).experiment()


class _Reader:
    """Layers the values of a file; each refusal names the line that caused it."""

    def __init__(self, toml: TomlFile[Document], most_trials: int | None) -> None:
        self.most_trials = most_trials
        self.file, self.document, self.refuse = toml.file, toml.content, toml.refuse

    def experiment(self) -> Experiment:
        series = tuple(self.series(index, table) for index, table in enumerate(self.document.series))
        names = [each.name for each in series]
        for index, name in enumerate(names):
            if name in names[:index]:
                self.refuse(
                    Fault(f"a second series is called {name!r}", ("series", index, "name"), "a name of its own")
                )
        comparisons = tuple(self.comparison(index, names) for index in range(len(self.document.comparison)))
        title, question, causes = self.document.title, self.document.question, self.causes(names)
        return Experiment(self.file.stem, self.file, title, question, series, comparisons, causes=causes)

    def series(self, index: int, table: SeriesTable) -> Series:
        path: Keys = ("series", index, "parameters")
        base = self.layer(Parameters(), self.document.parameters, ("parameters",))
        series = Series(
            name=table.name,
            tool=find_program(table, self.document.programs, self.file),
            operation=table.operation,
            measure=table.measure,
            published=self.layer(base, table.parameters, path),
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
        """The series' link; with a card, the card's file alone describes the wire."""
        values = {**self.document.link, **table.link}
        name = values.pop("card", None)
        link = parse_as(Link, values)
        if not isinstance(name, str):
            return link
        for key in ("rate_bit_s", "delay_ns"):
            if key in values:
                what = f"{table.name} has a card, whose wire has its own {key}"
                self.refuse(Fault(what, self.of_link(index, table, key), "the card's, in experiments/cards"))
        if name not in (known := card_names()):
            expected = f"one of {', '.join(known)}"
            path = self.of_link(index, table, "card")
            self.refuse(Fault(f"there is no card {name!r}", path, expected, nearest(name, known)))
        card = read_card(name).card
        return replace(link, rate_bit_s=card.rate_bit_s, card=card)

    def of_link(self, index: int, table: SeriesTable, key: str) -> Keys:
        return ("series", index, "link", key) if key in table.link else ("link", key)

    def layer(self, base: Parameters, values: Values, path: Keys) -> Parameters:
        """The parameters with these values, each checked again as a number: 4G may be too large."""
        for name, value in values.items():
            try:
                base = base.with_values({name: value})
            except SizeError as error:
                self.refuse(Fault(error.what, (*path, name), hint=error.hint))
            self.check_bytes(name, base.as_dict()[name], (*path, name))
        return base

    def check_bytes(self, name: str, value: Scalar | tuple[int, ...], path: Keys) -> None:
        """Check the number that a text such as 4G stands for."""
        if name in BYTE_COUNTS or isinstance(value, tuple):
            self.check_value(name, max(value) if isinstance(value, tuple) else value, path)

    def check_value(self, name: str, value: Scalar, path: Keys) -> None:
        try:
            check_values(Parameters, {name: value})
        except Fault as fault:
            self.refuse(replace(fault, path=path))

    def profiles(self, index: int, table: SeriesTable) -> dict[str, Profile]:
        """Profiles by site. A series' own value wins over the common profile's; its own profile wins over both."""
        common, series = self.document.profile, table.profile
        profiles = {}
        for site in dict.fromkeys([*common, *series]):
            shared = {name: value for name, value in common.get(site, {}).items() if name not in table.parameters}
            path = ("series", index, "profile", site) if site in series else ("profile", site)
            profiles[site] = self.profile({**shared, **series.get(site, {})}, path)
        return profiles

    def profile(self, table: Values, path: Keys) -> Profile:
        if not isinstance(why := table.get("why"), str):
            self.refuse(Fault("the profile does not say why it differs", path, "why = a sentence"))
        bounds = {
            name: self.size(bound, (*path, name)) for name in BOUNDS if isinstance(bound := table.get(name), (int, str))
        }
        if bounds.get("iterations_at_least", 0) > (most := bounds.get("iterations_at_most", LARGEST)):
            what = f"iterations_at_least = {bounds['iterations_at_least']} is above iterations_at_most = {most}"
            self.refuse(Fault(what, (*path, "iterations_at_least"), f"at most {most}"))
        values = {name: value for name, value in table.items() if name not in (*BOUNDS, "why")}
        self.layer(Parameters(), values, path)
        return Profile(why, values=values, **bounds)

    def size(self, text: str | int, path: Keys) -> int:
        try:
            return parse_size(text)
        except SizeError as error:
            self.refuse(Fault(error.what, path, hint=error.hint))

    def check(self, series: Series, index: int) -> None:
        """The rules hold for published values and for those of every site, at every varied point."""
        ability = (series.operation, series.measure)
        if ability not in series.tool.abilities:
            able = ", ".join(sorted(map(" ".join, series.tool.abilities)))
            self.refuse(Fault(f"{series.program} cannot do {' '.join(ability)}", ("series", index, "operation"), able))
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
            expected = f"one of {', '.join(can)}" if can else "no vary"
            if idle in FIXED:
                self.refuse(Fault(f"{idle} cannot be varied", (*path, idle), expected))
            what = f"{idle} changes nothing for {series.program}"
            self.refuse(Fault(what, (*path, idle), expected, nearest(idle, can)))
        for name, values in series.vary.items():
            for value in values:
                self.check_value(name, value, (*path, name))

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
        series: Keys = ("series", index)
        table, common = self.document.series[index], self.document.profile.get(site, {})
        layers: list[tuple[Keys, Container[str]]] = [
            ((*series, "vary"), table.vary),
            ((*series, "profile", site), table.profile.get(site, {})),
            ((*series, "parameters"), table.parameters),
            (("profile", site), common),
            (("parameters",), self.document.parameters),
        ]
        return next(((*keys, name) for keys, values in layers if name in values), (*series, "name"))

    def comparison(self, index: int, names: list[str]) -> Comparison:
        table = self.document.comparison[index]
        for key, named in (("ours", (table.ours,)), ("peers", table.peers)):
            self.check_names(named, names, ("comparison", index, key))
        if bool(table.peers) == bool(table.limit_bytes_per_s):
            fault = Fault("comparison has both or neither", ("comparison", index), "either peers or limit_bytes_per_s")
            self.refuse(fault)
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
