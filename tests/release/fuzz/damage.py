"""Files as no person and no program meant them: damaged texts, bytes, and values anywhere in a JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

NUMBERS = (
    *(b"0", b"-1", b"1", b"2.0", b"1e3", b"1e400", b"nan", b"-inf", b"0x10", b"1_0", b"00"),
    *(b"9223372036854775807", b"9223372036854775808", b"1" + b"0" * 30, b"9" * 5000, b"65536", b"1000000000"),
)
STRINGS = (
    *(b'""', b'" "', b'"\\n"', b'"a\\n"', b'"\\u001b[2J"', b'"\\u0000"', b'"\\ud800"', b'"../.."', b'"/"', b'"-x"'),
    *(b'"%s {x} {0}"', b'"\'"', b"'\"'", b'"\xff"', b'"\xd7\x90"', b'"1..2*1"', b'"9999999999G"', b'"1..9999999*2"'),
    *(b'"exact"', b'"auto"', b'"poll"', b'"(?P<value>"', b'"' + b"x" * 3000 + b'"', b'"{size"', b'"1,1"'),
    b'"\\\\input{x}"',
)
OTHERS = (
    *(b"true", b"[]", b"{}", b"[[]]", b"[1, 1]", b'["a", 1, 2.0]', b"{ a = 1 }"),
    *(b"1979-05-27", b"1979-13-45", b"07:32:00"),
    *(b"[" * 3000 + b"]" * 3000, b"[" * 20 + b"]" * 20, b'"""', b"'''", b"", b"=", b"#"),
)
VALUES = (*NUMBERS, *STRINGS, *OTHERS)
KEYS = (*b"sizes iterations vary.sizes vary.wait profile.exact link name \xff [x]".split(), b'"a b"')
BYTES = (*b'\x00 \xff \xef\xbb\xbf \x1b \xe2\x80\xae { } [ ] " \x1f\x8b'.split(), b"\r", b"\n")
_NUMBER, _STRING = re.compile(rb"(?<![\w.])-?\d[\d_.]*"), re.compile(rb'"[^"\n]*"')

Draw = Callable[[st.SearchStrategy[int]], int]
DEEP: Any = []
TREE_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 10**19, 10**20 - 1, -(10**19), 2**63, 65536),
    *("", " ", "x" * 5000, "\ud800", "\u202e", "\x00", "\x1b[2J", "\n", "../..", "/", "9" * 5000, "nan", "{x}", "%s"),
    *([], {}, [[]], [None], [0] * 500, {"a": {}}, {"": ""}, {"\ud800": 1}, DEEP),
    *("exact", "host", "vm", "orterun apart", "depth=1 depth=2", "1.0.0", "2026-01-01T00:00:00+00:00"),
)
TREE_KEYS = (
    "key",
    "site",
    "identity",
    "traits",
    "ends",
    "header",
    "state",
    "size 64",
    "failed",
    "nodes",
    "",
    "x" * 300,
)
Place = list[Any]  # keys and numbers from the top


class Damage:
    """One damage after the other, as hypothesis chooses."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def upto(self, most: int) -> int:
        return self.draw(st.integers(0, max(0, most)))

    def one(self, of: tuple[bytes, ...]) -> bytes:
        return of[self.upto(len(of) - 1)]

    def text(self, content: bytes) -> bytes:
        """What a person or an editor does to lines, words and numbers; now and then, to bytes."""
        ways = (self.value, self.number, self.string, self.line, self.key, self.insert, self.raw)
        for _ in range(1 + self.upto(3)):
            content = ways[self.upto(len(ways) - 1)](content)
        return content

    def any(self, content: bytes) -> bytes:
        """What a disk or a crash does."""
        for _ in range(1 + self.upto(2)):
            content = self.raw(content)
        return content

    def value(self, content: bytes) -> bytes:
        lines = content.split(b"\n")
        number = self.upto(len(lines) - 1)
        name, equals, _ = lines[number].partition(b"=")
        lines[number] = name + (equals or b"=") + b" " + self.one(VALUES)
        return b"\n".join(lines)

    def number(self, content: bytes) -> bytes:
        """Another number; or the same with a point, which many take for equal."""
        if self.upto(1):
            return self._replace(_NUMBER, content, NUMBERS)
        found = list(_NUMBER.finditer(content))
        place = found[self.upto(len(found) - 1)].end() if found else 0
        return content[:place] + b".0" + content[place:]

    def string(self, content: bytes) -> bytes:
        return self._replace(_STRING, content, STRINGS)

    def line(self, content: bytes) -> bytes:
        """Lost, twice, or elsewhere."""
        lines = content.split(b"\n")
        number = self.upto(len(lines) - 1)
        taken = lines.pop(number)
        for _ in range(self.upto(2)):
            lines.insert(self.upto(len(lines)), taken)
        return b"\n".join(lines)

    def key(self, content: bytes) -> bytes:
        """Two letters changed places, somewhere."""
        place = self.upto(len(content) - 2)
        return content[:place] + content[place : place + 2][::-1] + content[place + 2 :]

    def insert(self, content: bytes) -> bytes:
        lines = content.split(b"\n")
        lines.insert(self.upto(len(lines)), self.one(KEYS) + b" = " + self.one(VALUES))
        return b"\n".join(lines)

    def raw(self, content: bytes) -> bytes:
        """Some are lost, flipped, new, or all that came behind is gone."""
        start = self.upto(len(content))
        end = min(len(content), start + self.upto(8))
        flipped = bytes(each ^ (1 << self.upto(7)) for each in content[start:end])
        return (
            content[:start] + content[end:],
            content[:start] + flipped + content[end:],
            content[:start] + self.one(BYTES) + content[start:],
            content[:start],
        )[self.upto(3)]

    def _replace(self, what: re.Pattern[bytes], content: bytes, by: tuple[bytes, ...]) -> bytes:
        found = list(what.finditer(content))
        if not found:
            return content
        chosen = found[self.upto(len(found) - 1)]
        return content[: chosen.start()] + self.one(by) + content[chosen.end() :]


for _ in range(60):
    DEEP = [DEEP]


def damaged_tree(damage: Damage, content: bytes) -> bytes:
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
        return value | {TREE_KEYS[damage.upto(len(TREE_KEYS) - 1)]: _any_value(damage)}
    return _any_value(damage)


def _any_value(damage: Damage) -> Any:
    """A copy: the next change may be inside of it."""
    return deepcopy(TREE_VALUES[damage.upto(len(TREE_VALUES) - 1)])
