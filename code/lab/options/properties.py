"""The options of the C programs as the schema of experiments describes parameters."""

from __future__ import annotations

from lab.options.table import PARAMETERS, Option
from lab.typed_json import JsonTable

AUTO = {"const": "auto"}
BY_LAB = {
    "least_time_s": "auto: 1 by a wall clock, else 0"
}  # the program does not know it: the lab knows the site's clock


def properties() -> dict[str, JsonTable]:
    """JSON schema of every parameter that is an option of a program of ours."""
    return {name: {**_values(name, option), "description": _about(name, option)} for name, option in PARAMETERS.items()}


def _about(name: str, option: Option) -> str:
    return f"{option.help}; {BY_LAB[name]}" if name in BY_LAB else option.help


def _values(name: str, option: Option) -> JsonTable:
    if option.kind == "flag":
        return {"type": "boolean"}
    if option.kind == "word":
        return {"enum": option.words.split("|")}
    if option.kind == "bytes":
        return {"anyOf": [_number(option), {"$ref": "#/$defs/number_and_suffix"}]}
    if option.kind == "number or auto" or name in BY_LAB:
        return {"anyOf": [_number(option), AUTO]}
    return _number(option) if option.kind == "number" else {"type": "string"}


def _number(option: Option) -> JsonTable:
    least = min(option.least, int(option.default)) if option.default.isdigit() else option.least
    return {"type": "integer", "minimum": least, "maximum": option.most}
