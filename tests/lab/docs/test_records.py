"""docs/records.md has each column and field that Verbyte writes, and no other."""

import re
import types
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from lab.model.parameters import Counts
from lab.model.trial import Card, End, Ends, Link, Perturbation
from lab.places import DOCS
from lab.programs.program import BACK, SETTLED, SHARE, SUMMARIES, WINDOW, Sample
from lab.programs.samples_csv import SINGLE
from lab.records.facts import CHECKS, Asked, Assessment, Facts, FirstAsked, Measured, Moment, StepFacts
from lab.records.table import COLUMNS, OF_SOME, TRIPS
from lab.report.build import COLUMNS as CLAIM_COLUMNS
from lab.sites.site import Traits

PAGE = (DOCS / "records.md").read_text()
PLAIN = {int: "integer", str: "text", bool: "true or false", float: "number"}
PARTS = (Asked, Measured, Assessment, Moment)
INNER = (Counts, Traits, Ends, End, Link, Card, Perturbation, StepFacts, FirstAsked)
Row = tuple[str, ...]


def tables(heading: str) -> list[list[Row]]:
    """The rows of the tables below a heading, without their heads."""
    section = re.split(r"^#", PAGE.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    blocks = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
    return [[cells(line) for line in block.splitlines()[2:]] for block in blocks]


def cells(line: str) -> Row:
    return tuple(each.strip().strip("`") if place == 0 else each for place, each in enumerate(line[2:-2].split(" | ")))


def fields_of(kind: Any) -> list[tuple[str, str]]:
    hints = get_type_hints(kind)
    return [(each.name, in_words(hints[each.name])) for each in fields(kind)]


def in_words(kind: Any) -> str:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is tuple:
        return f"list of {in_words(parts[0])}"
    if origin is dict:
        return f"table of {in_words(parts[1])}"
    if origin in (Union, types.UnionType):
        *most, last = (in_words(each) for each in parts if each is not type(None))
        return f"{', '.join(most)}, or {last}" if len(most) > 1 else " or ".join((*most, last))
    if is_dataclass(kind) and isinstance(kind, type):
        return kind.__name__
    if isinstance(kind, type) and issubclass(kind, Enum):
        return " or ".join(f"`{each.value}`" for each in kind)
    return PLAIN.get(kind, "table")


def names_of(rows: Iterable[Row]) -> list[str]:
    assert all(len(row) > 1 and row[-1].endswith(".") for row in rows)
    return [row[0] for row in rows]


@pytest.mark.parametrize("kind", INNER, ids=lambda kind: kind.__name__)
def test_each_field_of_an_inner_type_has_its_type_and_a_meaning(kind: Any) -> None:
    (rows,) = tables(f"### {kind.__name__}")
    assert names_of(rows) and [row[:2] for row in rows] == fields_of(kind)


def test_each_field_of_a_record_has_its_type_and_a_meaning() -> None:
    key, *parts = tables("## record.json")
    assert names_of(key) == ["key"]
    assert [[row[:2] for row in rows] for rows in parts] == [fields_of(part) for part in PARTS]
    assert [each.name for each in fields(Facts)] == ["key", *(part.__name__.lower() for part in PARTS)]
    assert f"The checks are: {', '.join(CHECKS)}." in PAGE


def test_each_column_has_a_meaning() -> None:
    (columns,), (claims,) = tables("## NAME.csv"), tables("## claims.csv")
    assert names_of(columns) == [*COLUMNS[:-1], *OF_SOME, COLUMNS[-1]]
    assert names_of(claims) == list(CLAIM_COLUMNS)


def test_each_field_and_kind_of_sample_has_a_meaning() -> None:
    of_rows, kinds = tables("## samples.csv.gz")
    assert [row[:2] for row in of_rows] == fields_of(Sample)
    assert {WINDOW, SHARE, BACK, *SUMMARIES, *SINGLE, *SETTLED, *TRIPS} <= set(names_of(kinds))
