"""Tables of JSON and TOML read into dataclasses: types, limits, and one sentence for each fault.

`parse_as` reads what the lab has written itself: unknown names are left out, and only types are checked. `parse_typed`
reads what a person typed: it also refuses unknown keys and checks the `Limits` in the annotations of the fields.
"""

from __future__ import annotations

import json
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from enum import Enum
from functools import cache
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from lab.errors import LabError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
    JsonTable = Mapping[str, JsonValue]
else:  # a field of this type takes any value
    JsonValue = object
    JsonTable = Mapping[str, object]

Content = TypeVar("Content", bound="DataclassInstance")
Keys = tuple[str | int, ...]  # the path to a value in a document

SHOWN = 60  # characters of a value in a message
TYPES: dict[object, str] = {
    int: "an integer",
    float: "a number",
    str: "a text",
    bool: "true or false",
    type(None): "null",
    tuple: "a list",
    dict: "a table",
}


@dataclass
class JsonError(LabError):
    """A document of the lab's own holds something else than it should."""

    name: str = ""  # of the field at the top


@dataclass
class Fault(Exception):
    """What is wrong, at which key, what is allowed there, and what to try."""

    what: str
    path: Keys
    expected: str = ""
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.what}, expected {self.expected}" if self.expected else self.what


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What a typed value must be besides its type."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    multiple_of: int | None = None
    shortest: int = 0  # characters, items or keys
    longest: int | None = None
    unique: bool = False
    pattern: str = ""  # of the whole text
    choices: tuple[str, ...] = ()
    expected: str = ""  # replaces the sentence that the limits make

    def broken_by(self, value: JsonValue) -> str | None:
        """The sentence of the first limit that the value breaks."""
        return next((sentence for holds, sentence in self._tests(value) if not holds), None)

    def _tests(self, value: JsonValue) -> Iterator[tuple[bool, str]]:
        if isinstance(value, (int, float)):
            yield self.least is None or value >= self.least, f"at least {self.least}"
            yield self.above is None or value > self.above, f"more than {self.above}"
            yield self.most is None or value <= self.most, f"at most {self.most}"
            yield not self.multiple_of or value % self.multiple_of == 0, f"a multiple of {self.multiple_of}"
        if isinstance(value, str):
            yield not self.choices or value in self.choices, "one of " + ", ".join(self.choices)
            yield not self.pattern or re.fullmatch(self.pattern, value) is not None, "another text"
        if isinstance(value, (str, Sequence, Mapping)):
            yield len(value) >= self.shortest, "some text" if isinstance(value, str) else _count(self.shortest, value)
            yield self.longest is None or len(value) <= self.longest, f"at most {self.longest or 0:,} of them"
            yield not self.unique or len({json.dumps(each) for each in value}) == len(value), "every value once"


@dataclass(frozen=True)
class Typed:
    """The type that a person types, where the field holds another: "64K" for 65536."""

    hint: object


@dataclass(frozen=True)
class PartOf:
    """A table with some fields of these dataclasses, kept as typed: it replaces some values of another table."""

    kinds: tuple[type[DataclassInstance], ...]
    required: tuple[str, ...] = ()


class About:
    """The meaning of a key, and examples as TOML spells them. In an annotation, plain texts are the same."""

    def __init__(self, meaning: str, *examples: str) -> None:
        self.meaning, self.examples = meaning, examples


LINE = Limits(longest=200, pattern=r"[^\n]*[^\s][^\n]*", expected="a line of text, up to 200 characters")
TEXT = Limits(shortest=1)


def parse_as(kind: type[Content], document: JsonValue) -> Content:
    """A dataclass from a table that the lab wrote; names that the dataclass lacks are left out."""
    try:
        return cast(Content, _dataclass(kind, document, (), typed=False))
    except Fault as fault:
        raise JsonError(str(fault), name=str(next(iter(fault.path), ""))) from None


def parse_typed(kind: type[Content], document: JsonValue) -> Content:
    """A dataclass from a table that a person typed; a Fault where it breaks a limit or has an unknown key."""
    return cast(Content, _dataclass(kind, document, (), typed=True))


def check_values(kind: type[DataclassInstance], values: JsonTable) -> None:
    """Raise the Fault of values for some fields of a dataclass."""
    _part(PartOf((kind,)), values, ())


