"""The dataclasses of a file's tables as tables of Markdown."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from operator import methodcaller
from typing import TYPE_CHECKING, Literal, Union, cast, get_args, get_origin

from lab.places import DOCS
from lab.typed_json import About, Limits, PartOf, hints_of, notes_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PART = re.compile(r"(<!-- make docs: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
LARGE = 1 << 16  # from here on a power of two is easier to read as one
PLAIN = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of docs/ with its generated parts renewed; the text around them is written by hand."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(lambda place: f"{place[1]}\n{parts[place[2]].strip()}\n\n{place[3]}", text)


@dataclass(frozen=True)
class SchemaKey:
    """One key of a table."""

    name: str
    allowed: str
    default: object  # None where there is none
    required: bool
    meaning: str
    examples: tuple[str, ...]  # as TOML spells them


@dataclass(frozen=True)
class SchemaTable:
    """One kind of table: its head as it is in a file, and its keys."""

    head: str  # "" for the keys above the first table
    meaning: str
    keys: tuple[SchemaKey, ...]
    based_on: str  # the head of the table whose keys it may hold too, or ""


class Walk:
    """Goes through the dataclasses of a file from its root, each once."""

    def __init__(self, root: type[DataclassInstance]) -> None:
        self.root = root
        self.heads: dict[object, str] = {}

    def tables(self) -> list[SchemaTable]:
        """All tables, in the order of the keys; those within a table follow it."""
        return list(self._table(PartOf((self.root,), _required(self.root)), ""))

    def _table(self, part: PartOf, head: str) -> Iterator[SchemaTable]:
        kind, *base = part.kinds
        self.heads[kind] = head
        prefix = f"{head.strip('[]')}." if head else ""
        inner = {name: self._inner(hint, f"{prefix}{name}") for name, hint in hints_of(kind).items()}
        new = []
        for found, place in filter(None, inner.values()):
            if found.kinds[0] not in self.heads:
                self.heads[found.kinds[0]] = place
                new.append((found, place))
        keys = tuple(self._key(kind, name, hint, part.required) for name, hint in hints_of(kind).items())
        yield SchemaTable(head, (kind.__doc__ or "").strip(), keys, self.heads[base[0]] if base else "")
        for found, place in new:
            yield from self._table(found, place)

    def _inner(self, hint: object, path: str) -> tuple[PartOf, str] | None:
        """The table that a key holds, if it holds one, and how its head is written."""
        inner, notes = notes_of(hint)
        if part := next((note for note in notes if isinstance(note, PartOf)), None):
            return part, f"[{path}]"
        if is_dataclass(inner) and isinstance(inner, type):
            return PartOf((inner,), _required(inner)), f"[{path}]"
        for item in _alternatives(inner) if get_origin(inner) in (Union, types.UnionType) else ():
            if found := self._inner(item, path):
                return found
        if get_origin(inner) is tuple and (found := self._inner(get_args(inner)[0], path)):
            return found[0], f"[[{path}]]"
        if get_origin(inner) is Mapping:
            name, item = get_args(inner)
            if found := self._inner(item, path):
                placeholder = "SITE" if any(getattr(each, "choices", ()) for each in notes_of(name)[1]) else "NAME"
                return found[0], f"[{path}.{placeholder}]"
        return None

    def _key(self, kind: type[DataclassInstance], name: str, hint: object, required: Iterable[str]) -> SchemaKey:
        about = next((note for note in notes_of(hint)[1] if isinstance(note, About)), About(""))
        found = self._inner(hint, name)
        allowed = f"`{self.heads[found[0].kinds[0]]}`" if found else describe(hint)
        default = next(each.default for each in fields(kind) if each.name == name)
        limits = [note for note in notes_of(hint)[1] if isinstance(note, Limits)]
        is_off = default in (MISSING, "", (), None) or any(map(methodcaller("broken_by", default), limits))
        return SchemaKey(name, allowed, None if is_off else default, name in required, about.meaning, about.examples)


def describe(hint: object) -> str:
    """The type of a value with its limits."""
    inner, notes = notes_of(hint)
    limits = [note for note in notes if isinstance(note, Limits)]
    if expected := next((each.expected for each in limits if each.expected), ""):
        return expected
    if get_origin(inner) in (Union, types.UnionType):
        return " or ".join(_within(limits, item) for item in _alternatives(inner))
    return _within(limits, inner)


def _within(limits: list[Limits], hint: object) -> str:
    """One alternative of a type; the limits of the key narrow those of the type."""
    inner, notes = notes_of(hint)
    limits = [*limits, *(note for note in notes if isinstance(note, Limits))]
    if any(each.expected for each in limits):
        return next(each.expected for each in limits if each.expected)
    if choices := next((each.choices for each in limits if each.choices), ()):
        return _choice(choices)
    if get_origin(inner) is Literal:
        return _choice(get_args(inner))
    first = next(iter(limits), Limits())
    if inner in (int, float):
        return f"{PLAIN[cast(type, inner)]}{_range(first)}"
    if inner is str:
        return f"a text, at most {first.longest:,} characters" if first.longest else "a text"
    if get_origin(inner) is tuple:
        items = get_args(inner)[0]
        is_plain = get_origin(items) in (Union, types.UnionType)
        some = f" {_span(first.shortest, first.longest)} of them" if first.shortest or first.longest else ""
        return f"a list{',' if is_plain else f' of: {describe(items)};'}{some}{', each once' if first.unique else ''}"
    if get_origin(inner) is Mapping:
        return f"a table; each value is {describe(get_args(inner)[1])}"
    return PLAIN[cast(type, inner)]


def _required(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING)


def _alternatives(hint: object) -> list[object]:
    """The types of a union; of int and float only the wider one."""
    items = [item for item in get_args(hint) if item is not type(None)]
    return [item for item in items if not (item is int and float in items)]


def _choice(values: Sequence[object]) -> str:
    *most, last = (f"`{json.dumps(value)}`" for value in values)
    return f"{', '.join(most)} or {last}" if most else last


def _range(limits: Limits) -> str:
    step = f", a multiple of {limits.multiple_of}" if limits.multiple_of else ""
    if limits.above is not None:
        return f" above {limits.above}, at most {_amount(limits.most or 0)}{step}"
    return f", {_span(limits.least or 0, limits.most)}{step}"


def _span(least: float, most: float | None) -> str:
    return f"{_amount(least)} {'or more' if most is None else 'to ' + _amount(most)}"


def _amount(number: float) -> str:
    for value, end in ((int(number), ""), (int(number) + 1, "-1")):
        if value >= LARGE and value & (value - 1) == 0:
            return f"2^{value.bit_length() - 1}{end}"
    return f"{number:,}"
