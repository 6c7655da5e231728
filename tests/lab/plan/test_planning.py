"""Names of experiments; programs under test: kept copies, and builds by the locked compiler."""

from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.grade.student_program import experiment

from lab.compiler.compilation import BuildRefused, Compilation
from lab.errors import LabError, SpecError
from lab.experiment.reader import load
from lab.places import BENCH, EXAMPLES, EXPERIMENTS
from lab.plan import planning
from lab.plan.builds import compiled, compiled_before, keep_binaries, kept_binary, require_kept
from lab.plan.planning import all_experiments, find_experiment, open_campaign, under_test
from lab.programs.program import Build
from lab.supply.packages import SupplyError


def test_experiments_and_examples_are_found_by_name_and_run_all_has_no_example() -> None:
    for file in (*EXPERIMENTS.glob("*.toml"), *EXAMPLES.glob("*.toml")):
        assert find_experiment(Path(file.stem)) == find_experiment(file) == file
    assert find_experiment(EXPERIMENTS / "verbs_throughput") == EXPERIMENTS / "verbs_throughput.toml"  # its folder
    assert not [file for file in all_experiments() if file.parent != EXPERIMENTS]


def test_experiment_precedes_an_example_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, example = tmp_path / "same.toml", tmp_path / "examples" / "same.toml"
    example.parent.mkdir()
    monkeypatch.setattr(planning, "FOLDERS", (mine.parent, example.parent))
    for file in (example, mine):
        file.touch()
        assert find_experiment(Path("same")) == file


def test_all_experiments_start_with_those_that_have_an_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = {"a": "", "b": "order = 2", "bench": "in_all = false", "c": "", "d": "order = 1", "e": 'order = "first"'}
    for name, order in orders.items():
        (tmp_path / f"{name}.toml").write_text(order)
    monkeypatch.setattr(planning, "EXPERIMENTS", tmp_path)
    assert [file.stem for file in all_experiments()] == ["d", "b", "a", "c", "e"]


def test_first_of_all_experiments_is_verbs_throughput() -> None:
    first, *others = (file.stem for file in all_experiments())
    assert first == "verbs_throughput" and others == sorted(others)


def test_unknown_name_is_refused_with_the_nearest_and_all_names() -> None:
    for typed in ("FIRST_FIGURE.TOML", "frist_figure"):
        with pytest.raises(SpecError, match=f"unknown experiment {typed}") as refused:
            find_experiment(Path(typed))
        assert refused.value.hint == "'first_figure'?"
    known = refused.value.expected.removeprefix("one of ").split(", ")
    assert known == sorted(known) and {"first_figure", "verbs_throughput"} <= set(known)


@pytest.fixture
def student(tmp_path: Path) -> Path:
    """An experiment whose program is built by `touch mine`."""
    (tmp_path / "mine").mkdir()
    file = tmp_path / "small.toml"
    file.write_text(experiment("touch mine"))
    return file


@pytest.mark.parametrize("boots_image", [True, False])
def test_site_with_verbytes_vm_uses_the_locked_compiler(
    student: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, *, boots_image: bool
) -> None:
    monkeypatch.setattr(fake_site, "boots_image", boots_image)
    monkeypatch.setattr(planning, "compiled", lambda builds, _: dict.fromkeys(builds, b"locked"))
    under_test([load(student)], fake_site, print)
    assert (student.parent / "mine" / "mine").exists() is not boots_image


def test_image_of_lab_toml_comes_before_anything_is_compiled(
    student: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = f'[image]\nurl = "{tmp_path}/none.lab"\nsha256 = "{"0" * 64}"\nsize_bytes = 1\n'
    (tmp_path / "lab.toml").write_text(table)
    monkeypatch.setattr("lab.supply.providers.SETTINGS", tmp_path / "lab.toml")
    monkeypatch.setattr(planning, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(planning, "compiled", pytest.fail)
    monkeypatch.setattr(fake_site, "boots_image", True)
    with pytest.raises(SupplyError, match=r"no package source has none\.lab"):
        open_campaign([student], fake_site, print)


def test_hosts_compiler_replaces_a_missing_locked_one_but_not_for_a_card(
    student: Path, fake_site: FakeSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> dict[str, bytes]:
        raise SupplyError("no package source has gcc-12")

    monkeypatch.setattr(fake_site, "boots_image", True)
    monkeypatch.setattr("lab.compiler.build.build_once", fail)
    lines = list[str]()
    assert under_test([load(student)], fake_site, lines.append).keys() == {student.parent / "mine" / "mine"}
    assert lines == ["no package source has gcc-12: using the programs of this host's compiler"]
    student.write_text(experiment("touch mine", "rdma = true") + 'link = { card = "qdr" }\n')
    with pytest.raises(SupplyError, match="no package source has gcc-12"):
        under_test([load(student)], fake_site, print)


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
