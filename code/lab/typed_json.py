"""Tables of JSON and TOML read into dataclasses: types, limits, and one sentence for each fault.

`parse_as` reads tables that Verbyte wrote: it ignores unknown names and checks only types. `parse_typed` reads tables
that a person typed: it also refuses unknown keys and checks the `Limits` in the annotations of the fields.
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
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from lab.errors import LabError, plural

if TYPE_CHECKING:
    from _typeshed import DataclassInstance as DataclassInstance

    JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
    JsonTable = Mapping[str, JsonValue]
else:  # a field of this type takes any value
    JsonValue = object
    JsonTable = Mapping[str, object]
    DataclassInstance = object

Content = TypeVar("Content", bound=DataclassInstance)
Keys = tuple[str | int, ...]  # the path to a value in a document

SHOWN = 60  # characters of a value in a message
MOST_DIGITS = 20  # of an integer, as 2**64 has; Python reads 4,300, and a float stores 308
TYPES: dict[object, str] = {
    int: "an integer",
    float: "a number",
    str: "a text",
    bool: "true or false",
    type(None): "null",
    tuple: "a list",
    dict: "a table",
}


class JsonError(LabError):
    """A document that Verbyte wrote has a wrong value."""


@dataclass
class Fault(Exception):
    """A wrong value, its key, the allowed values, and what to try."""

    what: str
    path: Keys
    expected: str = ""
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.what}, expected {self.expected}" if self.expected else self.what


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a typed value besides its type."""

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
        """The allowed values by the first limit that the value breaks."""
        return next((expected for holds, expected in self._tests(value) if not holds), None)

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
            noun = "key" if isinstance(value, Mapping) else "item"
            some = f"at least {plural(self.shortest, noun)}"
            yield len(value) >= self.shortest, "some text" if isinstance(value, str) else some
            yield self.longest is None or len(value) <= self.longest, f"at most {self.longest or 0:,} of them"
            once = {json.dumps(each, default=str) for each in value} if self.unique else value
            yield len(once) == len(value), "every value once"


@dataclass(frozen=True)
class Typed:
    """The type that a person types, if the field has another: "64K" for 65536; and what makes one of the other."""

    hint: object
    parse: Callable[[Any], object] | None = None  # None: the value is left as it is typed


@dataclass(frozen=True)
class PartOf:
    """A table with some fields of these dataclasses, as typed: it replaces values of another table."""

    kinds: tuple[type[DataclassInstance], ...]
    required: tuple[str, ...] = ()


LINE = Limits(longest=200, pattern=r"[^\n]*[^\s][^\n]*", expected="a line of text, up to 200 characters")
TEXT = Limits(shortest=1)


def parse_as(kind: type[Content], document: JsonValue) -> Content:
    """A dataclass from a table that Verbyte wrote; unknown names are ignored."""
    try:
        return cast(Content, _Reader(typed=False).value(kind, document, ()))
    except Fault as fault:
        raise JsonError(str(fault)) from None


def parse_typed(kind: type[Content], document: JsonValue) -> Content:
    """A dataclass from a table that a person typed; raise a Fault for a broken limit or an unknown key."""
    return cast(Content, _Reader(typed=True).value(kind, document, ()))


def check_values(kind: type[DataclassInstance], values: JsonTable) -> None:
    """Raise the Fault of values for some fields of a dataclass."""
    _Reader(typed=True).part(PartOf((kind,)), values, ())


def as_json(value: DataclassInstance) -> dict[str, JsonValue]:
    """The table of a dataclass; parse_as gives the dataclass back."""
    return {each.name: _written(getattr(value, each.name)) for each in fields(value)}


def whole(text: str) -> int:
    """The integer that a text spells; raise a ValueError for any other text and for more digits than are counted."""
    if not re.fullmatch(rf"-?[0-9]{{1,{MOST_DIGITS}}}", text):
        raise ValueError(f"{text!r:.40} is not a whole number of at most {MOST_DIGITS} digits")
    return int(text)


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
    """A field's type without its notes, and the notes: Limits, Typed, PartOf, and a text, which is an example."""
    if get_origin(hint) is not Annotated:
        return hint, ()
    inner, *notes = get_args(hint)
    typed = next((each.hint for each in notes if isinstance(each, Typed)), inner)
    inner, more = notes_of(typed)
    return inner, (*more, *notes)


def example_in(hint: object) -> str:
    """The example of a required key, as TOML spells it."""
    return next((note for note in notes_of(hint)[1] if isinstance(note, str)), "")


@cache
def required_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING)


