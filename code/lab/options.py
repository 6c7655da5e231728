"""The options of the C programs: their table, and the rules between them."""

from __future__ import annotations

import json
import re
import subprocess
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path
from typing import NamedTuple

from lab.places import BENCH
from lab.typed_json import Limits, parse_as

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


# Two operands, each an option, a number, a word or a product, with their relation between them.
Condition = tuple[str, str, str]


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


TABLES = {name: parse_as(Table, table) for name, table in json.loads(FILE.read_text(encoding="utf-8")).items()}
PARAMETERS = {name: option for table in TABLES.values() for name, option in table.asked.items()}


def number(parameter: str) -> int:
    """The default of a number option."""
    return int(PARAMETERS[parameter].default)


def word(parameter: str) -> str:
    """The default of a word option."""
    return PARAMETERS[parameter].default


def limits(parameter: str) -> Limits:
    """The values that the programs take for a parameter."""
    option = PARAMETERS[parameter]
    if option.kind == "word":
        return Limits(choices=tuple(option.words.split("|")))
    least = min(option.least, int(option.default)) if option.default.isdigit() else option.least
    return Limits(least=least, most=option.most)


Values = Mapping[str, str]  # of options, as a user would type them
WORDS = ("is", "is not")
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "above": lambda left, right: left > right,
    "below": lambda left, right: left < right,
    "is no multiple of": lambda left, right: right == 0 or left % right != 0,
}


class OfSize(NamedTuple):
    """The values that each size has of its own."""

    size: int
    iterations: int
    warmup: int

    def over(self, values: Values) -> Values:
        """All values at this size."""
        return {**values, **{name: str(value) for name, value in self._asdict().items()}}


@dataclass(frozen=True)
class Refusal:
    """The parameter to blame, with the reason or the expected value in an experiment's words."""

    parameter: str
    why: str = ""
    expected: str = ""


def refusal(table: Table, values: Values, sizes: Sequence[OfSize]) -> Refusal | None:
    """The first rule that a size breaks, if any does."""
    least, most = (OfSize(*map(extreme, zip(*sizes, strict=True))).over(values) for extreme in (min, max))
    for rule in table.rules:
        if _concerns(rule, values) and all(_may_hold(each, least, most) for each in rule.refused_if):
            for found in (each.over(values) for each in sizes):
                if all(_holds(each, found, found) for each in rule.refused_if):
                    return Refusal(parameter_of(rule.option), _sentence(rule.expected, found))
    return None


def _may_hold(condition: Condition, least: Values, most: Values) -> bool:
    """Whether it can hold at some size. There may be thousands of sizes, and most rules hold for none."""
    _, relation, _ = condition
    if relation == "above":
        return _holds(condition, most, least)
    of_sizes = set(OfSize._fields) & {factor for side in _operands(condition) for factor in side.split("*")}
    return (bool(of_sizes) and relation != "below") or _holds(condition, least, most)


def _concerns(rule: OptionRule, values: Values) -> bool:
    """Whether an experiment sets every option of the rule."""
    return all(_is_set(operand, values) for condition in rule.refused_if for operand in _operands(condition))


def _operands(condition: Condition) -> tuple[str, ...]:
    """The operands of a condition; a word after `is` is none."""
    left, relation, right = condition
    return (left,) if relation in WORDS else (left, right)


def _is_set(product: str, values: Values) -> bool:
    return all(factor.isdigit() or factor in values or factor in OfSize._fields for factor in product.split("*"))


def _holds(condition: Condition, left_values: Values, right_values: Values) -> bool:
    left, relation, right = condition
    if relation in WORDS:
        return (left_values[left] == right) == (relation == "is")
    first, second = _product(left, left_values), _product(right, right_values)
    return first is not None and second is not None and COMPARED[relation](first, second)


def _product(factors: str, values: Values) -> int | None:
    """The product, or None where the program chooses a factor."""
    numbers = [values.get(each, each) for each in factors.split("*")]
    return prod(int(each) for each in numbers) if all(each.isdigit() for each in numbers) else None


def _sentence(text: str, values: Values) -> str:
    """The text with values for names in braces, and with parameters' names for options'."""
    filled = re.sub(r"\{([a-z-]+)\}", lambda found: values[found[1]], text)
    return re.sub(r"--([a-z][a-z-]*)", lambda found: parameter_of(found[1]), filled)


PROGRAMS = {"verbs": "verbs-client", "tcp": "tcp-client", "mpi": "mpi-pingpong"}  # a server takes its client's options


def explained() -> str:
    """The file's text, from the compiled programs."""
    parts = []
    for name, program in PROGRAMS.items():
        done = subprocess.run([BENCH / program, "--explain"], capture_output=True, text=True, check=True)
        parts.append(f'"{name}": {done.stdout.strip()}')
    return "{\n" + textwrap.indent(",\n".join(parts), "  ") + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(explained(), encoding="utf-8")
