"""JSON schemas of the TOML files, and the sentence for each fault."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, cast

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match
from jsonschema.validators import extend

from lab.errors import StorageError
from lab.files.storage import storage
from lab.options import properties
from lab.places import CACHE, EXPERIMENTS
from lab.typed_json import JsonTable

Keys = tuple[str | int, ...]  # the way to a value
Schema = dict[str, Any]  # a JSON schema, as deep as it is


@dataclass(frozen=True)
class Fault:
    """What is wrong, at which key, what was expected instead and what to try."""

    what: str
    path: Keys
    expected: str = ""
    hint: str = ""


CLOSED = ("additionalProperties", "unevaluatedProperties")
HALVES = {"oneOf": "both or neither", "dependentRequired": "one of two keys that go together"}
SHOWN = 60  # characters of a value
TYPES = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}


def first_fault(schema: Schema, value: object) -> Fault | None:
    """The most telling one."""
    strict: Callable[..., Draft202012Validator] = _STRICT
    return _Teller(schema).telling(strict(schema).iter_errors(value))


def _is_whole(_: object, value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole_text(_: object, pattern: str, value: object, __: object) -> Iterator[ValidationError]:
    if isinstance(value, str) and not re.fullmatch(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


_STRICT: type[Draft202012Validator] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    {"pattern": _whole_text},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_whole),
)


class _Teller:
    """Turns what jsonschema found into words."""

    def __init__(self, schema: Schema) -> None:
        self.definitions = schema.get("$defs", {})

    def telling(self, errors: Iterable[ValidationError]) -> Fault | None:
        """The fault to report: a mistyped key is also a missing key, and only the first message helps."""
        errors = list(errors)
        unknown = (self.unknown(each) for each in errors if each.validator in CLOSED)
        if found := next(filter(None, unknown), None):
            return found
        error = best_match(errors)
        return None if error is None else self.fault(error)

    def fault(self, error: ValidationError) -> Fault:
        path = tuple(error.absolute_path)
        if error.validator == "required":
            return _missing(error, path)
        if "propertyNames" in error.absolute_schema_path:
            name = str(error.instance)
            return Fault(
                f"unknown name {name!r:.80}", (*path, name), _expected(error), _near(name, error.validator_value)
            )
        key = ".".join(str(part) for part in path if isinstance(part, str)) or "the file"
        if error.validator in HALVES:
            return Fault(f"{key} has {HALVES[str(error.validator)]}", path, _expected(error))
        return Fault(f"{key} is {_show(error.instance)}", path, _expected(error), _hint(error, path))

    def unknown(self, error: ValidationError) -> Fault | None:
        """A key that no table of this kind has."""
        known, given = self.known(cast(Schema, error.schema)), cast(JsonTable, error.instance)
        unknown = next((name for name in given if name not in known), None)
        if unknown is None:
            return None
        expected = "one of " + ", ".join(sorted(known))
        return Fault(f"unknown key {unknown!r:.80}", (*error.absolute_path, unknown), expected, _near(unknown, known))

    def known(self, schema: Schema) -> set[str]:
        """The keys that a table may hold: its own and those of the definitions that it builds on."""
        based = self.definitions.get(str(schema.get("$ref", "")).rpartition("/")[2])
        return set(schema.get("properties", {})) | (self.known(based) if based else set())


def _missing(error: ValidationError, path: Keys) -> Fault:
    """The fault of a missing key, with the schema's example if there is one."""
    wanted, given = cast(list[str], error.validator_value), cast(JsonTable, error.instance)
    missing = next(name for name in wanted if name not in given)
    about = cast(Schema, error.schema).get("properties", {}).get(missing, {})
    example = about.get("examples", ["..."])[0]
    where = ".".join(str(part) for part in path if isinstance(part, str))
    return Fault(f"{where + ': ' if where else ''}the key {missing!r} is missing", path, f"{missing} = {example}")


def _expected(error: ValidationError) -> str:
    """What was expected: in the schema's own words if it has some for people, else in the rule's."""
    rule, value, schema = str(error.validator), error.validator_value, error.schema
    if isinstance(schema, dict) and "expected" in schema:
        return str(schema["expected"])
    if rule == "anyOf":
        return " or ".join(dict.fromkeys(filter(None, (_expected(each) for each in error.context or ()))))
    if rule == "type":
        return TYPES[str(value)]
    sentences = {
        "enum": "one of " + ", ".join(str(each) for each in value) if isinstance(value, list) else "",
        "minimum": f"at least {value}",
        "maximum": f"at most {value}",
        "exclusiveMinimum": f"more than {value}",
        "multipleOf": f"a multiple of {value}",
        "minItems": f"at least {_some(value, 'item')}",
        "maxItems": f"at most {_some(value, 'item')}",
        "minProperties": f"at least {_some(value, 'key')}",
        "minLength": "some text",
        "maxLength": f"at most {value} characters",
        "uniqueItems": "every value once",
        "const": json.dumps(value),
    }
    return sentences.get(rule, "another value")


def _some(count: object, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _hint(error: ValidationError, path: Keys) -> str:
    """A hint: a whole number without its point, or the nearest word that is allowed."""
    value = error.instance
    if isinstance(value, float) and value.is_integer() and TYPES["integer"] in _types(error):
        name = next((part for part in reversed(path) if isinstance(part, str)), "")
        return f"{name} = {int(value)}"
    words = [word for each in (error, *(error.context or ())) if each.validator == "enum" for word in _words(each)]
    return _near(value, words)


def _types(error: ValidationError) -> set[str]:
    found = (error, *(error.context or ()), *(inner for each in error.context or () for inner in each.context or ()))
    return {TYPES[str(each.validator_value)] for each in found if each.validator == "type"}


def _words(error: ValidationError) -> list[str]:
    return [str(each) for each in cast(list[str], error.validator_value)]


def _near(given: object, known: object) -> str:
    words = [str(each) for each in known] if isinstance(known, (list, set)) else []
    near = get_close_matches(str(given)[:SHOWN], words, n=1, cutoff=0.5)
    return f"{near[0]!r}?" if near else ""


def _show(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


FILE = CACHE / "passed"
LARGEST = 2**18  # bytes; then it begins anew


def has(rules: str, value: object) -> bool:
    """Whether this value, with these types, has passed these rules."""
    try:
        return _line(rules, value) in FILE.read_bytes()
    except OSError:
        return False


def keep(rules: str, value: object) -> None:
    """For the next command; in another user's checkout nothing is kept."""
    with suppress(StorageError), storage(FILE):
        FILE.parent.mkdir(parents=True, exist_ok=True)
        if FILE.is_file() and FILE.stat().st_size > LARGEST:
            FILE.unlink()
        with FILE.open("ab") as lines:
            lines.write(_line(rules, value))


def _line(rules: str, value: object) -> bytes:
    """Python's words tell 1 from 1.0, and a date from its text."""
    words = f"{rules} {value!r}".encode(errors="surrogatepass")
    return f"{hashlib.sha256(words).hexdigest()}\n".encode()


EXPERIMENT = "experiment"
PROSE = {"description", "examples"}
FILES = {EXPERIMENT: EXPERIMENTS / "schema.json"}  # the others lie beside this module, by their names
BESIDE = Path(__file__).parent / "schemas"
CHECKER = Path(__file__)


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
    if has(rules, value):
        return None

    found = first_fault(schema, value)
    if found is None:
        keep(rules, value)
    return found
