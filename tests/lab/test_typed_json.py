"""Dataclasses to JSON and back, and errors of wrong values."""

import json
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Literal

import pytest

from lab.typed_json import JsonError, JsonTable, JsonValue, as_json, parse_as


class Colour(StrEnum):
    RED = "red"


class Shape(Enum):
    ROUND = "round"


@dataclass(frozen=True)
class Inner:
    count: int


@dataclass(frozen=True)
class Outer:
    inner: Inner
    pairs: tuple[tuple[str, int], ...] = ()
    choice: int | Literal["auto"] = "auto"
    colour: Colour = Colour.RED
    shape: Shape = Shape.ROUND
    share: float = 0.5
    place: Path = Path("here")
    by_name: dict[str, Inner] = field(default_factory=dict)
    anything: JsonValue = None
    table: JsonTable = field(default_factory=dict)


FULL = Outer(
    Inner(1), (("a", 1),), 3, Colour.RED, Shape.ROUND, 2.0, Path("/x"), {"b": Inner(2)}, [1, {"c": None}], {"d": 1.5}
)


@pytest.mark.parametrize("value", [FULL, Outer(Inner(0))])
def test_dataclass_survives_json(value: Outer) -> None:
    table = as_json(value)
    assert json.loads(json.dumps(table)) == table and parse_as(Outer, table) == value


def test_integer_is_read_as_a_number_and_unknown_names_are_ignored() -> None:
    assert type(parse_as(Outer, {"inner": {"count": 1}, "share": 1}).share) is float
    assert parse_as(Inner, {"count": 1, "other": 2}) == Inner(1)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"inner": {"count": True}}, "inner.count is true, expected an integer"),
        ({"inner": {}}, "inner: the key 'count' is missing"),
        ({"inner": 1}, "inner is 1, expected a table"),
        ({"pairs": [["a"]]}, r'pairs is \["a"\], expected a list of 2'),
        ({"pairs": "a"}, 'pairs is "a", expected a list'),
        ({"choice": "some"}, 'choice is "some", expected an integer or "auto"'),
        ({"colour": "blue"}, 'colour is "blue", expected a Colour'),
        ({"place": 1}, "place is 1, expected a Path"),
        ({"by_name": {"b": None}}, "by_name.b is null, expected a table"),
        ({"inner": {"count": 10**20}}, "inner.count is too large, expected an integer of at most 20 digits"),
        ({"share": -(10**400)}, "share is too large"),
        ({"table": []}, r"table is \[\], expected a table"),
    ],
)
def test_value_of_another_type_is_refused_in_one_sentence(given: JsonTable, sentence: str) -> None:
    with pytest.raises(JsonError, match=sentence):
        parse_as(Outer, {"inner": {"count": 1}, **given})
    with pytest.raises(JsonError, match="expected a table"):
        parse_as(Inner, [1])
