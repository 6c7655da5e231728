"""Holds values against the rules of a C program, as the program itself would (code/bench/rules.c)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod

from lab.options.table import Condition, Rule, Table, parameter_of

Values = Mapping[str, str]  # of options, as a user would type them
WORDS = ("is", "is not")
COMPARED: dict[str, Callable[[int, int], bool]] = {
    "above": lambda left, right: left > right,
    "below": lambda left, right: left < right,
    "is no multiple of": lambda left, right: right == 0 or left % right != 0,
}


@dataclass(frozen=True)
class Refusal:
    """The parameter to blame, and a sentence that says why or what was expected, in an experiment's words."""

    parameter: str
    why: str = ""
    expected: str = ""


def refusal(table: Table, values: Values, sizes: Iterable[Values]) -> Refusal | None:
    """The first rule that a size breaks, if any does."""
    for own in sizes:
        all_values = {**values, **own}
        for rule in table.rules:
            if _concerns(rule, all_values) and all(_holds(each, all_values) for each in rule.refused_if):
                return Refusal(parameter_of(rule.option), _sentence(rule.expected, all_values))
    return None


def _concerns(rule: Rule, values: Values) -> bool:
    """Whether an experiment can say all that the rule asks for."""
    return all(_known(side, values) for each in rule.refused_if for side in _operands(each))


def _operands(condition: Condition) -> tuple[str, ...]:
    """A word that a value is compared with is none."""
    return (condition.left,) if condition.relation in WORDS else (condition.left, condition.right)


def _known(product: str, values: Values) -> bool:
    return all(factor.isdigit() or factor in values for factor in product.split("*"))


def _holds(condition: Condition, values: Values) -> bool:
    if condition.relation in WORDS:
        return (values[condition.left] == condition.right) == (condition.relation == "is")
    left, right = _product(condition.left, values), _product(condition.right, values)
    return left is not None and right is not None and COMPARED[condition.relation](left, right)


def _product(factors: str, values: Values) -> int | None:
    """None where a factor is left to the program."""
    numbers = [values.get(each, each) for each in factors.split("*")]
    return prod(int(each) for each in numbers) if all(each.isdigit() for each in numbers) else None


def _sentence(text: str, values: Values) -> str:
    """With values in place of their names in braces, and parameters' names in place of options'."""
    filled = re.sub(r"\{([a-z-]+)\}", lambda found: values[found[1]], text)
    return re.sub(r"--([a-z][a-z-]*)", lambda found: parameter_of(found[1]), filled)
