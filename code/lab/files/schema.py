"""Whether a document is as its JSON schema says, and its first fault in words that a person can act on.

What has passed once is not checked again: to load a checker of schemas takes a command longer than all its checks.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from lab.files import passed
from lab.files.fault import Fault, Schema
from lab.options.properties import properties
from lab.places import EXPERIMENTS
from lab.typed_json import JsonTable

EXPERIMENT = "experiment"
PROSE = {"description", "examples"}
FILES = {EXPERIMENT: EXPERIMENTS / "schema.json"}  # the others lie beside this module, by their names
BESIDE = Path(__file__).parent / "schemas"
CHECKER = Path(__file__).with_name("schema_faults.py")


def check_document(document: object, schema: str = EXPERIMENT) -> Fault | None:
    """The most telling fault of a whole file."""
    return _fault(schema, "", document)


def check_value(name: str, value: object) -> Fault | None:
    """The fault of one parameter's value: one that a sweep lists, or one that was spelled with a K."""
    return check_part("value", {name: value})


def check_part(definition: str, value: object) -> Fault | None:
    """The fault of a part of an experiment, by its definition in the schema: a value, a link."""
    return _fault(EXPERIMENT, definition, value)


@cache
def whole_schema(name: str) -> Schema:
    """A schema's file; in that of experiments, the values that options of the C programs take come from these."""
    file = FILES.get(name, BESIDE / f"{name}.json")
    schema: Schema = json.loads(file.read_text(encoding="utf-8"))
    if name == EXPERIMENT:
        known = schema["$defs"]["value"]["properties"]
        known |= {key: _with_values(known.get(key, {}), values) for key, values in properties().items()}
    return schema


def _with_values(told: Schema, values: JsonTable) -> Schema:
    """A key of which the file says no more than what it is for; other programs share the others."""
    return told if told.keys() - PROSE else {**values, **told}


@cache
def _rules(name: str, definition: str) -> tuple[Schema, str]:
    """A schema or a part of it, and a digest of it and of the code that checks by it."""
    schema = whole_schema(name)
    if definition:
        schema = {"$defs": schema["$defs"], "$ref": f"#/$defs/{definition}"}
    return schema, hashlib.sha256(f"{CHECKER.read_text()}\0{schema!r}".encode()).hexdigest()


def _fault(name: str, definition: str, value: object) -> Fault | None:
    schema, rules = _rules(name, definition)
    if passed.has(rules, value):
        return None
    from lab.files.schema_faults import first_fault  # only now: jsonschema takes a tenth of a command's start

    found = first_fault(schema, value)
    if found is None:
        passed.keep(rules, value)
    return found
