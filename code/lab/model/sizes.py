"""Sizes in bytes: `64`, `4K`, `1..1M*2`, `16M..2144M+16M`, as in the C programs."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from lab.errors import SizeError
from lab.typed_json import MOST_DIGITS, whole

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
        raise SizeError(f"{text!r:.40} is not a size", hint="a whole number of bytes, or one with K, M or G")
    size = whole(match[1]) << SHIFTS[match[2].upper()] if len(match[1]) <= MOST_DIGITS else LARGEST + 1
    if size > LARGEST:
        raise SizeError(f"{text!r:.40} does not fit in 63 bits", hint="a smaller size, such as 1G")
    return size


def parse_sizes(typed: str | int | Iterable[str | int]) -> tuple[int, ...]:
    """All sizes of a list, in its order, each once."""
    items = str(typed).split(",") if isinstance(typed, (str, int)) else typed
    sizes: list[int] = []
    for item in items:
        for size in _item(item):
            if len(sizes) == LONGEST_LIST:
                raise SizeError(f"{item!r:.40} makes the list longer than {LONGEST_LIST} sizes", hint="a larger step")
            sizes.append(size)
    if not sizes:
        raise SizeError("the list of sizes is empty")
    for size, larger in pairwise(sorted(sizes)):
        if size == larger:
            raise SizeError(f"{size} bytes is in the list twice", hint="name each size once")
    return tuple(sizes)


def format_size(size: int) -> str:
    """The shortest notation of a size, which parse_size reads."""
    for suffix, shift in sorted(SHIFTS.items(), key=lambda pair: -pair[1]):
        if size and size % (1 << shift) == 0:
            return f"{size >> shift}{suffix}"
    return str(size)


def in_prefix(size: float) -> tuple[float, str]:
    """A size and the prefix of its unit: decimal for multiples of 1000, such as 16 M, else binary, such as 4 Ki."""
    base, prefixes = (1000, "kMG") if size and size % 1000 == 0 else (1024, "KMG")
    power = max(power for power in range(len(prefixes) + 1) if power == 0 or size >= base**power)
    return size / base**power, prefixes[power - 1] + ("i" if base == 1024 else "") if power else ""


def _item(item: str | int) -> Iterator[int]:
    match = _RANGE.fullmatch(item) if isinstance(item, str) else None
    if match is None:
        yield _positive(parse_size(item), item)
        return
    first, last, step = _positive(parse_size(match[1]), item), parse_size(match[2]), parse_size(match[4])
    if last < first or step < (2 if match[3] == "*" else 1):
        raise SizeError(f"{item!r:.40} never reaches its last size", hint="1..1M*2 or 16M..64M+16M")
    while first <= last:
        yield first
        first = first * step if match[3] == "*" else first + step


def _positive(size: int, item: str | int) -> int:
    if size < 1:
        raise SizeError(f"{item!r:.40} has a message of {size} bytes", hint="sizes of 1 byte or more")
    return size