def as_json(value: DataclassInstance) -> dict[str, JsonValue]:
    """The table of a dataclass; parse_as gives the dataclass back."""
    return {each.name: _written(getattr(value, each.name)) for each in fields(value)}


def nearest(name: object, names: Iterable[str]) -> str:
    """A hint with the name that was probably meant; empty if none is near."""
    near = get_close_matches(str(name)[:SHOWN], list(names), n=1, cutoff=0.5)
    return f"{near[0]!r}?" if near else ""


@cache
def hints_of(kind: type[DataclassInstance], *, typed: bool = True) -> Mapping[str, object]:
    """The types of a dataclass's fields; as typed by a person, with their limits."""
    hints = get_type_hints(kind, include_extras=typed)
    return {name: _named(hint, name) for name, hint in hints.items()}


def _named(hint: object, name: str) -> object:
    """The hint with the limits of this field for a function that returns them by the field's name."""
    if get_origin(hint) is not Annotated:
        return hint
    inner, *notes = get_args(hint)
    return Annotated[inner, *(note(name) if isfunction(note) else note for note in notes)]


def notes_of(hint: object) -> tuple[object, tuple[object, ...]]:
    """A field's type without its notes, and the notes: Limits, Typed, PartOf, About (from texts, too)."""
    if get_origin(hint) is not Annotated:
        return hint, ()
    inner, *notes = get_args(hint)
    if texts := [note for note in notes if isinstance(note, str)]:
        notes = [*(note for note in notes if not isinstance(note, str)), About(*texts)]
    typed = next((each.hint for each in notes if isinstance(each, Typed)), inner)
    inner, more = notes_of(typed)
    return inner, (*more, *notes)


@cache
def _required(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING)


def _dataclass(kind: type[DataclassInstance], document: JsonValue, path: Keys, *, typed: bool) -> object:
    if not isinstance(document, dict):
        raise _misfit(kind, document, path)
    hints = hints_of(kind, typed=typed)
    if typed:
        _refuse_unknown(document, hints, path)
    _refuse_missing(document, hints, _required(kind), path)
    make: Callable[..., object] = kind
    return make(
        **{
            name: _read(hint, document[name], (*path, name), typed=typed)
            for name, hint in hints.items()
            if name in document
        }
    )


def _part(part: PartOf, table: JsonValue, path: Keys) -> dict[str, object]:
    if not isinstance(table, dict):
        raise _misfit(dict, table, path)
    hints = {name: hint for kind in part.kinds for name, hint in hints_of(kind).items()}
    _refuse_unknown(table, hints, path)
    _refuse_missing(table, hints, part.required, path)
    return {name: _read(hints[name], value, (*path, name), typed=True) for name, value in table.items()}


def _refuse_unknown(table: Mapping[str, JsonValue], known: Iterable[str], path: Keys) -> None:
    known = sorted(known)
    for name in table:
        if name not in known:
            expected = "one of " + ", ".join(known)
            raise Fault(f"unknown key {name!r:.80}", (*path, name), expected, nearest(name, known))


def _refuse_missing(
    table: Mapping[str, JsonValue], hints: Mapping[str, object], required: Iterable[str], path: Keys
) -> None:
    missing = next((name for name in required if name not in table), None)
    if missing is not None:
        about = [note for note in notes_of(hints[missing])[1] if isinstance(note, About)]
        example = about[0].examples[0] if about and about[0].examples else "..."
        where = f"{_dotted(path)}: " if path else ""
        raise Fault(f"{where}the key {missing!r} is missing", path or (missing,), f"{missing} = {example}")


def _read(hint: object, value: JsonValue, path: Keys, *, typed: bool) -> object:
    """A value as its type wants it: lists as tuples, tables as dataclasses, texts as members of an enumeration."""
    if hint is object:
        return value
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _limited(hint, value, path)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value, path, typed=typed)
    if origin is tuple and isinstance(value, (list, tuple)):
        return _tuple(arguments, value, path, typed=typed)
    if origin in (dict, Mapping) and isinstance(value, dict):
        return _mapping(arguments, value, path, typed=typed)
    if is_dataclass(hint):
        return _dataclass(cast("type[DataclassInstance]", hint), value, path, typed=typed)
    return _plain(hint, value, path)


