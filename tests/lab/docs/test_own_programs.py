"""docs/own_programs.md, beside lab.docs.pages: it shows examples that tests/machine/test_as_they_are.py runs."""

from __future__ import annotations

import re

import pytest

from lab.docs.schema import tables
from lab.experiment.document import Document
from lab.places import EXAMPLES, ROOT

PAGE = (ROOT / "docs" / "own_programs.md").read_text()
RUN = {each.stem: each.read_text() for each in EXAMPLES.glob("*.toml")}
SHOWN = [line.strip() for line in PAGE.splitlines() if line.startswith("    ") and ".venv/bin/lab" not in line]
PREFIXES = {"[programs.NAME]": "", "[programs.NAME.ready]": "ready."}
KEYS = [
    PREFIXES[table.head] + key.name
    for table in tables(Document)
    if table.head in PREFIXES
    for key in table.keys
    if not key.allowed.startswith("`[")
]


@pytest.mark.parametrize("line", SHOWN)
def test_every_line_that_is_shown_is_one_of_an_example(line: str) -> None:
    assert any(line in text.splitlines() for text in RUN.values())


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_program_is_shown(key: str) -> None:
    assert any(line.startswith(f"{key} = ") for line in SHOWN)


def test_every_example_that_brings_programs_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \| [A-Zct]", PAGE, re.MULTILINE))
    assert {name for name, text in RUN.items() if "[programs." in text} <= named
