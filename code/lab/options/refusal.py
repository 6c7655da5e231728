"""Checks values by the rules of a C program, as the program itself does (code/bench/rules.c)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from lab.options.table import Condition, OptionRule, Table, parameter_of

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
    if condition.relation == "above":
        return _holds(condition, most, least)
    of_sizes = set(OfSize._fields) & {factor for side in _operands(condition) for factor in side.split("*")}
    return (bool(of_sizes) and condition.relation != "below") or _holds(condition, least, most)


def _concerns(rule: OptionRule, values: Values) -> bool:
    """Whether an experiment sets every option of the rule."""
    return all(_known(side, values) for each in rule.refused_if for side in _operands(each))


def _operands(condition: Condition) -> tuple[str, ...]:
    """The operands of a condition; a word after `is` is none."""
    return (condition.left,) if condition.relation in WORDS else (condition.left, condition.right)


def _known(product: str, values: Values) -> bool:
    return all(factor.isdigit() or factor in values or factor in OfSize._fields for factor in product.split("*"))


def _holds(condition: Condition, left_of: Values, right_of: Values) -> bool:
    if condition.relation in WORDS:
        return (left_of[condition.left] == condition.right) == (condition.relation == "is")
    left, right = _product(condition.left, left_of), _product(condition.right, right_of)
    return left is not None and right is not None and COMPARED[condition.relation](left, right)


def _product(factors: str, values: Values) -> int | None:
    """The product, or None where the program chooses a factor."""
    numbers = [values.get(each, each) for each in factors.split("*")]
    return prod(int(each) for each in numbers) if all(each.isdigit() for each in numbers) else None


def _sentence(text: str, values: Values) -> str:
    """The text with values for names in braces, and with parameters' names for options'."""
    filled = re.sub(r"\{([a-z-]+)\}", lambda found: values[found[1]], text)
    return re.sub(r"--([a-z][a-z-]*)", lambda found: parameter_of(found[1]), filled)
