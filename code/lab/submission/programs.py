"""The student's own programs in a hand-in: the measured binaries and their sources."""

from __future__ import annotations

from collections.abc import Iterator

from lab.plan.binaries import kept_binary
from lab.plan.plan import Plan
from lab.programs.request import Build, Program
from lab.spec.experiment import Experiment

BINARIES, SOURCES = "binaries", "sources"
LARGEST_SOURCE, MOST_SOURCES = 2**20, 500


def own_programs(experiment: Experiment) -> tuple[Program, ...]:
    """The programs that an experiment brings along."""
    return tuple(each.tool for each in experiment.series if each.tool.build)


def own_builds(experiment: Experiment) -> tuple[Build, ...]:
    """The builds that make them, each once."""
    return tuple(dict.fromkeys(tool.build for tool in own_programs(experiment) if tool.build))


def program_files(plan: Plan) -> dict[str, bytes]:
    """The measured binaries, and the present sources."""
    own = {file.name for tool in own_programs(plan.experiment) for file in tool.binaries}
    digests = {name: digest for each in plan.planned for name, digest in each.trial.programs.items() if name in own}
    files = {f"{BINARIES}/{name}": kept_binary(name, digest).read_bytes() for name, digest in digests.items()}
    for each in own_builds(plan.experiment):
        files |= {f"{SOURCES}/{each.folder.name}/{name}": content for name, content in source_files(each)}
    return files


def source_files(build: Build) -> Iterator[tuple[str, bytes]]:
    """The files of a folder that its author wrote."""
    found = [each for each in sorted(build.folder.rglob("*")) if build.is_source(str(each.relative_to(build.folder)))]
    for file in found[:MOST_SOURCES]:
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST_SOURCE:
            yield str(file.relative_to(build.folder)), file.read_bytes()
