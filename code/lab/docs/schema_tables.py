"""The tables that a TOML file may hold, read off its schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lab.docs.schema_words import describe, name_of, resolve
from lab.files.fault import Schema


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
