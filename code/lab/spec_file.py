"""Experiment files: TOML, checked by experiments/schema.json and the rules between values, into an Experiment."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, NoReturn

from lab.errors import SizeError, SpecError
from lab.parameters import Parameters, Profile
from lab.rules import Setting, broken_rule, idle_variation
from lab.schema import Fault, check_document, check_value
from lab.schema import Path as Keys
from lab.sizes import parse_size
from lab.spec import Comparison, Experiment, Point, Series
from lab.spec_programs import find_program, program_faults
from lab.toml_lines import find_line
from lab.trial import Link

BOUNDS = ("iterations_at_most", "iterations_at_least", "depths_at_least", "warmup_at_most", "bytes_per_size_at_most")


def load(file: Path) -> Experiment:
    """Read and check an experiment file; nothing that cannot run gets through."""
    try:
        text = file.read_text()
        document = tomllib.loads(text)
    except OSError as error:
        raise SpecError(f"cannot be read: {error.strerror}", file=file, hint="experiments/NAME.toml") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SpecError(f"is not TOML: {error}", file=file) from error
    reader = _Reader(file, text, document)
    if fault := check_document(document) or next(program_faults(document, file), None):
        reader.refuse(fault)
    return reader.experiment()


class _Reader:
    """Lays values over each other, and knows for every refusal the line that caused it."""

    def __init__(self, file: Path, text: str, document: dict[str, Any]) -> None:
        self.file, self.text, self.document = file, text, document

    def refuse(self, fault: Fault) -> NoReturn:
        line = find_line(self.text, fault.path)
        raise SpecError(fault.what, file=self.file, line=line, expected=fault.expected, hint=fault.hint)

    def experiment(self) -> Experiment:
        series = tuple(self.series(index, table) for index, table in enumerate(self.document["series"]))
        names = [each.name for each in series]
        for index, name in enumerate(names):
            if name in names[:index]:
                self.refuse(
                    Fault(f"a second series is called {name!r}", ("series", index, "name"), "a name of its own")
                )
        comparisons = tuple(self.comparison(index, names) for index in range(len(self.document.get("comparison", ()))))
        title, question = self.document["title"], self.document["question"]
        return Experiment(self.file.stem, self.file, title, question, series, comparisons)

    def series(self, index: int, table: dict[str, Any]) -> Series:
        own = ("series", index, "parameters")
        base = self.layer(Parameters(), self.document["parameters"], ("parameters",))
        series = Series(
            name=table["name"],
            tool=find_program(table, self.document.get("programs", {}), self.file),
            operation=table["operation"],
            measure=table["measure"],
            published=self.layer(base, table.get("parameters", {}), own),
            profiles=self.profiles(index, table),
            link=Link(**self.document.get("link", {}) | table.get("link", {})),
            vary={name: tuple(values) for name, values in table.get("vary", {}).items()},
        )
        if not series.published.sizes:
            self.refuse(Fault(f"{series.name} has no sizes", ("parameters",), "sizes = ..."))
        self.check(series, index)
        return series

    def layer(self, base: Parameters, given: dict[str, Any], path: Keys) -> Parameters:
        for name, value in given.items():
            try:
                base = base.with_values({name: value})
            except SizeError as error:
                self.refuse(Fault(error.what, (*path, name), hint=error.hint))
        return base

    def profiles(self, index: int, table: dict[str, Any]) -> dict[str, Profile]:
        """A series' own values stand above the common profile's, its own profile above both."""
        common, own = self.document.get("profile", {}), table.get("profile", {})
        settled = table.get("parameters", {})
        profiles = {}
        for site in dict.fromkeys([*common, *own]):
            shared = {name: value for name, value in common.get(site, {}).items() if name not in settled}
            path = ("series", index, "profile", site) if site in own else ("profile", site)
            profiles[site] = self.profile(shared | own.get(site, {}), path)
        return profiles

    def profile(self, given: dict[str, Any], path: Keys) -> Profile:
        if "why" not in given:
            self.refuse(Fault("the profile does not say why it differs", path, "why = a sentence"))
        bounds = {name: parse_size(given[name]) for name in BOUNDS if name in given}
        values = {name: value for name, value in given.items() if name not in (*BOUNDS, "why")}
        self.layer(Parameters(), values, path)
        return Profile(given["why"], values=values, **bounds)

    def check(self, series: Series, index: int) -> None:
        """Published values and those of every site must obey the rules, at every varied point."""
        wanted = (series.operation, series.measure)
        if wanted not in series.tool.abilities:
            able = ", ".join(sorted(" ".join(each) for each in series.tool.abilities))
            self.refuse(Fault(f"{series.program} cannot do {' '.join(wanted)}", ("series", index, "operation"), able))
        self.check_variation(series, ("series", index, "vary"))
        for site in ("", *series.profiles):
            for point in series.points():
                self.check_point(series, index, site, point)

    def check_variation(self, series: Series, path: Keys) -> None:
        if idle := idle_variation(series.tool, tuple(series.vary)):
            uses = ", ".join(sorted(series.tool.uses))
            self.refuse(Fault(f"{idle} changes nothing for {series.program}", (*path, idle), f"one of {uses}"))
        for name, values in series.vary.items():
            for fault in filter(None, (check_value(name, value) for value in values)):
                self.refuse(Fault(fault.what, (*path, name), fault.expected, fault.hint))

    def check_point(self, series: Series, index: int, site: str, point: Point) -> None:
        parameters, counts = series.parameters(site, point), series.counts(site, point)
        setting = Setting(series.tool, series.operation, series.measure, site, parameters, counts, point)
        if rule := broken_rule(setting):
            where = f" on {site}" if site else ""
            what = f"{series.name}{where}: {rule.parameter} = {getattr(parameters, rule.parameter)}"
            self.refuse(Fault(what, self.origin(index, site, rule.parameter), rule.expected))

    def origin(self, index: int, site: str, name: str) -> Keys:
        """The key that gave a parameter its value: the last layer that names it."""
        own: Keys = ("series", index)
        layers: list[Keys] = [(*own, "vary"), (*own, "profile", site), (*own, "parameters"), ("profile", site)]
        for layer in [*layers, ("parameters",)]:
            if name in self.table(layer):
                return (*layer, name)
        return (*own, "name")

    def table(self, path: Keys) -> Any:
        table: Any = self.document
        for key in path:
            table = table[key] if isinstance(key, int) else table.get(key, {})
        return table

    def comparison(self, index: int, names: list[str]) -> Comparison:
        table = self.document["comparison"][index]
        for key, named in (("ours", [table["ours"]]), ("peers", table.get("peers", []))):
            for name in named:
                if name not in names:
                    known = ", ".join(names)
                    self.refuse(Fault(f"there is no series {name!r}", ("comparison", index, key), f"one of {known}"))
        up_to = table.get("geometric_mean_up_to")
        return Comparison(
            name=table["name"],
            ours=table["ours"],
            peers=tuple(table.get("peers", ())),
            at_least=table["at_least"],
            geometric_mean_up_to=None if up_to is None else parse_size(up_to),
            limit_bytes_per_s=table.get("limit_bytes_per_s"),
        )
