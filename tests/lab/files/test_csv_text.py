"""lab.files.storage: one form of CSV."""

from __future__ import annotations

from lab.files.storage import csv_text


def test_each_row_ends_in_one_newline() -> None:
    assert csv_text(("size", "name"), [(1, "one"), (2, "two")]) == "size,name\n1,one\n2,two\n"


def test_a_comma_a_quote_or_a_newline_in_a_cell_is_quoted() -> None:
    assert csv_text(("a",), [["x,y"], ['"'], ["two\nlines"]]) == 'a\n"x,y"\n""""\n"two\nlines"\n'


def test_a_table_without_rows_has_its_heads() -> None:
    assert csv_text(("a", "b"), []) == "a,b\n"
