"""The programs that a plan runs: compiled, found, or built from student sources."""

from __future__ import annotations

import hashlib
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from lab.compiler.build import build_once, built_before
from lab.compiler.compilation import BuildRefused, Compilation
from lab.errors import LabError, StorageError
from lab.files.storage import OWNER, write_bytes
from lab.files.store import sha256
from lab.places import BENCH, BENCH_SOURCES, CACHE, MACHINE, PROGRAMS
from lab.programs.program import Build

DEADLINE_S = 600  # of a build command


def keep_binaries(files: Iterable[Path], kept: Path = PROGRAMS) -> dict[Path, str]:
    """The sha256 of each program under test; a copy of it lies at kept_binary()."""
    return {file: _keep(file, kept) for file in sorted(files)}


def keep_contents(programs: Mapping[Path, bytes], kept: Path = PROGRAMS) -> dict[Path, str]:
    """The same for programs that lie nowhere yet."""
    return {file: _keep_content(file.name, content, kept) for file, content in sorted(programs.items())}


def build(wanted: Iterable[Build]) -> None:
    """Run each command once; the error of a failed build is its last line."""
    for each in dict.fromkeys(wanted):
        try:
            done = subprocess.run(each.command, cwd=each.folder, capture_output=True, timeout=DEADLINE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            what = f"the build command cannot be run: {error}"
            raise LabError(what, str(each.folder), "build = ... in the experiment's file") from error
        if done.returncode:
            said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
            command = " ".join(each.command)
            raise LabError(f"{command}: {said[-1] if said else 'failed'}", str(each.folder), "the same command there")


@cache
def kept_binary(name: str, digest: str, kept: Path = PROGRAMS) -> Path:
    """The place of the program with that digest."""
    return kept / digest / name


def is_kept(copy: Path) -> bool:
    """Whether a copy exists and still has the digest in its path."""
    return copy.is_file() and sha256(copy) == copy.parent.name


def require_kept(copies: Iterable[Path]) -> None:
    """Refuse a changed copy just before it runs, so that the record's digest is true. A missing copy cannot run."""
    for copy in copies:
        if copy.is_file() and not is_kept(copy):
            raise LabError(
                "differs from the copy that was kept there", where=str(copy), hint="run the same command again"
            )


def _keep(file: Path, kept: Path) -> str:
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        hint = "make build" if file.parent == BENCH else "a build command that makes it"
        raise LabError(f"{file.name} is not built", where=str(file.parent), hint=hint) from error
    if not content and file.parent == BENCH:
        raise LabError(
            "is empty: its build was cut off", where=str(file), hint=f"rm {shlex.quote(str(file))}; make build"
        )
    return _keep_content(file.name, content, kept)


def _keep_content(name: str, content: bytes, kept: Path) -> str:
    digest = hashlib.sha256(content).hexdigest()
    copy = kept_binary(name, digest, kept)
    if not is_kept(copy):
        try:
            write_bytes(copy, content, runnable=True)
        except StorageError as error:
            raise StorageError(error.what, where=str(kept), hint=OWNER) from error
    return digest


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
