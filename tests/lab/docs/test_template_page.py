"""docs/templates.md: every name of the context, with the fields of what it holds."""

from __future__ import annotations

from dataclasses import fields

from lab.docs.pages import template_page
from lab.report.context import Context


def test_every_name_has_a_line_and_words() -> None:
    lines = [line.split(" | ") for line in template_page().splitlines() if line.startswith("| `")]
    assert [line[0].strip("| `").removesuffix("(...)") for line in lines] == [each.name for each in fields(Context)]
    assert all(line[1] for line in lines)


def test_a_table_says_its_fields_and_a_function_that_it_is_one() -> None:
    assert "`effective` | what each series ran with, as its records say | `heads`, `rows`" in template_page()
    assert "`one_core`" in template_page() and "`plot(...)`" in template_page()
