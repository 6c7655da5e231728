"""docs/programs.md, its half about student programs: its lines are those of examples that the tests run."""

import re

import pytest

from lab.docs.schema import tables
from lab.experiment.document import Document
from lab.places import DOCS, EXAMPLES

TEXT, _, _ = (DOCS / "programs.md").read_text().partition("\n## Verbyte's programs\n")
EXAMPLE_TEXTS = {file.stem: file.read_text() for file in EXAMPLES.glob("*.toml")}
EXAMPLE_LINES = {line for text in EXAMPLE_TEXTS.values() for line in text.splitlines()}
SHOWN = [line.strip() for line in TEXT.splitlines() if line.startswith("    ") and ".venv/bin/lab" not in line]
PREFIXES = {"[programs.NAME]": "", "[programs.NAME.ready]": "ready."}
KEYS = [
    PREFIXES[table.head] + key.name
    for table in tables(Document)
    if table.head in PREFIXES
    for key in table.keys
    if not key.allowed.startswith("`[")
]


def test_shown_lines_are_lines_of_the_examples() -> None:
    assert [line for line in SHOWN if line not in EXAMPLE_LINES] == []


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_program_is_shown(key: str) -> None:
    assert any(line.startswith(f"{key} = ") for line in SHOWN)


def test_every_example_with_programs_is_in_the_table() -> None:
    named = set(re.findall(r"^\| `(\w+)` \| [A-Zct]", TEXT, re.MULTILINE))
    assert {name for name, text in EXAMPLE_TEXTS.items() if "[programs." in text} <= named
