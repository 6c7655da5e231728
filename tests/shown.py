"""What README and docs/ show to type: an experiment, and commands (lines of blocks; `make` and `lab` in sentences)."""

import re
import shlex
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path

from lab.cli.commands import make_parser
from lab.places import DOCS, ROOT

PAGES = (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
OURS = ("make", "lab")
SHOWN = re.compile(r"^ {4}(?:\$ )?(.+)$|`([^`\n]+)`", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)  # what a file holds, or what a command prints
# A command after another, or where its output goes, but not the > of a quoted statement.
ANOTHER = re.compile(r"(?:\s(?:&&|\|)\s|\s>\s\S+)(?=(?:[^']*'[^']*')*[^']*\Z)")
# Of TOML, or what a command prints.
NO_COMMAND = re.compile(r"[\w.-]+ = |[\[\]#}\"]|\.\.\.$|checking |waiting |report/")
BUSYBOX = "CC=musl-gcc"  # its own make


@dataclass(frozen=True)
class Shown:
    """The words of a command, as a shell reads them: to its comment, pipe or redirection."""

    words: tuple[str, ...]
    in_block: bool

    @property
    def is_of_verbyte(self) -> bool:
        return self.words[0] in OURS

    @property
    def is_to_type(self) -> bool:
        """A sentence may name a command, and leave out what it is about."""
        return self.in_block or (len(self.words) > 2 and (self.words[0] != "lab" or parses(self.words[1:])))

    def __str__(self) -> str:
        return " ".join(self.words)


def commands(page: Path) -> Iterator[Shown]:
    for block, within in SHOWN.findall(FENCED.sub("", page.read_text())):
        if block and NO_COMMAND.match(block):
            continue
        for part in ANOTHER.split(block or within):
            try:
                words = shlex.split(part, comments=True)
            except ValueError:  # half a string: no command of ours has one
                continue
            if words and Path(words[0]).name in OURS and BUSYBOX not in words:
                yield Shown((Path(words[0]).name, *words[1:]), bool(block))
            elif words and block:
                yield Shown(tuple(words), in_block=True)


@cache
def parser() -> ArgumentParser:
    return make_parser()


def parses(words: Sequence[str]) -> bool:
    try:
        with redirect_stderr(StringIO()):
            parser().parse_args(words)
    except SystemExit:
        return False
    return True


def example() -> str:
    """The experiment that the front page shows."""
    (text,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return str(text)