@dataclass(frozen=True)
class _Reader:
    """Reads the values of a document, each with its path there."""

    typed: bool  # by a person

    def value(self, hint: object, value: JsonValue, path: Keys) -> object:
        """A value of a type: lists as tuples, tables as dataclasses, texts as members of an enumeration."""
        if hint is object:
            return value
        origin, arguments = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self.limited(hint, value, path)
        if origin in (Union, types.UnionType):
            return self.one_of(arguments, value, path)
        if origin is tuple and isinstance(value, (list, tuple)):
            return self.items(arguments, value, path)
        if origin in (dict, Mapping) and isinstance(value, dict):
            return self.mapping(arguments, value, path)
        if is_dataclass(hint) and isinstance(value, dict):
            kind = cast(type[DataclassInstance], hint)
            make: Callable[..., object] = kind
            return make(**self.fields(hints_of(kind, typed=self.typed), required_of(kind), value, path))
        return _plain(hint, value, path)

    def limited(self, hint: object, value: JsonValue, path: Keys) -> object:
        """A value that a person typed, within its limits."""
        inner, notes = notes_of(hint)
        limits = [each for each in notes if isinstance(each, Limits)]
        part = next((each for each in notes if isinstance(each, PartOf)), None)
        try:
            result = self.part(part, value, path) if part else self.value(inner, value, path)
            for each in limits:
                if broken := each.broken_by(value):
                    raise Fault(_is(path, value), path, broken, nearest(value, each.choices))
        except Fault as fault:
            if expected := next((each.expected for each in limits if each.expected), ""):
                raise Fault(_is(path, value), path, expected, fault.hint) from None
            raise
        parse = next((each.parse for each in notes if isinstance(each, Typed)), None)
        try:
            return parse(result) if parse else result
        except LabError as error:
            raise Fault(error.what, path, hint=error.hint) from error

    def one_of(self, hints: tuple[object, ...], value: JsonValue, path: Keys) -> object:
        faults = list[Fault]()
        for each in hints:
            try:
                return self.value(each, value, path)
            except Fault as fault:
                if fault.expected != TYPES[type(None)]:
                    faults.append(fault)
        for deeper in faults:
            if len(deeper.path) > len(path) or len(faults) == 1:
                raise deeper
        expected = " or ".join(dict.fromkeys(each.expected for each in faults))
        raise Fault(_is(path, value), path, expected, next((each.hint for each in faults if each.hint), ""))

    def items(self, hints: tuple[object, ...], values: Sequence[JsonValue], path: Keys) -> tuple[object, ...]:
        if hints[-1:] == (...,):
            hints = (hints[0],) * len(values)
        if len(values) != len(hints):
            raise Fault(_is(path, values), path, f"a list of {len(hints)}")
        pairs = enumerate(zip(hints, values, strict=True))
        return tuple(self.value(hint, value, (*path, index)) for index, (hint, value) in pairs)

    def mapping(self, hints: tuple[object, ...], table: JsonTable, path: Keys) -> dict[str, object]:
        for name in table if self.typed else ():
            try:
                self.value(hints[0], name, (*path, name))
            except Fault as fault:
                raise Fault(f"unknown key {name!r:.80}", fault.path, fault.expected, fault.hint) from None
        return {name: self.value(hints[1], value, (*path, name)) for name, value in table.items()}

    def part(self, part: PartOf, table: JsonValue, path: Keys) -> dict[str, object]:
        if not isinstance(table, dict):
            raise _misfit(dict, table, path)
        hints = {name: hint for kind in part.kinds for name, hint in hints_of(kind).items()}
        return self.fields(hints, part.required, table, path)

    def fields(
        self, hints: Mapping[str, object], required: Iterable[str], table: JsonTable, path: Keys
    ) -> dict[str, object]:
        """The values of a table by name; raise a Fault for a missing key or, in a typed table, for an unknown one."""
        for name in table if self.typed else ():
            if name not in hints:
                known = sorted(hints)
                what, expected = f"unknown key {name!r:.80}", f"one of {', '.join(known)}"
                raise Fault(what, (*path, name), expected, nearest(name, known))
        for name in required:
            if name not in table:
                where = f"{_dotted(path)}: " if path else ""
                expected = f"{name} = {example_in(hints[name]) or '...'}"
                raise Fault(f"{where}the key {name!r} is missing", path or (name,), expected)
        values = ((name, value) for name, value in table.items() if name in hints)
        return {name: self.value(hints[name], value, (*path, name)) for name, value in values}


def _plain(hint: object, value: JsonValue, path: Keys) -> object:
    if type(value) is int and abs(value) >= 10**MOST_DIGITS:
        raise Fault(f"{_dotted(path)} is too large", path, f"an integer of at most {MOST_DIGITS} digits")
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
