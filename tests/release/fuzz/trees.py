"""JSON as no program of the lab writes it: a value anywhere in it is another, is lost, or is new."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from tests.release.fuzz.mutate import Damage

DEEP: Any = []
for _ in range(60):
    DEEP = [DEEP]
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 10**19, 10**20 - 1, -(10**19), 2**63, 65536),
    *("", " ", "x" * 5000, "\ud800", "\u202e", "\x00", "\x1b[2J", "\n", "../..", "/", "9" * 5000, "nan", "{x}", "%s"),
    *([], {}, [[]], [None], [0] * 500, {"a": {}}, {"": ""}, {"\ud800": 1}, DEEP),
    *("exact", "host", "vm", "orterun apart", "depth=1 depth=2", "1.0.0", "2026-01-01T00:00:00+00:00"),
)
KEYS = ("key", "site", "identity", "traits", "ends", "header", "state", "size 64", "failed", "nodes", "", "x" * 300)

Place = list[Any]  # keys and numbers from the top


def damaged(damage: Damage, content: bytes) -> bytes:
    """The same document with up to three values changed."""
    tree = json.loads(content)
    for _ in range(1 + damage.upto(2)):
        tree = _changed(damage, tree, _any_place(damage, tree))
    return json.dumps(tree, indent=1).encode()


def _any_place(damage: Damage, tree: Any) -> Place:
    """A way into the tree, at each fork any."""
    place: Place = []
    while isinstance(tree, (dict, list)) and tree and damage.upto(5):
        keys = list(tree) if isinstance(tree, dict) else list(range(len(tree)))
        place.append(keys[damage.upto(len(keys) - 1)])
        tree = tree[place[-1]]
    return place


def _changed(damage: Damage, tree: Any, place: Place) -> Any:
    if not place:
        return _other(damage, tree)
    inside = tree
    for key in place[:-1]:
        inside = inside[key]
    if damage.upto(5):
        inside[place[-1]] = _other(damage, inside[place[-1]])
    else:
        del inside[place[-1]]
    return tree


def _other(damage: Damage, value: Any) -> Any:
    """Another value; of a number often its neighbour, of a table often one with more in it."""
    way = damage.upto(3)
    if way == 0 and isinstance(value, int):
        return value + damage.upto(2) - 1
    if way == 0 and isinstance(value, dict):
        return value | {KEYS[damage.upto(len(KEYS) - 1)]: _any_value(damage)}
    return _any_value(damage)


def _any_value(damage: Damage) -> Any:
    """A copy: the next change may be inside of it."""
    return deepcopy(VALUES[damage.upto(len(VALUES) - 1)])
