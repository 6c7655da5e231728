"""The student's own programs in a hand-in: the measured binaries and their sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lab.plan.binaries import kept_binary
from lab.plan.plan import Plan
from lab.plan.sources import source_files
from lab.programs.request import Build, Program
from lab.spec.experiment import Experiment

BINARIES, SOURCES = "binaries", "sources"


def own_programs(experiment: Experiment) -> tuple[Program, ...]:
    """The programs that an experiment brings along."""
    return tuple(each.tool for each in experiment.series if each.tool.build)


def own_builds(experiment: Experiment) -> tuple[Build, ...]:
    """The builds that make them, each once."""
    return tuple(dict.fromkeys(tool.build for tool in own_programs(experiment) if tool.build))


def folders(experiment: Experiment) -> dict[Path, str]:
    """The folders of programs by their names in a hand-in: that of the first program there, for two folders of the same
    name may hold files of the same names."""
    names: dict[Path, str] = {}
    for tool in own_programs(experiment):
        if tool.build:
            names.setdefault(tool.build.folder, tool.name)
    return names


def binary_names(experiment: Experiment) -> dict[Path, str]:
    """The binaries, by their names in a hand-in."""
    names = folders(experiment)
    return {
        file: f"{BINARIES}/{names[tool.build.folder]}/{file.relative_to(tool.build.folder)}"
        for tool in own_programs(experiment)
        for file in tool.binaries
        if tool.build
    }


def is_source(name: str, experiment: Experiment) -> bool:
    """Whether a name in a hand-in is that of a source: the patterns of `sources` tell."""
    names = folders(experiment)
    starts = ((each, f"{SOURCES}/{names[each.folder]}/") for each in own_builds(experiment))
    return any(name.startswith(start) and each.is_source(name.removeprefix(start)) for each, start in starts)


def program_files(plan: Plan) -> dict[str, bytes]:
    """The measured binaries, and the present sources."""
    return dict(_measured(plan)) | dict(_sources(plan.experiment))


def _measured(plan: Plan) -> Iterator[tuple[str, bytes]]:
    digests = {file: digest for each in plan.planned for file, digest in each.digests.items()}
    for file, name in binary_names(plan.experiment).items():
        if file in digests:
            yield name, kept_binary(file.name, digests[file]).read_bytes()


def _sources(experiment: Experiment) -> Iterator[tuple[str, bytes]]:
    names = folders(experiment)
    for each in own_builds(experiment):
        for name, content in source_files(each):
            yield f"{SOURCES}/{names[each.folder]}/{name}", content
