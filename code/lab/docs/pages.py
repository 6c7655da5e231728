"""The pages of docs/ that are generated from the code."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property, partial
from inspect import signature
from pathlib import Path
from typing import get_args, get_type_hints

from lab.docs import card_page, gallery
from lab.docs.schema import SchemaKey, SchemaTable, filled, joined, rows, tables
from lab.experiment.experiment import Document
from lab.experiment.rules import RULES
from lab.options import TABLES, OptionRule, parameter_of
from lab.places import DOCS, TEMPLATES, from_here
from lab.programs import PROGRAMS
from lab.programs.program import Program
from lab.report.context import OF_EXHIBITS, OTHERS, Context
from lab.report.exhibits.core import LOOKS

TOML = {"yes": "true", "no": "false"}


def experiment_page() -> str:
    asked = [rule for rule in TABLES["verbs"].rules if parameter_of(rule.option) in TABLES["verbs"].asked]
    refused = joined(((f"`{parameter_of(rule.option)}`",), _conditions(rule)) for rule in asked)
    parts = {
        "keys": "\n".join(map(_section, tables(Document))),
        "programs": rows(("program", "can do", "reads"), map(_program, PROGRAMS.values())),
        "rules": rows(("parameter", "must be"), [(f"`{rule.parameter}`", rule.expected) for rule in RULES]),
        "refused": rows(("parameter", "is refused where"), (line[::-1] for line in refused)),
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
    return f"`{program.name}`", able, ", ".join(f"`{name}`" for name in sorted(program.parameters))


def _conditions(rule: OptionRule) -> str:
    return " and ".join(f"{_spelled(left)} {relation} {_spelled(right)}" for left, relation, right in rule.refused_if)


def _spelled(product: str) -> str:
    return " times ".join(f"`{TOML.get(each, parameter_of(each))}`" for each in product.split("*"))


EXAMPLE = "plain_verbs.tex"


def template_page() -> str:
    parts = {
        "example": f"```tex\n{(TEMPLATES / EXAMPLE).read_text().rstrip()}\n```",
        "looks": ", ".join(f"`{look}`" for look in LOOKS),
        "names": rows(("name", "what it is", "its fields"), _rows()),
        "functions": rows(("function", "its arguments", "what it gives"), _functions()),
    }
    return filled("reports.md", parts)


def _rows() -> Iterator[tuple[str, str, str]]:
    for name, hint in get_type_hints(Context, include_extras=True).items():
        kind, meaning = get_args(hint)
        yield f"`{name}`", meaning, _listed(_fields(kind))


def _functions() -> Iterator[tuple[str, str, str]]:
    for name, function in ({each.__name__: each for each in OF_EXHIBITS} | OTHERS).items():
        arguments = (each for each in signature(function).parameters if each not in ("self", "exhibits"))
        yield f"`{name}`", _listed(arguments), " ".join((function.__doc__ or "").split())


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _fields(kind: object) -> list[str]:
    """The fields and properties of a dataclass, or of the first among the arguments of a type."""
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and is_dataclass(each):
            values = {name: value for base in each.__mro__ for name, value in vars(base).items()}
            made = [name for name, value in values.items() if isinstance(value, (property, cached_property))]
            return [name for name in (*(field.name for field in fields(each)), *made) if not name.startswith("_")]
    return []


PAGES: dict[str, Callable[[], str]] = {
    "cards.md": card_page.page,
    "experiments.md": experiment_page,
    "gallery.md": gallery.page,
    "headline.svg": card_page.headline,
    "reports.md": template_page,
    **{f"card-{name}.svg": partial(gallery.figure, name) for name in gallery.PORTRAITS},
}


def write(folder: Path = DOCS) -> None:
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


def stale(folder: Path = DOCS) -> list[Path]:
    """The pages that are missing or differ from what the code makes."""
    files = {folder / name: page for name, page in PAGES.items()}
    return [from_here(file) for file, page in files.items() if not file.is_file() or file.read_text() != page()]
