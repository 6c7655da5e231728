"""Read an experiment file: layers of parameters, sweeps and cards."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, make_dataclass, replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, NoReturn

from lab.errors import SizeError
from lab.experiment.experiment import (
    MOST_TRIALS,
    Comparison,
    Document,
    Experiment,
    Point,
    Series,
    SeriesTable,
    Values,
)
from lab.experiment.rules import FIXED, SWEEPABLE, broken_rule, find_program, program_faults
from lab.files.toml import TomlFile, check_lines, read_toml, read_whole
from lab.model.parameters import BYTE_COUNTS, Parameters, Profile, ProfileKeys, Scalar
from lab.model.sizes import LARGEST
from lab.model.trial import PARAMETERS, Card, Link
from lab.places import CARDS
from lab.typed_json import Fault, Keys, Limits, check_values, nearest, parse_as

BOUNDS = tuple(each.name for each in fields(ProfileKeys) if each.name != "why")


@dataclass(frozen=True)
class Known:
    value: int
    origin: Annotated[str, Limits(choices=("data sheet", "fitted", "assumed"))]
    source: Annotated[str, Limits(shortest=1, longest=400, expected="where the value comes from")]
    fitted_to: Annotated[str, Limits(shortest=1, longest=80, expected="the report that a fitted value repeats")] = ""


EXAMPLE = '{ value = 100, origin = "assumed", source = "..." }'
CardTable = make_dataclass(
    "CardTable",
    [
        ("title", Annotated[str, Limits(shortest=1, longest=200)]),
        *((name, Annotated[Known, EXAMPLE]) for name in PARAMETERS if not hasattr(Card, name)),
        *((name, Known | None, None) for name in PARAMETERS if hasattr(Card, name)),
    ],
)


@dataclass(frozen=True)
class CardFile:
    """A card, and the origin of each parameter that its file has, in the order of the model."""

    title: str
    card: Card
    known: dict[str, Known]


def card_names(folder: Path = CARDS) -> list[str]:
    return sorted(file.stem for file in folder.glob("*.toml"))


def read_card(name: str, folder: Path = CARDS) -> CardFile:
    file: TomlFile[Any] = read_toml(folder / f"{name}.toml", CardTable, hint="experiments/cards/NAME.toml")
    known: dict[str, Known] = {name: each for name in PARAMETERS if (each := getattr(file.content, name))}
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
    """Combines the layers of a file; each refusal names the line that caused it."""

    def __init__(self, toml: TomlFile[Document], most_trials: int | None) -> None:
        self.toml, self.most_trials = toml, most_trials
        self.file, self.document = toml.file, toml.content

    def refuse(self, what: str, path: Keys, expected: str = "", hint: str = "") -> NoReturn:
        self.toml.refuse(Fault(what, path, expected, hint))

    def experiment(self) -> Experiment:
        series = tuple(self.series(index, table) for index, table in enumerate(self.document.series))
        names = [each.name for each in series]
        for index, name in enumerate(names):
            if name in names[:index]:
                self.refuse(f"a second series is called {name!r}", ("series", index, "name"), "a unique name")
        for index, table in enumerate(self.document.comparison):
            self.check_comparison(table, names, ("comparison", index))
        if causes := self.document.causes:  # which sizes a series has depends on the site
            self.check_names(causes.series, names, ("causes", "series"))
        title, question, comparisons = self.document.title, self.document.question, self.document.comparison
        return Experiment(self.file.stem, self.file, title, question, series, comparisons, causes=causes)

    def series(self, index: int, table: SeriesTable) -> Series:
        base = self.layer(Parameters(), self.document.parameters, ("parameters",))
        link = self.link(index, table)
        series = Series(
            name=table.name,
            tool=find_program(table, self.document.programs, self.file, link.computers),
            operation=table.operation,
            measure=table.measure,
            published=self.layer(base, table.parameters, ("series", index, "parameters")),
            profiles=self.profiles(index, table),
            link=link,
            vary=dict(table.vary),
            soft_roce=table.soft_roce,
        )
        if series.soft_roce and not (series.link.card and series.tool.rdma):
            what = f"{series.name} names Soft-RoCE in place of a card, and has no card"
            self.refuse(what, ("series", index, "soft_roce"), "a program of verbs over a link with a card")
        if link.computers > 2 and not series.tool.together:
            what = f"{series.program} runs on two computers, and the link has {link.computers}"
            self.refuse(what, ("series", index, "program"), "a program of [programs] with each = ...")
        if series.tool.together and link.loss_ppm:
            what = f"{series.name} has loss_ppm, and its link has a switch, which models no loss"
            self.refuse(what, ("series", index, "program"), "a link without loss_ppm; queue_bytes loses frames too")
        self.check_queues(series, ("series", index, "program"))
        if not series.published.sizes:
            self.refuse(f"{series.name} has no sizes", ("parameters",), "sizes = ...")
        ability = (series.operation, series.measure)
        if ability not in series.tool.abilities:
            able = ", ".join(sorted(map(" ".join, series.tool.abilities)))
            self.refuse(f"{series.program} cannot do {' '.join(ability)}", ("series", index, "operation"), able)
        self.check_variation(series, ("series", index, "vary"))
        for site in ("", *series.profiles):
            for point in series.points():
                self.check_point(series, index, site, point)
        return series

    def check_queues(self, series: Series, path: Keys) -> None:
        """Flow control and marks need cards, and queues with room for them."""
        link = series.link
        for key in ("pfc", "ecn"):
            if getattr(link, key) and not (series.tool.together and series.has_card):
                what = f"{series.name} has {key}, which is for cards behind a switch"
                self.refuse(what, path, "each = ... over a card")
        if link.pfc and link.queue_bytes < link.least_queue_bytes:
            what = f"queue_bytes is {link.queue_bytes}, and pfc leaves no loss only in a larger queue"
            self.refuse(what, path, f"at least {link.least_queue_bytes} for {link.computers} computers with this card")
        if link.ecn and link.queue_bytes < link.least_marking_queue_bytes:
            what = f"queue_bytes is {link.queue_bytes}, and ecn marks packets only in a larger queue"
            self.refuse(what, path, f"at least {link.least_marking_queue_bytes} with this card")

    def link(self, index: int, table: SeriesTable) -> Link:
        """The series' link; with a card, the card's file alone describes the wire."""
        values = {**self.document.link, **table.link}
        name = values.pop("card", None)
        link = parse_as(Link, values)
        if not isinstance(name, str):
            return link

        def path(key: str) -> Keys:
            return ("series", index, "link", key) if key in table.link else ("link", key)

        for key in ("rate_bit_s", "delay_ns"):
            if key in values:
                what = f"{table.name} has a card, whose wire has its own {key}"
                self.refuse(what, path(key), "the card's, in experiments/cards")
        if name not in (known := card_names()):
            self.refuse(f"unknown card {name!r}", path("card"), f"one of {', '.join(known)}", nearest(name, known))
        card = read_card(name).card
        return replace(link, rate_bit_s=card.rate_bit_s, card=card)

    def layer(self, base: Parameters, values: Values, path: Keys) -> Parameters:
        """The parameters with these values; a text such as 4G is checked again as a number."""
        for name, value in values.items():
            try:
                base = base.with_values({name: value})
            except SizeError as error:
                self.refuse(error.what, (*path, name), hint=error.hint)
            number = getattr(base, name)
            if name in BYTE_COUNTS or name == "sizes":
                self.check_value(name, max(number) if name == "sizes" else number, (*path, name))
        return base

    def check_value(self, name: str, value: Scalar, path: Keys) -> None:
        try:
            check_values(Parameters, {name: value})
        except Fault as fault:
            self.toml.refuse(replace(fault, path=path))

    def profiles(self, index: int, table: SeriesTable) -> dict[str, Profile]:
        """Profiles by site. A series' parameter wins over the common profile; its profile wins over both."""
        common, series = self.document.profile, table.profile
        profiles = {}
        for site in dict.fromkeys([*common, *series]):
            shared = {name: value for name, value in common.get(site, {}).items() if name not in table.parameters}
            path = ("series", index, "profile", site) if site in series else ("profile", site)
            profiles[site] = self.profile({**shared, **series.get(site, {})}, path)
        return profiles

    def profile(self, table: Values, path: Keys) -> Profile:
        if not isinstance(why := table.get("why"), str):
            self.refuse("the profile gives no reason", path, "why = a sentence")
        bounds = {name: bound for name in BOUNDS if isinstance(bound := table.get(name), int)}
        if bounds.get("iterations_at_least", 0) > (most := bounds.get("iterations_at_most", LARGEST)):
            what = f"iterations_at_least = {bounds['iterations_at_least']} is above iterations_at_most = {most}"
            self.refuse(what, (*path, "iterations_at_least"), f"at most {most}")
        values = {name: value for name, value in table.items() if name not in (*BOUNDS, "why")}
        self.layer(Parameters(), values, path)
        return Profile(why, values=values, **bounds)

    def check_variation(self, series: Series, path: Keys) -> None:
        can = sorted(series.tool.parameters & SWEEPABLE)
        expected = f"one of {', '.join(can)}" if can else "no vary"
        for name, values in series.vary.items():
            if name in FIXED:
                self.refuse(f"{name} cannot be varied", (*path, name), expected)
            if name not in can:
                self.refuse(f"{name} changes nothing for {series.program}", (*path, name), expected, nearest(name, can))
            for value in values:
                self.check_value(name, value, (*path, name))
        count = prod(map(len, series.vary.values()))
        if self.most_trials is not None and count > self.most_trials:  # refused before a value is made for each point
            what = f"{series.name} varies {count:,} points, each of them a trial at least"
            self.refuse(what, path, f"at most {self.most_trials:,}", "fewer values, or --yes")

    def check_point(self, series: Series, index: int, site: str, point: Point) -> None:
        """Check the rules for the published values ("") or those of a site at one varied point."""
        if rule := broken_rule(series, site, point):
            value = getattr(series.parameters(site, point), rule.parameter)
            value = max(value) if rule.parameter == "sizes" else value
            what = f"{series.name}{f' on {site}' if site else ''}: {rule.parameter} = {value}"
            path = self.origin(index, site, rule.parameter)
            self.refuse(what + (rule.why and f": {rule.why}"), path, rule.expected)

    def origin(self, index: int, site: str, name: str) -> Keys:
        """The key that gave a parameter its value: the last layer that names it."""
        table, series = self.document.series[index], ("series", index)
        layers: Mapping[Keys, Iterable[str]] = {
            (*series, "vary"): table.vary,
            (*series, "profile", site): table.profile.get(site, ()),
            (*series, "parameters"): table.parameters,
            ("profile", site): self.document.profile.get(site, ()),
            ("parameters",): self.document.parameters,
        }
        return next(((*keys, name) for keys, values in layers.items() if name in values), (*series, "name"))

    def check_comparison(self, table: Comparison, names: list[str], path: Keys) -> None:
        self.check_names([table.ours], names, (*path, "ours"))
        self.check_names(table.peers, names, (*path, "peers"))
        if bool(table.peers) == bool(table.limit_bytes_per_s):
            self.refuse("comparison has both or neither", path, "either peers or limit_bytes_per_s")
        if table.ours in table.peers:
            self.refuse(f"{table.ours} is compared with itself", (*path, "peers"), "other series")

    def check_names(self, names: Iterable[str], known: list[str], path: Keys) -> None:
        for name in names:
            if name not in known:
                self.refuse(f"unknown series {name!r}", path, f"one of {', '.join(known)}")
