"""The options of the C programs with their limits, and the rules between them, from their --explain."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lab.typed_json import parse_as

FILE = Path(__file__).with_name("options.json")
LARGEST = 2**63 - 1  # TOML's own integers
NAMES = {"mtu": "path_mtu", "least-time": "least_time_s", "deadline": "wait_deadline_s"}  # other names in experiments
NOT_ASKED = frozenset(
    {"operation", "measure", "mode", "bytes-per-call"}
)  # no parameters: the series sets them, or nobody does


def parameter_of(option: str) -> str:
    """The name of an option in an experiment."""
    return NAMES.get(option, option.replace("-", "_"))


@dataclass(frozen=True)
class Option:
    """One option of a program."""

    name: str
    kind: str  # flag, number, number or auto, bytes, word, text
    default: str
    help: str
    both_ends: bool
    words: str = ""  # the choices, with | between them
    least: int = 0  # of a number; with a default below it the option is off
    most: int = LARGEST

    @property
    def parameter(self) -> str:
        """Its name in an experiment."""
        return parameter_of(self.name)


@dataclass(frozen=True)
class Condition:
    """Two operands, each an option, a number, a word or a product, and their relation."""

    left: str
    relation: str
    right: str


@dataclass(frozen=True)
class OptionRule:
    """Options that can't go together: refused where all conditions hold."""

    option: str  # the one to blame
    refused_if: tuple[Condition, ...]
    expected: str  # {name} stands for a value


@dataclass(frozen=True)
class Table:
    """The options and rules of one pair of programs."""

    options: tuple[Option, ...]
    rules: tuple[OptionRule, ...]

    @cached_property
    def asked(self) -> dict[str, Option]:
        """The options that an experiment's parameters set, by their names there, in the order of --help."""
        return {each.parameter: each for each in self.options if each.both_ends and each.name not in NOT_ASKED}


def read_tables(text: str) -> dict[str, Table]:
    """The tables of all programs."""
    return {name: _table(parse_as(Said, said)) for name, said in json.loads(text).items()}


@dataclass(frozen=True)
class SaidRule:
    """A rule as --explain writes it: a condition is a list of its three words."""

    option: str
    refused_if: tuple[tuple[str, str, str], ...]
    expected: str


@dataclass(frozen=True)
class Said:
    """The table of one pair of programs, as --explain writes it."""

    options: tuple[Option, ...]
    rules: tuple[SaidRule, ...]


def _table(said: Said) -> Table:
    return Table(said.options, tuple(_rule(each) for each in said.rules))


def _rule(said: SaidRule) -> OptionRule:
    return OptionRule(said.option, tuple(Condition(*each) for each in said.refused_if), said.expected)


TABLES = read_tables(FILE.read_text(encoding="utf-8"))
PARAMETERS = {name: option for table in TABLES.values() for name, option in table.asked.items()}


def number(parameter: str) -> int:
    """The default of a number option."""
    return int(PARAMETERS[parameter].default)


def word(parameter: str) -> str:
    """The default of a word option."""
    return PARAMETERS[parameter].default
