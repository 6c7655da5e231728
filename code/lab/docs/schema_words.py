"""What a JSON schema allows, in words for a page."""

from __future__ import annotations

import json

from lab.files.fault import Schema

LARGE = 1 << 16  # from here on a power of two is easier to read as one


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
