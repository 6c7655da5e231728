"""The student's programs: kept by digest, built shut in, and run on the grader's site only."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lab.compiler.shut_in import build_shut_in
from lab.faults import OpeningFault
from lab.plan.binaries import keep_binaries
from lab.plan.plan import Plan, Planned, SiteFacts, make_plan, make_trial
from lab.plan.sources import source_files
from lab.programs.request import Build
from lab.spec.experiment import Experiment
from lab.submission.archive import SubmissionError, unpack
from lab.submission.package import PROGRAMS
from lab.submission.programs import SOURCES, binary_names, folders, own_builds, own_programs

TIMES = 2  # the messages of a lengthened trial


def keep_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of the handed-in binaries, by the path that the experiment names."""
    files = unpack(content, PROGRAMS)
    digests: dict[Path, str] = {}
    for binary, name in sorted(binary_names(experiment).items()):
        if name not in files:
            raise SubmissionError(f"{name} is missing", PROGRAMS, fault=OpeningFault.NO_DATA)
        digests[binary] = _keep(folder / name, files[name])
    return digests


def build_programs(content: bytes, experiment: Experiment, folder: Path) -> dict[Path, str]:
    """The digests of binaries built from the sources, beside the course's files that a student may not change."""
    files, places, digests = unpack(content, PROGRAMS), binary_names(experiment), {}
    for build in own_builds(experiment):
        made = {file for tool in own_programs(experiment) if tool.build == build for file in tool.binaries}
        names = {str(file.relative_to(build.folder)): file for file in sorted(made)}
        sources = _sources(files, build, folders(experiment)[build.folder])
        for name, program in build_shut_in(sources, build.command, names, _tell).items():
            digests[names[name]] = _keep(folder / places[names[name]], program)
    return digests


def with_programs(plan: Plan, digests: dict[Path, str]) -> Plan:
    """The plan of the same trials with other programs in place of these."""
    programs: dict[Path, str] = {}
    for planned in plan.planned:
        programs |= planned.digests
    return make_plan(plan.experiment, plan.site, programs | digests)


def firsts(plan: Plan) -> list[Planned]:
    """The first repetition of each series of a student's own program."""
    return [each for each in plan.planned if each.series.tool.build and each.repetition == 1]


def lengthened(planned: Planned, facts: SiteFacts) -> Planned:
    """The same trial with more messages: what does not grow with them drops out of the difference."""
    counts = tuple(replace(each, iterations=TIMES * each.iterations) for each in planned.trial.request.counts)
    request = replace(planned.trial.request, counts=counts)
    trial = make_trial(planned.series, request, planned.repetition, facts, planned.digests)
    return replace(planned, trial=trial)


def _sources(files: Mapping[str, bytes], build: Build, folder: str) -> dict[str, bytes]:
    """The files to build: the whitelist tells a student's file from the course's."""
    theirs = Build(build.command, build.folder)
    course = {name: content for name, content in source_files(theirs) if not build.is_source(name)}
    start = f"{SOURCES}/{folder}/"
    handed_in = {path.removeprefix(start): content for path, content in files.items() if path.startswith(start)}
    return course | {name: content for name, content in handed_in.items() if build.is_source(name)}


def _keep(copy: Path, content: bytes) -> str:
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(content)
    return keep_binaries([copy])[copy]


def _tell(line: str) -> None:
    print(line, file=sys.stderr)
