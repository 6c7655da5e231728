"""docs/records.md: whatever the lab writes stands there, and nothing else: lab.docs.record_words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import pytest

from lab.docs.record_page import INNER, PARTS, describe, page
from lab.docs.record_words import CLAIM_COLUMNS as OF_CLAIMS
from lab.docs.record_words import COLUMNS as OF_TABLES
from lab.docs.record_words import FIELDS, KINDS
from lab.programs.request import SETTLED, SUMMARIES, WINDOW, Sample
from lab.programs.samples_csv import SINGLE
from lab.records.facts import Facts
from lab.records.row import COLUMNS, OF_PROCESSORS, OF_ROUNDS, OF_SIDES
from lab.records.table import TRIPS
from lab.report.text.printing import COLUMNS as CLAIM_COLUMNS


@pytest.mark.parametrize("kind", [*PARTS, *INNER, Sample], ids=lambda kind: kind.__name__)
def test_each_field_has_a_meaning_and_no_meaning_is_of_a_field_that_went(kind: Any) -> None:
    assert list(FIELDS[kind.__name__]) == [each.name for each in fields(kind)]


def test_the_parts_are_those_of_a_record() -> None:
    assert [each.name for each in fields(Facts)] == ["key", *(part.__name__.lower() for part in PARTS)]
    assert set(FIELDS) == {kind.__name__ for kind in (Facts, *PARTS, *INNER, Sample)}


def test_each_column_has_a_meaning_and_no_meaning_is_of_a_column_that_went() -> None:
    assert set(OF_TABLES) == {*COLUMNS, *OF_PROCESSORS, *OF_ROUNDS, *OF_SIDES}
    assert list(OF_CLAIMS) == list(CLAIM_COLUMNS)


def test_each_kind_of_sample_that_the_lab_reads_has_a_meaning() -> None:
    assert {WINDOW, *SUMMARIES, *SINGLE, *SETTLED, *TRIPS} <= set(KINDS)


@dataclass(frozen=True)
class Other:
    """A part of something."""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (int | None, "a whole number"),
        (tuple[str, ...], "a list, each a text"),
        (dict[str, int], "a table, each a whole number"),
        (tuple[Other, ...], "a list, each a table: Other"),
        (Mapping[str, object], "a table"),
    ],
)
def test_types_are_said_in_words(kind: Any, words: str) -> None:
    assert describe(kind) == words


def test_the_page_has_a_part_for_each_type_within_a_record() -> None:
    assert all(f"### {kind.__name__}\n" in page() for kind in INNER)
