"""Arguments that a command can take, as argparse is told of them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from lab.places import HOSTS, REPORTS, RESULTS, SUBMISSIONS
from lab.sites import MODULES
from lab.sites.auto import ANY

AUTO = "auto"

Add = Callable[[argparse.ArgumentParser], object]


def argument(*names: str, **settings: object) -> Add:
    """An argument with argparse's own settings."""

    def add(command: argparse.ArgumentParser) -> object:
        call: Callable[..., object] = command.add_argument
        return call(*names, **settings)

    return add


def flag(name: str, words: str) -> Add:
    """An option without a value."""
    return argument(name, action="store_true", help=words)


def file(name: str, words: str | None = None, **settings: object) -> Add:
    """A file or a folder."""
    return argument(name, type=place, help=words, **settings)


def site(default: str) -> Add:
    """Where trials run."""
    names = ", ".join((AUTO, *MODULES))
    return argument("--site", default=default, help=f"where trials run: one of {names} (default: {default})")


def hosts(words: str = "the file that names the hosts of ssh and slurm") -> Add:
    """The table of other computers."""
    return file("--hosts", words, default=HOSTS, metavar="FILE")


def place(text: str) -> Path:
    """A path. An empty one is refused: Path would take it for the current folder."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text)


def count(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text) if text.isdigit() else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.40} is no whole number from 1 up")
    return number


EXPERIMENT = "a file, or a name in experiments/ or in its examples/"
EXPERIMENTS = file("experiment", EXPERIMENT, nargs="+")
JOBS = argument(
    "--jobs", type=count, default=os.cpu_count() or 1, help="how many trials run at once (default: one a core)"
)
RECORDS = file("--results", "the folder of records and tables", default=RESULTS, metavar="DIR")
REPORTED = file("--out", "the folder of reports", default=REPORTS, metavar="DIR")
TABLED = file("--out", "where the table is written (default: with the results)", metavar="DIR")
HANDED_IN = file("--out", "where the hand-in is written", default=SUBMISSIONS, metavar="DIR")
GRADES = file("--out", "the folder of grades", default=RESULTS / "grades", metavar="DIR")
ASSIGNED = "a file, or a name in experiments/assignments/; default: the"
ASSIGNMENT = argument("--assignment", help=f"{ASSIGNED} only one there")
YES = flag("--yes", "plan more than a million trials")
READ = (
    argument("--site", default=ANY, help="read the records of this site (default: the site with most records)"),
    hosts(),
    JOBS,
    RECORDS,
    YES,
)
WHERE = (site(AUTO), hosts(), JOBS, RECORDS, YES)
ON_EXACT = (site("exact"), hosts(), JOBS)
