"""The programs under test: built by this host's compiler or the locked one, and copied by digest."""

import hashlib
import shlex
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from lab.compiler.compilation import BuildRefused, Compilation, failure
from lab.errors import LabError, StorageError, Tell
from lab.files.storage import OWNER, write_bytes
from lab.files.store import sha256
from lab.places import BENCH, BENCH_SOURCES, CACHE, MACHINE, PROGRAMS
from lab.programs.program import Build

DEADLINE_S = 600  # of a build; Verbyte's programs take 70 s in a VM
LARGEST_SOURCE, MOST_SOURCES = 2**20, 500
OUT = "out"
# All of Verbyte's programs, so that one build serves every experiment.
LAB_PROGRAMS = ("verbs-server", "verbs-client", "tcp-server", "tcp-client", "mpi-pingpong", "set-clock")
LAB_BUILD = Build(("make", "--silent", "-j2", f"OUT={OUT}"), BENCH_SOURCES, ("*.c", "*.h", "Makefile"))
Sources = Callable[[Build], Iterable[tuple[str, bytes]]]


def keep_binaries(files: Iterable[Path], kept: Path = PROGRAMS) -> dict[Path, str]:
    """Copy each program under test to kept_binary(); return its sha256."""
    return keep_contents({file: _read_program(file) for file in files}, kept)


def keep_contents(programs: Mapping[Path, bytes], kept: Path = PROGRAMS) -> dict[Path, str]:
    """The same for programs that are not in a file yet."""
    return {file: _keep(file.name, content, kept) for file, content in sorted(programs.items())}


@cache
def kept_binary(name: str, digest: str, kept: Path = PROGRAMS) -> Path:
    return kept / digest / name


def require_kept(copies: Iterable[Path]) -> None:
    """Refuse a changed copy just before it runs, so that the record's digest is true."""
    for copy in copies:
        if copy.is_file() and not _is_kept(copy):
            what = "differs from its digest"
            raise LabError(what, where=str(copy), hint="run the same command again")


def _is_kept(copy: Path) -> bool:
    return copy.is_file() and sha256(copy) == copy.parent.name


def _read_program(file: Path) -> bytes:
    try:
        content = file.read_bytes()
    except FileNotFoundError as error:
        hint = "make build" if file.parent == BENCH else "a build command that makes it"
        raise LabError(f"{file.name} is not built", where=str(file.parent), hint=hint) from error
    if not content and file.parent == BENCH:
        hint = f"rm {shlex.quote(str(file))}; make build"
        raise LabError("is empty: its build was cut off", where=str(file), hint=hint)
    return content


def _keep(name: str, content: bytes, kept: Path) -> str:
    digest = hashlib.sha256(content).hexdigest()
    copy = kept_binary(name, digest, kept)
    if not _is_kept(copy):
        try:
            write_bytes(copy, content, runnable=True)
        except StorageError as error:
            raise StorageError(error.what, where=str(kept), hint=OWNER) from error
    return digest


def build(builds: Iterable[Build]) -> None:
    """Run each build command once on this host."""
    for each in dict.fromkeys(builds):
        try:
            done = subprocess.run(each.command, cwd=each.folder, capture_output=True, timeout=DEADLINE_S, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            what = f"the build command cannot be run: {error}"
            raise LabError(what, str(each.folder), "build = ... in the experiment's file") from error
        if done.returncode:
            what = f"{' '.join(each.command).partition(chr(10))[0]}: {failure(done.stderr or done.stdout)}"
            raise LabError(what, str(each.folder), "the same command there")


def source_files(build: Build) -> Iterator[tuple[str, bytes]]:
    """The files that the author of a folder wrote, by name; a link to one of the folder is that file."""
    files = [each for each in sorted(build.folder.rglob("*")) if build.is_source(str(each.relative_to(build.folder)))]
    for file in files[:MOST_SOURCES]:
        inside = file.resolve().is_relative_to(build.folder.resolve())
        if inside and file.is_file() and file.stat().st_size <= LARGEST_SOURCE:
            yield str(file.relative_to(build.folder)), file.read_bytes()


def compiled(builds: Mapping[Path, Build | None], tell: Tell, read: Sources = source_files) -> dict[Path, bytes]:
    """The programs under test by the locked compiler; those without a build are Verbyte's. `read` returns the source
    files of a build, by default those of its folder."""
    programs = _programs(builds, lambda task: _build_once(task, tell), read)
    return {file: programs[file] for file in builds}


def compiled_before(builds: Mapping[Path, Build | None]) -> dict[Path, bytes]:
    """The programs that the locked compiler built before from the same sources."""
    from lab.compiler.build import built_before

    return _programs(builds, lambda task: built_before(task, MACHINE, CACHE))


def lab_programs(tell: Tell) -> dict[Path, bytes]:
    """Verbyte's programs by the locked compiler, at the paths of those that `make build` makes."""
    return _in_bench(_build_once(lab_task(), tell))


def compiled_places() -> dict[str, Path]:
    """The folders in the cache of all that an exported machine contains compiled."""
    from lab.compiler.build import card_places, place

    return {"programs": place(lab_task(), MACHINE, CACHE), **card_places(MACHINE, CACHE)}


def lab_task(read: Sources = source_files) -> Compilation:
    names = tuple(f"{OUT}/{name}" for name in LAB_PROGRAMS)
    return Compilation(dict(read(LAB_BUILD)), LAB_BUILD.command, names, DEADLINE_S)


def _build_once(task: Compilation, tell: Tell) -> dict[str, bytes]:
    from lab.compiler.build import build_once  # imported lazily: reading records needs no compiler

    return build_once(task, MACHINE, CACHE, tell)


def _programs(
    builds: Mapping[Path, Build | None], make: Callable[[Compilation], dict[str, bytes]], read: Sources = source_files
) -> dict[Path, bytes]:
    programs = _in_bench(make(lab_task(read))) if None in builds.values() else {}
    for build in dict.fromkeys(each for each in builds.values() if each):
        names = {str(file.relative_to(build.folder)): file for file in sorted(builds) if builds[file] == build}
        sources = dict(read(Build(build.command, build.folder))) | dict(read(build))
        try:
            contents = make(Compilation(sources, build.command, tuple(names)))
        except BuildRefused as error:
            raise BuildRefused(error.what, str(build.folder), "docs/programs.md, what compiles there") from error
        programs |= {names[name]: content for name, content in contents.items()}
    return programs


def _in_bench(programs: Mapping[str, bytes]) -> dict[Path, bytes]:
    return {BENCH / Path(name).name: content for name, content in programs.items()}
