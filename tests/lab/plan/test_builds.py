"""Programs under test: kept copies, and builds by the locked compiler."""

from pathlib import Path

import pytest

from lab.compiler.compilation import BuildRefused, Compilation
from lab.errors import LabError
from lab.places import BENCH
from lab.plan.builds import compiled, compiled_before, keep_binaries, kept_binary, require_kept
from lab.programs.program import Build


def test_copy_of_a_program_is_executable_survives_another_build_and_never_runs_damaged(tmp_path: Path) -> None:
    program, kept = tmp_path / "tcp-client", tmp_path / "kept"
    program.write_bytes(b"one")
    digest = keep_binaries([program], kept)[program]
    copy = kept_binary("tcp-client", digest, kept)
    program.write_bytes(b"two")
    assert keep_binaries([program], kept)[program] != digest
    assert copy.read_bytes() == b"one" and copy.stat().st_mode & 0o111
    copy.write_bytes(b"One")
    with pytest.raises(LabError, match="differs from its digest"):
        require_kept([copy])
    program.write_bytes(b"one")
    assert keep_binaries([program], kept)[program] == digest and copy.read_bytes() == b"one"
    require_kept([copy])


@pytest.mark.parametrize(("folder", "command"), [(BENCH, "make build"), (Path("/nowhere"), "a build command")])
def test_missing_program_is_named_with_the_command_that_builds_it(tmp_path: Path, folder: Path, command: str) -> None:
    with pytest.raises(LabError, match=command):
        keep_binaries([folder / "no-client"], tmp_path / "kept")


def test_empty_program_of_an_interrupted_build_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.plan.builds.BENCH", tmp_path)
    (tmp_path / "tcp-client").touch()
    with pytest.raises(LabError, match="is empty: its build was cut off"):
        keep_binaries([tmp_path / "tcp-client"], tmp_path / "kept")


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[Compilation]:
    """The compiler's tasks; each program consists of its name."""
    tasks = list[Compilation]()

    def build_once(task: Compilation, *_: object) -> dict[str, bytes]:
        tasks.append(task)
        return {name: name.encode() for name in task.wanted}

    monkeypatch.setattr("lab.compiler.build.build_once", build_once)
    return tasks


def test_verbytes_programs_are_one_build_of_code_bench(tasks: list[Compilation]) -> None:
    client, rank = BENCH / "verbs-client", BENCH / "mpi-pingpong"
    assert compiled({client: None, rank: None}, print) == {client: b"out/verbs-client", rank: b"out/mpi-pingpong"}
    (task,) = tasks
    assert {"Makefile", "verbs.c", "options.h"} <= task.files.keys()


def test_student_program_is_built_from_the_files_of_its_author(tasks: list[Compilation], tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("mine.c", "mine.o", "mine", "Makefile", "parts/a.inc"):
        (tmp_path / name).write_text(name)
    build = Build(("make",), tmp_path, ("*.c", "*.inc"))
    assert compiled({tmp_path / "mine": build}, print) == {tmp_path / "mine": b"mine"}
    assert tasks[0].files.keys() == {"mine.c", "Makefile", "parts/a.inc"}


def test_refused_build_names_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> dict[str, bytes]:
        raise BuildRefused("make: no rule")

    monkeypatch.setattr("lab.compiler.build.build_once", refuse)
    with pytest.raises(BuildRefused, match=rf"{tmp_path}: make: no rule"):
        compiled({tmp_path / "mine": Build(("make",), tmp_path)}, print)


def test_earlier_builds_are_found_by_the_same_sources(
    tasks: list[Compilation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.c").write_text("int main;")
    mine, client = tmp_path / "mine", BENCH / "verbs-client"
    builds = {mine: Build(("make",), tmp_path), client: None}
    compiled(builds, print)

    def built_before(task: Compilation, *_: object) -> dict[str, bytes]:
        return dict.fromkeys(task.wanted, b"before") if task in tasks else {}

    monkeypatch.setattr("lab.compiler.build.built_before", built_before)
    assert compiled_before(builds).items() >= {mine: b"before", client: b"before"}.items()
