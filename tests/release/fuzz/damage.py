"""Damage to files: texts, bytes, and values anywhere in a JSON document."""

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeVar

from hypothesis import strategies as st

NUMBERS = (
    *(b"0", b"-1", b"1", b"2.0", b"1e3", b"1e400", b"nan", b"-inf", b"0x10", b"1_0", b"00"),
    *(b"9223372036854775807", b"9223372036854775808", b"1" + b"0" * 30, b"1" * 400, b"9" * 5000, b"65536"),
    b"1000000000",
)
STRINGS = (
    *(b'""', b'" "', b'"\\n"', b'"a\\n"', b'"\\u001b[2J"', b'"\\u0000"', b'"\\ud800"', b'"../.."', b'"/"', b'"-x"'),
    *(b'"%s {x} {0}"', b'"\'"', b"'\"'", b'"\xff"', b'"\xd7\x90"', b'"1..2*1"', b'"9999999999G"', b'"1..9999999*2"'),
    *(b'"exact"', b'"auto"', b'"poll"', b'"(?P<value>"', b'"' + b"x" * 3000 + b'"', b'"{size"', b'"1,1"'),
    *(b'"' + b"9" * 5000 + b'"', b'"1..' + b"1" * 4400 + b'*2"', b'"64+' + b"9" * 400 + b'"', b'"\xe2\x80\xae"'),
    *(b'"' + b"x" * 100_000 + b'"', b'"\\u202e"', b'"nan"', b'"\xc2\xb2"'),
    b'"\\\\input{x}"',
)
OTHERS = (
    *(b"true", b"[]", b"{}", b"[[]]", b"[1, 1]", b'["a", 1, 2.0]', b"{ a = 1 }"),
    *(b"[16, 32.0]", b"[" + b"1, " * 5000 + b"1]", b"{ a = " * 40 + b"1" + b" }" * 40, b"x" + b".x" * 2000 + b" = 1"),
    *(b"1979-05-27", b"1979-13-45", b"07:32:00"),
    *(b"[" * 3000 + b"]" * 3000, b"[" * 20 + b"]" * 20, b'"""', b"'''", b"", b"=", b"#"),
)
VALUES = (*NUMBERS, *STRINGS, *OTHERS)
KEYS = (*b"sizes iterations vary.sizes vary.wait profile.exact link name \xff [x]".split(), b'"a b"')
BYTES = (*b'\x00 \xff \xef\xbb\xbf \x1b \xe2\x80\xae { } [ ] " \x1f\x8b'.split(), b"\r", b"\n")
_NUMBER, _STRING = re.compile(rb"(?<![\w.])-?\d[\d_.]*"), re.compile(rb'"[^"\n]*"')

Choice = TypeVar("Choice")
Draw = Callable[[st.SearchStrategy[int]], int]
DEEP: Any = []
TREE_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 0.5, -0.0, 1e308, 10**19, 10**20 - 1, -(10**19), 2**63, 65536, 10**400),
    *(float("inf"), float("nan")),
    *("", " ", "x" * 5000, "\ud800", "\u202e", "\x00", "\x1b[2J", "\n", "../..", "/", "9" * 5000, "nan", "{x}", "%s"),
    *([], {}, [[]], [None], [0] * 500, {"a": {}}, {"": ""}, {"\ud800": 1}, DEEP),
    *("exact", "host", "vm", "orterun apart", "depth=1 depth=2", "1.0.0", "2026-01-01T00:00:00+00:00"),
)
TREE_KEYS = (
    *("key", "site", "identity", "traits", "ends", "header", "state", "failed", "nodes", "size 64", "", "x" * 300),
)


class Damage:
    """Damages content step by step, as hypothesis chooses."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def upto(self, most: int) -> int:
        return self.draw(st.integers(0, max(0, most)))

    def one(self, choices: Sequence[Choice]) -> Choice:
        return choices[self.upto(len(choices) - 1)]

    def text(self, content: bytes) -> bytes:
        """Damage by a person or an editor: to lines, words and numbers, sometimes to bytes."""
        ways = (self.value, self.number, self.string, self.line, self.key, self.insert, self.raw)
        for _ in range(1 + self.upto(3)):
            content = self.one(ways)(content)
        return content

    def any(self, content: bytes) -> bytes:
        """Damage by a disk or a crash."""
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
        """Another number, or the same with a point."""
        if self.upto(1):
            return self._replace(_NUMBER, content, NUMBERS)
        found = list(_NUMBER.finditer(content))
        place = found[self.upto(len(found) - 1)].end() if found else 0
        return content[:place] + b".0" + content[place:]

    def string(self, content: bytes) -> bytes:
        return self._replace(_STRING, content, STRINGS)

    def line(self, content: bytes) -> bytes:
        """A line is lost, doubled, or moved."""
        lines = content.split(b"\n")
        number = self.upto(len(lines) - 1)
        taken = lines.pop(number)
        for _ in range(self.upto(2)):
            lines.insert(self.upto(len(lines)), taken)
        return b"\n".join(lines)

    def key(self, content: bytes) -> bytes:
        """Two neighbouring letters are swapped."""
        place = self.upto(len(content) - 2)
        return content[:place] + content[place : place + 2][::-1] + content[place + 2 :]

    def insert(self, content: bytes) -> bytes:
        lines = content.split(b"\n")
        lines.insert(self.upto(len(lines)), self.one(KEYS) + b" = " + self.one(VALUES))
        return b"\n".join(lines)

    def raw(self, content: bytes) -> bytes:
        """Bytes are lost, flipped, or new, or the rest is cut off."""
        start = self.upto(len(content))
        end = min(len(content), start + self.upto(8))
        flipped = bytes(each ^ (1 << self.upto(7)) for each in content[start:end])
        head, new = content[:start], self.one(BYTES)
        return self.one((head + content[end:], head + flipped + content[end:], head + new + content[start:], head))

    def _replace(self, pattern: re.Pattern[bytes], content: bytes, choices: tuple[bytes, ...]) -> bytes:
        if not (found := list(pattern.finditer(content))):
            return content
        chosen = self.one(found)
        return content[: chosen.start()] + self.one(choices) + content[chosen.end() :]


for _ in range(60):
    DEEP = [DEEP]


def damaged_tree(damage: Damage, content: bytes) -> bytes:
    """The same document with up to three values changed."""
    root = [json.loads(content)]
    for _ in range(1 + damage.upto(2)):
        parent: Any = root
        key: Any = 0
        while isinstance(parent[key], (dict, list)) and parent[key] and damage.upto(5):
            parent = parent[key]
            key = damage.one(list(parent) if isinstance(parent, dict) else range(len(parent)))
        if parent is root or damage.upto(5):
            parent[key] = _other(damage, parent[key])
        else:
            del parent[key]
    return json.dumps(root[0], indent=1).encode()


def _other(damage: Damage, value: Any) -> Any:
    """Another value; of a number often its neighbour, of a table often one with more keys."""
    way, other = damage.upto(3), deepcopy(damage.one(TREE_VALUES))  # the next change may be inside of it
    if way == 0 and isinstance(value, int):
        return value + damage.upto(2) - 1
    return value | {damage.one(TREE_KEYS): other} if way == 0 and isinstance(value, dict) else other
