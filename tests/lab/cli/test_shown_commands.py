"""Every command that a page shows exists, with options that it takes: lab.cli.command_table, the Makefile."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.cli.command_table import make_parser
from lab.places import DOCS, ROOT

PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
SHOWN = re.compile(r"^ {4}(?:\$ )?(.+)$|`([^`\n]+)`", re.MULTILINE)
MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of ours, as a shell reads them: to its comment, pipe or redirection."""
    for block, within in SHOWN.findall(page.read_text()):
        for part in re.split(r"&&|\|\s|>\s", block or within):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:  # half a string: no command of ours has one
                continue
            if words and Path(words[0]).name in ("make", "lab") and "CC=musl-gcc" not in words:  # busybox's own
                yield [Path(words[0]).name, *words[1:]]


def is_known_to_make(words: list[str]) -> bool:
    targets = {word for word in words if "=" not in word and not word.startswith("-")}
    values = {word.partition("=")[0] for word in words if "=" in word}
    return targets <= TARGETS and all(f"$({name})" in MAKEFILE for name in values)


def is_known_to_lab(words: list[str]) -> bool:
    """A sentence may name a command and its options, and leave out what they are about."""
    return not words or words[0].startswith("-") or "--help" in words or any(map(parses, left_open(words)))


def left_open(words: list[str]) -> Iterator[list[str]]:
    yield words
    yield [*words, "x"]
    yield [*words, "x", "y"]
    yield [*words, "export", "x"]


def parses(words: list[str]) -> bool:
    try:
        make_parser().parse_args(words)
    except SystemExit:
        return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_a_page_exists(page: Path) -> None:
    known = {"make": is_known_to_make, "lab": is_known_to_lab}
    assert [words for words in commands(page) if not known[words[0]](words[1:])] == []


def test_commands_that_do_not_exist_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Say `make nothing`, or:\n\n    .venv/bin/lab run --quickly x  # so\n    make grade WHAT=x.pdf\n")
    assert list(commands(page)) == [
        ["make", "nothing"], ["lab", "run", "--quickly", "x"], ["make", "grade", "WHAT=x.pdf"]
    ]  # fmt: skip
    assert not is_known_to_make(["nothing"]) and not is_known_to_make(["grade", "WHAT=x.pdf"])
    assert not is_known_to_lab(["run", "--quickly", "x"])
