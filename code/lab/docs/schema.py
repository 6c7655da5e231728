"""JSON schemas as tables of Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.files.schema import Schema
from lab.places import DOCS

PART = re.compile(r"(<!-- make docs: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(each.replace("|", "\\|") for each in line) + " |\n" for line in lines)


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of docs/ with its generated parts renewed; the text around them is written by hand."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(lambda place: f"{place[1]}\n{parts[place[2]].strip()}\n\n{place[3]}", text)


LARGE = 1 << 16  # from here on a power of two is easier to read as one


@dataclass(frozen=True)
class SchemaKey:
    """One key of a table."""

    name: str
    allowed: str
    default: object  # None where there is none
    required: bool
    meaning: str
    examples: tuple[str, ...]  # as TOML spells them


@dataclass(frozen=True)
class SchemaTable:
    """One kind of table: its head as it stands in a file, and its keys."""

    head: str  # "" for the keys above the first table
    meaning: str
    keys: tuple[SchemaKey, ...]
    based_on: str  # the head of the table whose keys it may hold too, or ""


class Walk:
    """Goes through a schema from the root, each definition once."""

    def __init__(self, schema: Schema, defaults: Mapping[str, Mapping[str, object]]) -> None:
        self.root, self.definitions, self.defaults = schema, schema.get("$defs", {}), defaults
        self.heads: dict[str, str] = {}

    def tables(self) -> list[SchemaTable]:
        """All tables, in the order of the schema; those within a table follow it."""
        return list(self.table(self.root, ""))

    def table(self, schema: Schema, path: str, head: str = "") -> Iterator[SchemaTable]:
        holder, name, required = self.holder(schema)
        self.heads[name] = head
        inner = [(key, *self.inner(each, f"{path}{key}")) for key, each in holder["properties"].items()]
        new = {key: found for key, found, place in inner if found and self.holder(found)[1] not in self.heads}
        self.heads |= {self.holder(found)[1]: place for key, found, place in inner if key in new}
        keys = tuple(self.key(key, each, name, required) for key, each in holder["properties"].items())
        based_on = self.heads[self.holder({"$ref": holder["$ref"]})[1]] if "$ref" in holder else ""
        yield SchemaTable(head, holder.get("description", ""), keys, based_on)
        for key, found, place in inner:
            if key in new:
                yield from self.table(found, place.strip("[]") + ".", place)

    def holder(self, schema: Schema) -> tuple[Schema, str, set[str]]:
        """The definition that lists the keys, its name, and which keys must be there."""
        name, required = "", set(schema.get("required", ()))
        while "properties" not in schema:
            name = name_of(schema)
            schema = self.definitions[name]
            required |= set(schema.get("required", ()))
        return schema, name, required

    def inner(self, schema: Schema, path: str) -> tuple[Schema, str]:
        """The table that a key holds, if it holds one, and how its head is written."""
        whole = resolve(schema, self.definitions)
        if "properties" in whole:
            return schema, f"[{path}]"
        for key, place in (("items", f"[[{path}]]"), ("additionalProperties", f"[{path}.{_placeholder(whole)}]")):
            if isinstance(found := whole.get(key), dict) and "properties" in resolve(found, self.definitions):
                return found, place
        return {}, ""

    def key(self, name: str, schema: Schema, definition: str, required: set[str]) -> SchemaKey:
        whole = resolve(schema, self.definitions)
        found, _ = self.inner(schema, name)
        allowed = f"`{self.heads[self.holder(found)[1]]}`" if found else describe(schema, self.definitions)
        default = self.default(definition, name, whole)
        meaning = str(schema.get("description", whole.get("description", "")))
        return SchemaKey(name, allowed, default, name in required, meaning, tuple(whole.get("examples", ())))

    def default(self, definition: str, name: str, whole: Schema) -> object:
        """What the code does without the key."""
        return self.defaults.get(definition, {}).get(name, whole.get("default"))


def _placeholder(schema: Schema) -> str:
    return name_of(schema["propertyNames"]).upper() if "propertyNames" in schema else "NAME"


def describe(schema: Schema, definitions: Schema) -> str:
    """The type of a value with its limits."""
    schema = resolve(schema, definitions)
    if "expected" in schema:
        return str(schema["expected"])
    if "anyOf" in schema:
        return " or ".join(describe(each, definitions) for each in schema["anyOf"])
    if "const" in schema or "enum" in schema:
        return _choice([schema["const"]] if "const" in schema else schema["enum"])
    kinds = {"integer": _number, "number": _number, "string": _text, "boolean": _switch}
    if kind := kinds.get(schema["type"]):
        return kind(schema)
    return _list(schema, definitions) if schema["type"] == "array" else _table(schema, definitions)


def resolve(schema: Schema, definitions: Schema) -> Schema:
    """The schema with all that its reference says; its own words win."""
    if "$ref" not in schema:
        return schema
    return resolve(definitions[name_of(schema)], definitions) | schema


def name_of(schema: Schema) -> str:
    """The definition that a reference names."""
    return str(schema["$ref"]).rpartition("/")[2]


def _choice(values: list[object]) -> str:
    *most, last = (f"`{json.dumps(value)}`" for value in values)
    return f"{', '.join(most)} or {last}" if most else last


def _switch(_: Schema) -> str:
    return "true or false"


def _number(schema: Schema) -> str:
    what = "a whole number" if schema["type"] == "integer" else "a number"
    step = f", a multiple of {schema['multipleOf']}" if "multipleOf" in schema else ""
    if "exclusiveMinimum" in schema:
        return f"{what} above {schema['exclusiveMinimum']}, at most {_amount(schema['maximum'])}{step}"
    return f"{what}, {_span(schema, 'minimum', 'maximum')}{step}"


def _text(schema: Schema) -> str:
    return f"a text, at most {schema['maxLength']:,} characters" if "maxLength" in schema else "a text"


def _list(schema: Schema, definitions: Schema) -> str:
    of = f" of: {describe(schema['items'], definitions)};" if "items" in schema else ","
    some = f" {_span(schema, 'minItems', 'maxItems')} of them" if "minItems" in schema else ""
    return f"a list{of}{some}{', each once' if schema.get('uniqueItems') else ''}".rstrip(";,")


def _table(schema: Schema, definitions: Schema) -> str:
    return f"a table; each value is {describe(schema['additionalProperties'], definitions)}"


def _span(schema: Schema, least: str, most: str) -> str:
    return f"{_amount(schema[least])} {'to ' + _amount(schema[most]) if most in schema else 'or more'}"


def _amount(number: int) -> str:
    for value, end in ((number, ""), (number + 1, "-1")):
        if value >= LARGE and value & (value - 1) == 0:
            return f"2^{value.bit_length() - 1}{end}"
    return f"{number:,}"
