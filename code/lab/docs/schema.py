"""The dataclasses of a file's tables as tables of Markdown."""

import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Literal, Union, cast, get_args, get_origin

from lab.places import DOCS
from lab.typed_json import DataclassInstance, JsonValue, Limits, PartOf, example_in, hints_of, notes_of, required_of

PART = re.compile(r"(<!-- make docs: ([\w ]+) -->\n).*?(<!-- end -->\n)", re.DOTALL)
UNIONS = (Union, types.UnionType)
LARGE = 1 << 16  # from here on a power of two is easier to read as one
PLAIN = {bool: "true or false", int: "integer", float: "number", str: "text"}


def rows(head: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is a bar on the page."""
    lines = [head, ["---"] * len(head), *cells]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def joined(cells: Iterable[tuple[tuple[str, ...], str]]) -> Iterator[tuple[str, ...]]:
    """A line for all cells that have the same rest: these first, then the rest."""
    lines: dict[tuple[str, ...], list[str]] = {}
    for rest, cell in cells:
        lines.setdefault(rest, []).append(cell)
    return (("; ".join(first), *rest) for rest, first in lines.items())


def filled(name: str, parts: Mapping[str, str]) -> str:
    """A page of docs/ with its generated parts renewed; the text around them is written by hand."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return PART.sub(lambda part: f"{part[1]}\n{parts[part[2]].strip()}\n\n{part[3]}", text)


def written(name: str) -> dict[tuple[str, str], list[str]]:
    """The cells behind the first of each row on a page, by the heading and the first: some are written by hand."""
    cells, heading = dict[tuple[str, str], list[str]](), ""
    for line in (DOCS / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        elif line.startswith("| `"):
            first, *others = (cell.replace("\\|", "|") for cell in line[2:-2].split(" | "))
            cells[heading, first] = others
    return cells


@dataclass(frozen=True)
class SchemaKey:
    name: str
    allowed: str
    default: object  # None where there is none
    required: bool
    example: str  # of a required key, as TOML spells it


@dataclass(frozen=True)
class SchemaTable:
    head: str  # "" for the keys above the first table
    meaning: str
    keys: tuple[SchemaKey, ...]
    based_on: str  # the head of the table whose keys it may hold too, or ""


def tables(root: type[DataclassInstance]) -> list[SchemaTable]:
    """The tables of a file by its dataclass, in the order of the keys; those within a table follow it."""
    return list(_tables(PartOf((root,), required_of(root)), {root: ""}))


def _tables(part: PartOf, heads: dict[object, str]) -> Iterator[SchemaTable]:
    """The table and the tables within it that are not in heads yet."""
    kind, *base = part.kinds
    prefix = f"{heads[kind].strip('[]')}." if heads[kind] else ""
    keys, new = list[SchemaKey](), list[PartOf]()
    for name, hint in hints_of(kind).items():
        inner, head = _inner(hint, f"{prefix}{name}") or (None, "")
        if inner and inner.kinds[0] not in heads:
            heads[inner.kinds[0]] = head
            new.append(inner)
        allowed = f"`{heads[inner.kinds[0]]}`" if inner else describe(hint)
        keys.append(_key(kind, name, allowed, is_required=name in part.required))
    yield SchemaTable(heads[kind], (kind.__doc__ or "").strip(), tuple(keys), heads[base[0]] if base else "")
    for inner in new:
        yield from _tables(inner, heads)


def _inner(hint: object, path: str) -> tuple[PartOf, str] | None:
    """The table that a key has as its value, if any, and how its head is written."""
    inner, notes = notes_of(hint)
    if part := next((note for note in notes if isinstance(note, PartOf)), None):
        return part, f"[{path}]"
    if is_dataclass(inner) and isinstance(inner, type):
        return PartOf((inner,), required_of(inner)), f"[{path}]"
    if get_origin(inner) in UNIONS:
        return next(filter(None, (_inner(item, path) for item in _alternatives(inner))), None)
    if get_origin(inner) is tuple and (found := _inner(get_args(inner)[0], path)):
        return found[0], f"[[{path}]]"
    if get_origin(inner) is Mapping:
        name, item = get_args(inner)
        placeholder = "SITE" if any(getattr(each, "choices", ()) for each in notes_of(name)[1]) else "NAME"
        return _inner(item, f"{path}.{placeholder}")
    return None


def _key(kind: type[DataclassInstance], name: str, allowed: str, *, is_required: bool) -> SchemaKey:
    hint = hints_of(kind)[name]
    default = next(each.default for each in fields(kind) if each.name == name)
    is_off = default in (MISSING, "", (), None) or any(
        note.broken_by(cast("JsonValue", default)) for note in notes_of(hint)[1] if isinstance(note, Limits)
    )
    return SchemaKey(name, allowed, None if is_off else default, is_required, example_in(hint))


def describe(hint: object, outer: Sequence[Limits] = ()) -> str:
    inner, notes = notes_of(hint)
    limits = [*outer, *(note for note in notes if isinstance(note, Limits))]
    if expected := next((each.expected for each in limits if each.expected), ""):
        return expected
    if get_origin(inner) in UNIONS:
        return " or ".join(describe(item, limits) for item in _alternatives(inner))
    if choices := next((each.choices for each in limits if each.choices), ()):
        return _choice(choices)
    if get_origin(inner) is Literal:
        return _choice(get_args(inner))
    first = next(iter(limits), Limits())
    if inner in (int, float):
        return f"{PLAIN[cast(type, inner)]}{_range(first)}"
    if inner is str and first.longest:
        return f"text, at most {first.longest:,} characters"
    if get_origin(inner) is tuple:
        items = get_args(inner)[0]
        is_any = get_origin(items) in UNIONS or notes_of(items)[0] is object
        kind = "," if is_any else f" of: {describe(items)};"
        some = f" {_span(first.shortest, first.longest)} of them" if first.shortest or first.longest else ""
        return f"list{kind}{some}".rstrip(",;") + ", each once" * first.unique
    if get_origin(inner) is Mapping:
        return f"table; each value: {describe(get_args(inner)[1])}"
    return PLAIN[cast(type, inner)]


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
