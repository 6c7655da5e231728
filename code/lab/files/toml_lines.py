"""The line of a key in a TOML text: tomllib keeps no line numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

Path = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[{1,2})\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?$")
_KEY = re.compile(r"\s*([A-Za-z0-9_.\-\"' ]+?)\s*=\s*(.*)$")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')
_MARK = re.compile(rf"\"\"\"|\'\'\'|{_STRING.pattern}|#")
_PART = re.compile(rf"{_STRING.pattern}|[^.\s]+")


def find_line(text: str, path: Path) -> int:
    """The line of the key at the path, or of the nearest table around it that has a line."""
    lines = _by_place(text)
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return 1


@lru_cache(maxsize=16)  # a report asks for a hundred keys of the same few texts
def _by_place(text: str) -> dict[Path, int]:
    lines: dict[Path, int] = {}
    for place, number in _lines(text):
        for length in range(1, len(place) + 1):  # a dotted key makes its tables too
            lines.setdefault(place[:length], number)
    return lines


def first_table(text: str) -> int:
    """The line of the first table's header, or the one behind the last line."""
    lines = text.splitlines()
    headers = (number for _, number in _lines(text) if _HEADER.match(lines[number - 1]))
    return next(headers, len(lines) + 1)


def _lines(text: str) -> Iterator[tuple[Path, int]]:
    table: Path = ()
    counts: dict[Path, int] = {}
    open_brackets = 0
    for number, line in _logical_lines(text):
        bare = _STRING.sub('""', line).split("#")[0]
        if open_brackets == 0 and (header := _HEADER.match(line)):
            table = _table(header[1] == "[[", header[2], counts)
            yield table, number
        elif open_brackets == 0 and (pair := _KEY.match(line)):
            yield (*table, *_parts(pair[1])), number
            open_brackets = _balance(_STRING.sub('""', pair[2]).split("#")[0])
        else:
            open_brackets += _balance(bare)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside of multi-line strings; a string that spans lines counts as its first."""
    quote = ""
    for number, line in enumerate(text.splitlines(), 1):
        if quote:
            quote = "" if quote in line else quote
            continue
        quote = _left_open(line)
        yield number, line


def _left_open(line: str) -> str:
    """The quotes of a multi-line string that begins in the line and does not end there."""
    at = 0
    while (mark := _MARK.search(line, at)) and mark[0] != "#":
        at = mark.end()
        if mark[0] in ('"""', "'''"):
            end = line.find(mark[0], at)
            if end < 0:
                return mark[0]
            at = end + len(mark[0])
    return ""


def _table(is_list: bool, name: str, counts: dict[Path, int]) -> Path:  # noqa: FBT001 - one call, right above
    path: Path = ()
    parts = _parts(name)
    for index, part in enumerate(parts):
        path = (*path, part)
        if is_list and index == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _parts(name: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(name))


def _balance(text: str) -> int:
    return text.count("[") + text.count("{") - text.count("]") - text.count("}")
