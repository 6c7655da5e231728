"""The student's own programs in a hand-in: the binaries that were measured, and their sources for who reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.binaries import kept_binary
from lab.plan import Plan
from lab.programs.request import Program
from lab.spec import Experiment

BINARIES, SOURCES = "binaries", "sources"
# What a person wrote; anything else in the folder can be made from it.
SUFFIXES = frozenset({".c", ".h", ".cc", ".cpp", ".hpp", ".md", ".txt"})
NAMES = frozenset({"Makefile"})
LARGEST_SOURCE, MOST_SOURCES = 2**20, 500


def own_programs(experiment: Experiment) -> tuple[Program, ...]:
    """The programs that an experiment brings along."""
    return tuple(each.tool for each in experiment.series if each.tool.build)


def program_files(plan: Plan) -> dict[str, bytes]:
    """Binaries as they were measured, and sources as they lie there now."""
    own = {file.name for tool in own_programs(plan.experiment) for file in tool.binaries}
    digests = {name: digest for each in plan.planned for name, digest in each.trial.programs.items() if name in own}
    files = {f"{BINARIES}/{name}": kept_binary(name, digest).read_bytes() for name, digest in digests.items()}
    folders = {tool.build.folder for tool in own_programs(plan.experiment) if tool.build}
    for folder in sorted(folders):
        files |= {f"{SOURCES}/{folder.name}/{name}": content for name, content in _sources(folder)}
    return files


def _sources(folder: Path) -> Iterator[tuple[str, bytes]]:
    found = [each for each in sorted(folder.rglob("*")) if each.suffix in SUFFIXES or each.name in NAMES]
    for file in found[:MOST_SOURCES]:
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST_SOURCE:
            yield str(file.relative_to(folder)), file.read_bytes()
