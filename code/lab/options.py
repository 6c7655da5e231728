"""The options of the C programs: their table, and the rules between them."""

from __future__ import annotations

import json
import operator
import re
import subprocess
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

from lab.places import BENCH
from lab.typed_json import Limits, parse_as

FILE = Path(__file__).with_name("options.json")
LARGEST = 2**63 - 1  # TOML's own integers
# Other names in experiments.
NAMES = {
    **{"mtu": "path_mtu", "least-time": "least_time_s"},
    **{"duration": "duration_s", "deadline": "wait_deadline_s"},
}
NOT_ASKED = ("operation", "measure", "mode", "bytes-per-call")  # set by the series, or not at all


def parameter_of(option: str) -> str:
    """The name of an option in an experiment."""
    return NAMES.get(option, option.replace("-", "_"))


@dataclass(frozen=True)
class Option:
    name: str
    kind: str  # flag, number, number or auto, bytes, word, text
    default: str
    help: str
    both_ends: bool
    words: str = ""  # the choices, with | between them
    least: int = 0  # of a number; with a default below it the option is off
    most: int = LARGEST


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
    options: tuple[Option, ...]
    rules: tuple[OptionRule, ...]

    @cached_property
    def asked(self) -> dict[str, Option]:
        """The options that an experiment's parameters set, by their names there, in the order of --help."""
        return {parameter_of(each.name): each for each in self.options if each.both_ends and each.name not in NOT_ASKED}


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
OF_SIZES = ("size", "iterations", "warmup")  # differ from size to size
WORDS = ("is", "is not")  # relations to a word; all others compare numbers
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "above": operator.gt,
    "below": operator.lt,
    "is not a multiple of": lambda left, right: right == 0 or left % right != 0,
}


@dataclass(frozen=True)
class Refusal:
    """The parameter to blame, with the reason or the expected value in an experiment's terms."""

    parameter: str
    why: str = ""
    expected: str = ""


def refusal(table: Table, values: Values, sizes: Sequence[tuple[int, int, int]]) -> Refusal | None:
    """The first rule that a size breaks, each size with its iterations and warm-up; none if the size breaks no rule."""
    at_sizes = [{**values, **dict(zip(OF_SIZES, map(str, size), strict=True))} for size in sizes]
    for rule in table.rules:
        names = {name for condition in rule.refused_if for name in _names(condition)}
        if names <= at_sizes[0].keys():  # else the experiment leaves an option to the program
            for known in at_sizes if names & {*OF_SIZES} else at_sizes[:1]:
                if all(_holds(condition, known) for condition in rule.refused_if):
                    return Refusal(parameter_of(rule.option), _sentence(rule.expected, known))
    return None


def _names(condition: Condition) -> list[str]:
    left, relation, right = condition
    operands = left if relation in WORDS else f"{left}*{right}"
    return [name for name in operands.split("*") if not name.isdigit()]


def _holds(condition: Condition, values: Values) -> bool:
    left, relation, right = condition
    if relation in WORDS:
        return (values[left] == right) == (relation == "is")
    factors = [[values.get(name, name) for name in operand.split("*")] for operand in (left, right)]
    if not all(factor.isdigit() for operand in factors for factor in operand):
        return False  # the program chooses a factor
    first, second = (prod(map(int, operand)) for operand in factors)
    return RELATIONS[relation](first, second)


def _sentence(text: str, values: Values) -> str:
    """The text with values for names in braces, and with parameters' names for options'."""
    filled = re.sub(r"\{([a-z-]+)\}", lambda match: values[match[1]], text)
    return re.sub(r"--([a-z][a-z-]*)", lambda match: parameter_of(match[1]), filled)


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
