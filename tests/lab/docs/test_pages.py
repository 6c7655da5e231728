"""The pages that are made from the code."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from lab.docs.pages import PAGES, stale, template_page, write
from lab.report.context import Context


def test_the_pages_in_docs_are_what_the_code_says() -> None:
    assert stale() == []


def test_a_page_that_was_typed_into_or_is_missing_is_named(tmp_path: Path) -> None:
    write(tmp_path)
    assert stale(tmp_path) == []
    first, *_ = (tmp_path / name for name in PAGES)
    first.write_text(first.read_text() + "one line more\n")
    assert stale(tmp_path) == [first]
    first.unlink()
    assert stale(tmp_path) == [first]


def test_the_check_of_make_lint_ends_well_while_nothing_is_stale() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.docs", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_name_has_a_line_and_words() -> None:
    lines = [line.split(" | ") for line in template_page().splitlines() if line.startswith("| `")]
    assert [line[0].strip("| `").removesuffix("(...)") for line in lines] == [each.name for each in fields(Context)]
    assert all(line[1] for line in lines)


def test_a_table_says_its_fields_and_a_function_that_it_is_one() -> None:
    assert "`effective` | the parameters that each series ran with, by its records | `heads`, `rows`" in template_page()
    assert "`one_core`" in template_page() and "`plot(...)`" in template_page()
