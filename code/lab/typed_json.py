"""JSON with types: what a document can hold, and dataclasses that are read from one, value by value of its type."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from lab.errors import LabError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    JsonValue = str | int | float | bool | None | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
    JsonTable = Mapping[str, JsonValue]
else:  # a field of this type takes whatever it is given
    JsonValue = object
    JsonTable = Mapping[str, object]

Made = TypeVar("Made", bound="DataclassInstance")


@dataclass
class JsonError(LabError):
    """A document holds something else than it should."""

    name: str = ""  # of the field at the top


def parse_as(kind: type[Made], document: JsonValue) -> Made:
    """A dataclass from a table; names that it does not have are left out, those without a default must be there."""
    if not isinstance(document, dict):
        raise JsonError(f"{_show(document)} is no table")
    make: Callable[..., Made] = kind
    return make(**_fields(kind, document))


def as_json(value: DataclassInstance) -> dict[str, JsonValue]:
    """The table of a dataclass; parse_as gives the dataclass back."""
    return {each.name: _written(getattr(value, each.name)) for each in fields(value)}


def _fields(kind: type[DataclassInstance], table: Mapping[str, JsonValue]) -> dict[str, object]:
    hints = _hints(kind)
    made: dict[str, object] = {}
    for each in fields(kind):
        if each.name in table:
            made[each.name] = _named(each.name, hints[each.name], table[each.name])
        elif each.default is MISSING and each.default_factory is MISSING:
            raise JsonError(f"{each.name} is missing", name=each.name)
    return made


def _named(name: str, hint: object, value: JsonValue) -> object:
    try:
        return _read(hint, value)
    except JsonError as error:
        raise JsonError(f"{name}: {error.what}", name=name) from None


@cache
def _hints(kind: type[DataclassInstance]) -> Mapping[str, object]:
    return get_type_hints(kind)


def _read(hint: object, value: JsonValue) -> object:
    """A value as its type wants it: lists as tuples, tables as dataclasses, texts as members of an enumeration."""
    if hint is object:
        return value
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value)
    if origin is Literal:
        return _require(value, any(value == each and type(value) is type(each) for each in arguments), hint)
    if origin is tuple:
        return _tuple(arguments, value)
    if origin in (dict, Mapping):
        return _mapping(arguments, value)
    return _plain(cast(type, hint), value)


def _plain(kind: type, value: JsonValue) -> object:
    if is_dataclass(kind):
        return parse_as(kind, value)
    if issubclass(kind, (Enum, Path)) and isinstance(value, str):
        return _made_of_text(kind, value)
    if kind is float and type(value) is int:  # 5.0 may be written as 5
        return float(value)
    return _require(value, type(value) is kind, kind)


def _made_of_text(kind: type[Enum] | type[Path], value: str) -> object:
    try:
        return kind(value)
    except ValueError:
        raise JsonError(f"{_show(value)} is no {kind.__name__}") from None


def _one_of(hints: tuple[object, ...], value: JsonValue) -> object:
    for hint in hints:
        try:
            return _read(hint, value)
        except JsonError as error:
            last = error
    raise last


def _tuple(hints: tuple[object, ...], value: JsonValue) -> tuple[object, ...]:
    if not isinstance(value, (list, tuple)):
        raise JsonError(f"{_show(value)} is no list")
    if hints[-1:] == (...,):
        return tuple(_read(hints[0], each) for each in value)
    if len(value) != len(hints):
        raise JsonError(f"{_show(value)} is no list of {len(hints)}")
    return tuple(_read(hint, each) for hint, each in zip(hints, value, strict=True))


def _mapping(hints: tuple[object, ...], value: JsonValue) -> dict[str, object]:
    if not isinstance(value, dict):
        raise JsonError(f"{_show(value)} is no table")
    return {name: _named(name, hints[1], each) for name, each in value.items()}


def _require(value: JsonValue, holds: bool, hint: object) -> JsonValue:  # noqa: FBT001 - what is required
    if not holds:
        raise JsonError(f"{_show(value)} is no {WORDS.get(hint, 'value of this kind')}")
    return value


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


def _show(value: object) -> str:
    return f"{value!r:.40}"


WORDS: dict[object, str] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
}
