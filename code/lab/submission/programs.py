"""The student's own programs in a hand-in: the measured binaries and their sources."""

from __future__ import annotations

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


def program_files(plan: Plan) -> dict[str, bytes]:
    """The measured binaries, and the present sources."""
    own = {file.name for tool in own_programs(plan.experiment) for file in tool.binaries}
    digests = {name: digest for each in plan.planned for name, digest in each.trial.programs.items() if name in own}
    files = {f"{BINARIES}/{name}": kept_binary(name, digest).read_bytes() for name, digest in digests.items()}
    for each in own_builds(plan.experiment):
        files |= {f"{SOURCES}/{each.folder.name}/{name}": content for name, content in source_files(each)}
    return files
