"""docs/own_programs.md shows the examples that tests/machine/test_as_they_are.py runs."""

from __future__ import annotations

import re

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


def test_every_shown_line_is_from_an_example_and_every_key_of_a_program_is_shown() -> None:
    lines = {line for text in RUN.values() for line in text.splitlines()}
    assert [line for line in SHOWN if line not in lines] == []
    assert [key for key in KEYS if not any(line.startswith(f"{key} = ") for line in SHOWN)] == []


def test_every_example_with_programs_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \| [A-Zct]", PAGE, re.MULTILINE))
    assert {name for name, text in RUN.items() if "[programs." in text} <= named