def _plain(hint: object, value: JsonValue, path: Keys) -> object:
    if hint is float and type(value) is int:  # 5.0 may be written as 5
        return float(value)
    if isinstance(hint, type) and issubclass(hint, (Enum, Path)) and isinstance(value, str):
        try:
            return hint(value)
        except ValueError:
            raise _misfit(hint, value, path) from None
    choices = get_args(hint) if get_origin(hint) is Literal else ()
    if type(value) is hint or any(value == each and type(value) is type(each) for each in choices):
        return value
    raise _misfit(hint, value, path)


def _limited(hint: object, value: JsonValue, path: Keys) -> object:
    """A value that a person typed, within its limits."""
    inner, notes = notes_of(hint)
    limits = [each for each in notes if isinstance(each, Limits)]
    sentence = next((each.expected for each in limits if each.expected), "")
    part = next((each for each in notes if isinstance(each, PartOf)), None)
    try:
        result = _part(part, value, path) if part else _read(inner, value, path, typed=True)
        for each in limits:
            if broken := each.broken_by(value):
                raise Fault(_is(path, value), path, broken, nearest(value, each.choices))
    except Fault as fault:
        if not sentence:
            raise
        raise Fault(_is(path, value), path, sentence, fault.hint) from None
    return result


def _one_of(hints: tuple[object, ...], value: JsonValue, path: Keys, *, typed: bool) -> object:
    faults = []
    for each in hints:
        try:
            return _read(each, value, path, typed=typed)
        except Fault as fault:
            faults.append(fault)
    faults = [fault for fault in faults if fault.expected != TYPES[type(None)]]
    inner = [fault for fault in faults if len(fault.path) > len(path) or len(faults) == 1]
    if inner:
        raise inner[0]
    expected = " or ".join(dict.fromkeys(fault.expected for fault in faults))
    raise Fault(_is(path, value), path, expected, next((fault.hint for fault in faults if fault.hint), ""))


def _tuple(hints: tuple[object, ...], values: Sequence[JsonValue], path: Keys, *, typed: bool) -> tuple[object, ...]:
    if hints[-1:] == (...,):
        hints = (hints[0],) * len(values)
    if len(values) != len(hints):
        raise Fault(_is(path, values), path, f"a list of {len(hints)}")
    pairs = enumerate(zip(hints, values, strict=True))
    return tuple(_read(hint, value, (*path, index), typed=typed) for index, (hint, value) in pairs)


def _mapping(
    hints: tuple[object, ...], table: Mapping[str, JsonValue], path: Keys, *, typed: bool
) -> dict[str, object]:
    for name in table if typed else ():
        try:
            _read(hints[0], name, (*path, name), typed=True)
        except Fault as fault:
            raise Fault(f"unknown key {name!r:.80}", fault.path, fault.expected, fault.hint) from None
    return {name: _read(hints[1], value, (*path, name), typed=typed) for name, value in table.items()}


def _misfit(hint: object, value: JsonValue, path: Keys) -> Fault:
    """The fault of a value of another type."""
    name = next((part for part in reversed(path) if isinstance(part, str)), "")
    whole = hint is int and isinstance(value, float) and value.is_integer()
    return Fault(_is(path, value), path, _type_name(hint), f"{name} = {int(cast(float, value))}" if whole else "")


def _type_name(hint: object) -> str:
    if get_origin(hint) is Literal:
        return " or ".join(json.dumps(each) for each in get_args(hint))
    kind = dict if is_dataclass(hint) else get_origin(hint) or hint
    return TYPES.get(dict if kind is Mapping else kind) or f"a {getattr(kind, '__name__', 'value')}"


def _is(path: Keys, value: object) -> str:
    text = json.dumps(value, default=str)
    return f"{_dotted(path) or 'the file'} is {text if len(text) <= SHOWN else text[: SHOWN - 3] + '...'}"


def _dotted(path: Keys) -> str:
    return ".".join(part for part in path if isinstance(part, str))


def _count(least: int, value: object) -> str:
    noun = "key" if isinstance(value, Mapping) else "item"
    return f"at least {least} {noun}{'' if least == 1 else 's'}"


def _written(value: object) -> JsonValue:
    """A field's value as a file would give it back."""
    if isinstance(value, Mapping):
        return {str(name): _written(each) for name, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [_written(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return as_json(value)
    if isinstance(value, Enum):
        return cast(JsonValue, value.value)
    if isinstance(value, float):  # numpy's too
        return float(value)
    if value is None or type(value) in (str, int, bool):
        return cast(JsonValue, value)
    return str(value)
