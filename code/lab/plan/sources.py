"""The sources of the programs under test, and those programs compiled for a site that boots the lab's image."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from lab.compiler.compilation import BuildRefused, Compilation
from lab.compiler.kept import build_once, built_before
from lab.places import BENCH, BENCH_SOURCES, CACHE, MACHINE
from lab.programs.request import Build

LARGEST_SOURCE, MOST_SOURCES = 2**20, 500
OUT = "out"
# All of the lab's own, so that one build serves every experiment; of sources, what the compiler reads.
OWN = ("verbs-server", "verbs-client", "tcp-server", "tcp-client", "mpi-pingpong", "set-clock")
OWN_BUILD = Build(("make", "--silent", "-j2", f"OUT={OUT}"), BENCH_SOURCES, ("*.c", "*.h", "Makefile"))
Make = Callable[[Compilation], dict[str, bytes]]  # the programs of a task, by name
OWN_DEADLINE_S = 600  # in a guest they take 70 s of the processor


def source_files(build: Build) -> Iterator[tuple[str, bytes]]:
    """The files of a folder that its author wrote."""
    found = [each for each in sorted(build.folder.rglob("*")) if build.is_source(str(each.relative_to(build.folder)))]
    for file in found[:MOST_SOURCES]:
        if file.is_file() and not file.is_symlink() and file.stat().st_size <= LARGEST_SOURCE:
            yield str(file.relative_to(build.folder)), file.read_bytes()


def compiled(builds: Mapping[Path, Build | None], tell: Callable[[str], None]) -> dict[Path, bytes]:
    """The programs under test by the locked compiler: those with a build by its command, the others are the lab's."""
    programs = _programs(builds, lambda task: build_once(task, MACHINE, CACHE, tell))
    return {file: programs[file] for file in builds}


def compiled_before(builds: Mapping[Path, Build | None]) -> dict[Path, bytes]:
    """What the locked compiler made of the present sources when they were measured: of each program that was."""
    return _programs(builds, lambda task: built_before(task, MACHINE, CACHE))


def _programs(builds: Mapping[Path, Build | None], make: Make) -> dict[Path, bytes]:
    found = _in_bench(make(own_task())) if None in builds.values() else {}
    for build in dict.fromkeys(each for each in builds.values() if each):
        found |= _students(build, [file for file, by in builds.items() if by == build], make)
    return found


def own_task() -> Compilation:
    """The build of the lab's own."""
    wanted = tuple(f"{OUT}/{name}" for name in OWN)
    return Compilation(dict(source_files(OWN_BUILD)), OWN_BUILD.command, wanted, OWN_DEADLINE_S)


def own_programs(tell: Callable[[str], None]) -> dict[Path, bytes]:
    """The lab's own, by the paths at which `make build` leaves this computer's."""
    return _in_bench(build_once(own_task(), MACHINE, CACHE, tell))


def _in_bench(made: Mapping[str, bytes]) -> dict[Path, bytes]:
    return {BENCH / Path(name).name: content for name, content in made.items()}


def _students(build: Build, files: Iterable[Path], make: Make) -> dict[Path, bytes]:
    """Those of one build, from its author's files and the others that people write; an error is the build's."""
    names = {str(file.relative_to(build.folder)): file for file in sorted(files)}
    sources = dict(source_files(Build(build.command, build.folder))) | dict(source_files(build))
    try:
        made = make(Compilation(sources, build.command, tuple(names)))
    except BuildRefused as error:
        raise BuildRefused(error.what, str(build.folder), "docs/own_programs.md, what compiles there") from error
    return {names[name]: content for name, content in made.items()}
