"""Sizes in bytes: `64`, `4K`, `1..1M*2`, `16M..2144M+16M`. The C programs read the same notation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from lab.errors import SizeError

SHIFTS = {"": 0, "K": 10, "M": 20, "G": 30}
LARGEST = 2**63 - 1
LONGEST_LIST = 4096  # as in the C programs' sizes.h

_SIZE = re.compile(r"([0-9]+)([KMG]?)", re.IGNORECASE | re.ASCII)
_RANGE = re.compile(r"([^.]+)\.\.([^*+]+)([*+])(.+)")


def parse_size(text: str | int) -> int:
    """A size in bytes; K, M and G are powers of 1024."""
    if isinstance(text, int):
        return text
    match = _SIZE.fullmatch(text)
    if match is None:
        raise SizeError(f"{text!r} is not a size", hint="a whole number of bytes, with K, M or G behind it or not")
    size = int(match[1]) << SHIFTS[match[2].upper()]
    if size > LARGEST:
        raise SizeError(f"{text!r} does not fit in 63 bits")
    return size


def parse_sizes(given: str | int | Iterable[str | int]) -> tuple[int, ...]:
    """All sizes of a list, in the order given; each at most once."""
    items = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else given
    sizes: list[int] = []
    for item in items:
        for size in _item(item):
            if len(sizes) == LONGEST_LIST:
                raise SizeError(f"{item!r} makes the list longer than {LONGEST_LIST} sizes", hint="a larger step")
            sizes.append(size)
    _refuse_twins(sizes)
    return tuple(sizes)


def format_size(size: int) -> str:
    """The shortest notation of a size, for people; parse_size gives it back."""
    for suffix, shift in sorted(SHIFTS.items(), key=lambda pair: -pair[1]):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift}{suffix}"
    return str(size)


def in_prefix(size: float) -> tuple[float, str]:
    """A size and the prefix of its unit: decimal where it was chosen so, 16 M, else binary, 4 Ki."""
    base, prefixes = (1000, "kMG") if size and size % 1000 == 0 else (1024, "KMG")
    place = 0
    while place < len(prefixes) and size >= base ** (place + 1):
        place += 1
    prefix = prefixes[place - 1] + ("i" if base == 1024 else "") if place else ""
    return size / base**place, prefix


def _item(item: str | int) -> Iterator[int]:
    match = _RANGE.fullmatch(item) if isinstance(item, str) else None
    if match is None:
        yield _positive(parse_size(item), item)
        return
    first, last, step = _positive(parse_size(match[1]), item), parse_size(match[2]), parse_size(match[4])
    if last < first or step < (2 if match[3] == "*" else 1):
        raise SizeError(f"{item!r} never gets from its first size to its last", hint="1..1M*2 or 16M..64M+16M")
    while first <= last:
        yield first
        first = first * step if match[3] == "*" else first + step


def _positive(size: int, item: str | int) -> int:
    if size < 1:
        raise SizeError(f"{item!r} holds a message of {size} bytes", hint="sizes from 1 byte up")
    return size


def _refuse_twins(sizes: list[int]) -> None:
    if not sizes:
        raise SizeError("the list of sizes is empty")
    for one, next_one in pairwise(sorted(sizes)):
        if one == next_one:
            raise SizeError(f"{one} bytes is in the list twice", hint="name each size once")
