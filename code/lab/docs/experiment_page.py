"""The generated parts of docs/experiments.md: every key of an experiment's file, from the dataclasses of its tables."""

import json

from lab.docs.schema import SchemaKey, SchemaTable, filled, rows, tables
from lab.experiment.document import Document
from lab.experiment.rules import RULES
from lab.options import TABLES, OptionRule, parameter_of
from lab.programs import PROGRAMS
from lab.programs.program import Program

TOML = {"yes": "true", "no": "false"}


def page() -> str:
    """The whole page."""
    asked = [rule for rule in TABLES["verbs"].rules if parameter_of(rule.option) in TABLES["verbs"].asked]
    refused = [(f"`{parameter_of(rule.option)}`", _where(rule)) for rule in asked]
    parts = {
        "keys": "\n".join(map(_section, tables(Document))),
        "programs": rows(("program", "can do", "reads"), map(_program, PROGRAMS.values())),
        "rules": rows(("parameter", "must be"), [(f"`{rule.parameter}`", rule.expected) for rule in RULES]),
        "refused": rows(("parameter", "is refused where"), refused),
    }
    return filled("experiments.md", parts)


def smallest(table: SchemaTable) -> str:
    """A table with the keys that it must have, as a file spells it."""
    lines = [f"{key.name} = {key.examples[0]}" for key in table.keys if key.required and key.examples]
    head = table.head.replace("SITE", "exact").replace("NAME", "mine")
    return "".join(f"{line}\n" for line in (head, *lines))


def _section(table: SchemaTable) -> str:
    title = f"## {table.head}" if table.head else "## Above all tables"
    more = f" It may hold every key of `{table.based_on}` too." if table.based_on else ""
    example = f"\n```toml\n{smallest(table)}```\n" if table.head and any(each.required for each in table.keys) else ""
    cells = [_cells(each) for each in table.keys]
    keys = rows(("key", "value", "without it", "meaning", "example"), cells)
    return f"{title}\n{table.meaning}{more}\n{example}\n{keys}"


def _cells(key: SchemaKey) -> tuple[str, ...]:
    example = f"`{key.name} = {key.examples[0]}`" if key.examples else ""
    return (f"`{key.name}`", key.allowed, _default(key), key.meaning, example)


def _default(key: SchemaKey) -> str:
    if key.required:
        return "required"
    return "" if key.default is None or key.default == () else f"`{json.dumps(key.default)}`"


def _program(program: Program) -> tuple[str, ...]:
    able = ", ".join(f"{operation} {measure}" for operation, measure in sorted(program.abilities))
    return f"`{program.name}`", able, ", ".join(f"`{name}`" for name in sorted(program.uses))


def _where(rule: OptionRule) -> str:
    """Its conditions, as an experiment's file spells what they are about."""
    return " and ".join(f"{_spelled(left)} {relation} {_spelled(right)}" for left, relation, right in rule.refused_if)


def _spelled(product: str) -> str:
    return " times ".join(f"`{TOML.get(each, parameter_of(each))}`" for each in product.split("*"))
