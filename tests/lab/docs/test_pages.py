"""The pages that are made from the code: written, and said to be stale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lab.docs.pages import PAGES, stale, write


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
