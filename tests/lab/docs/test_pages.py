"""The pages that are generated from the code."""

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from lab.docs.pages import PAGES, stale, template_page, write
from lab.report.context import OF_EXHIBITS, OTHERS, Context


def test_check_of_make_lint_passes_while_no_page_is_stale() -> None:
    done = subprocess.run([sys.executable, "-m", "lab.docs", "--check"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_changed_or_missing_page_is_stale(tmp_path: Path) -> None:
    write(tmp_path)
    assert stale(tmp_path) == []
    first, *_ = (tmp_path / name for name in PAGES)
    first.write_text(first.read_text() + "one line more\n")
    assert stale(tmp_path) == [first]
    first.unlink()
    assert stale(tmp_path) == [first]


def test_every_name_has_a_line_and_words() -> None:
    _, _, names = template_page().partition("## Names in a template")
    lines = [line.split(" | ") for line in names.splitlines() if line.startswith("| `")]
    words = {name.strip("| `"): rest for name, *rest in lines}
    assert [*words] == [*(each.name for each in fields(Context)), *(each.__name__ for each in OF_EXHIBITS), *OTHERS]
    assert all(meaning for meaning, _ in words.values())
    assert words["effective"][1].startswith("`heads`, `rows`")
    assert words["has"] == ["`queries`", "Whether the data answer all of these queries. |"]
