"""What `lab --help` and `lab --version` print: all commands by who needs them, and which lab this is."""

from __future__ import annotations

import argparse
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence

from lab.places import MACHINE, ROOT
from lab.version import LETTERS, exact_version

READERS = {
    "to measure": ("try", "plan", "run", "table", "show", "compare", "doctor"),
    "to write a report": ("report", "query", "check", "causes", "extract", "web"),
    "to hand in": ("submit", "preview-grade"),
    "to teach": ("kit",),
    "to grade": ("grade", "grade-class", "grade-prepare", "book", "autograder"),
    "to trust and to look after the lab": ("verify", "bench", "fit-card", "image", "script", "lock"),
}
WIDTH, INDENT = 100, 16


def by_reader(summaries: Mapping[str, str]) -> str:
    """All commands, each with its summary, under who needs it."""
    return "\n".join(_lines(summaries))


def _lines(summaries: Mapping[str, str]) -> Iterator[str]:
    for reader, names in READERS.items():
        yield f"{reader}:"
        for name in names:
            start = f"  {name}".ljust(INDENT)
            yield textwrap.fill(summaries[name], WIDTH, initial_indent=start, subsequent_indent=" " * INDENT)
        yield ""


class ShowVersion(argparse.Action):
    """Prints which lab this is, and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print("\n".join(version_lines()))
        parser.exit()


def version_lines() -> Iterator[str]:
    """The number with a digest of the code, the commit where git knows one, and the machine that every computer has."""
    from lab.machine import expected

    yield f"lab {exact_version()}"
    if commit := _git("describe", "--always", "--exclude=*", "--dirty", "--abbrev=12"):
        yield f"commit {commit}"
    known = expected.read(MACHINE)
    yield f"exact machine {known.frozen['memory'][:LETTERS] if known else 'of this computer alone'}"


def _git(*words: str) -> str:
    """What git says of this checkout; nothing where there is no git, or where it is not the checkout's own."""
    command: Sequence[str] = ("git", f"--git-dir={ROOT / '.git'}", f"--work-tree={ROOT}", *words)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
