"""Every command that a page shows exists, with options that it takes: lab.cli.commands, the Makefile.

tests/machine/test_shown.py runs them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.shown import PAGES, commands, parses

from lab.places import ROOT

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def is_known_to_make(words: Sequence[str]) -> bool:
    targets = {word for word in words if "=" not in word and not word.startswith("-")}
    values = {word.partition("=")[0] for word in words if "=" in word}
    return targets <= TARGETS and all(f"$({name})" in MAKEFILE for name in values)


def is_known_to_lab(words: Sequence[str]) -> bool:
    """A sentence may name a command and its options, and leave out what they are about."""
    return not words or words[0].startswith("-") or "--help" in words or any(map(parses, left_open(words)))


def left_open(words: Sequence[str]) -> Iterator[list[str]]:
    for further in ((), ("x",), ("x", "y"), ("export", "x")):
        yield [*words, *further]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists(page: Path) -> None:
    known = {"make": is_known_to_make, "lab": is_known_to_lab}
    ours = [each.words for each in commands(page) if each.is_ours]
    assert [words for words in ours if not known[words[0]](words[1:])] == []


def test_commands_that_do_not_exist_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Say `make nothing`, or:\n\n    .venv/bin/lab run --quickly x  # so\n    make grade WHAT=x.pdf\n    key = 1\n"
    )
    assert [each.words for each in commands(page)] == [
        ("make", "nothing"), ("lab", "run", "--quickly", "x"), ("make", "grade", "WHAT=x.pdf")
    ]  # fmt: skip
    assert not is_known_to_make(["nothing"]) and not is_known_to_make(["grade", "WHAT=x.pdf"])
    assert not is_known_to_lab(["run", "--quickly", "x"])
