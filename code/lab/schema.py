"""What experiments/schema.json says of a document, as one fault that a person can act on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from lab.places import EXPERIMENTS

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Fault:
    """What is wrong, at which key, what was expected instead and what to try."""

    what: str
    path: Path
    expected: str = ""
    hint: str = ""


def check_document(document: dict[str, Any]) -> Fault | None:
    """The most telling fault of a whole experiment file."""
    error = best_match(_validator("").iter_errors(document))
    return None if error is None else _fault(error)


def check_value(name: str, value: Any) -> Fault | None:
    """The fault of one parameter's value, for values that a sweep lists."""
    error = best_match(_validator("value").iter_errors({name: value}))
    return None if error is None else _fault(error)


@cache
def _schema() -> dict[str, Any]:
    return cast(dict[str, Any], json.loads((EXPERIMENTS / "schema.json").read_text()))


@cache
def _validator(definition: str) -> Draft202012Validator:
    schema = _schema()
    if definition:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    return Draft202012Validator(schema)


def _fault(error: ValidationError) -> Fault:
    path = tuple(error.absolute_path)
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        return _unknown_key(error, path)
    if error.validator == "required":
        wanted, given = cast(list[str], error.validator_value), cast(dict[str, Any], error.instance)
        missing = next(name for name in wanted if name not in given)
        return Fault(f"the key {missing!r} is missing", path, f"{missing} = ...")
    key = ".".join(str(part) for part in path if isinstance(part, str)) or "the file"
    return Fault(f"{key} is {_show(error.instance)}", path, _expected(error))


def _unknown_key(error: ValidationError, path: Path) -> Fault:
    known, given = _known(error.schema), cast(dict[str, Any], error.instance)
    unknown = next(name for name in given if name not in known)
    near = get_close_matches(unknown, known, n=1)
    hint = f"{near[0]!r}?" if near else ""
    return Fault(f"unknown key {unknown!r}", (*path, unknown), "one of " + ", ".join(sorted(known)), hint)


def _known(schema: Any) -> set[str]:
    """The keys that a table may hold: its own and those of the definition that it builds on."""
    known = set(schema.get("properties", {}))
    if schema.get("$ref") == "#/$defs/value":
        known |= set(_schema()["$defs"]["value"]["properties"])
    return known


def _expected(error: ValidationError) -> str:
    rule, value = error.validator, error.validator_value
    sentences = {
        "type": f"{'an' if str(value)[0] in 'aio' else 'a'} {value}",
        "enum": "one of " + ", ".join(str(each) for each in value) if isinstance(value, list) else "",
        "minimum": f"at least {value}",
        "maximum": f"at most {value}",
        "exclusiveMinimum": f"more than {value}",
        "minItems": f"at least {value} item",
        "minLength": "some text",
        "uniqueItems": "every value once",
        "const": json.dumps(value),
        "pattern": f"text like {value}",
    }
    if rule == "anyOf":
        return " or ".join(dict.fromkeys(filter(None, (_expected(each) for each in error.context or ()))))
    return sentences.get(str(rule), error.message)


def _show(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
