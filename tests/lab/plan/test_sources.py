"""Programs under test on a site that boots the lab's image: the locked compiler's, from what people wrote."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.fake_site import FakeSite
from tests.lab.grade.own_program import experiment

from lab.compiler.compilation import BuildRefused, Compilation
from lab.experiment.reader import load
from lab.places import BENCH
from lab.plan import builds as sources
from lab.plan.planning import under_test
from lab.programs.program import Build
from lab.supply.packages import SupplyError


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[Compilation]:
    """What the compiler is given; its programs are their own names."""
    given = list[Compilation]()

    def build_once(task: Compilation, *_: object) -> dict[str, bytes]:
        given.append(task)
        return {name: name.encode() for name in task.wanted}

    monkeypatch.setattr("lab.compiler.build.build_once", build_once)
    return given


def test_the_lab_s_own_programs_are_one_build_of_code_bench(tasks: list[Compilation]) -> None:
    client, rank = BENCH / "verbs-client", BENCH / "mpi-pingpong"
    assert sources.compiled({client: None, rank: None}, print) == {
        client: b"out/verbs-client",
        rank: b"out/mpi-pingpong",
    }
    (task,) = tasks
    assert {"Makefile", "verbs.c", "verbs.h"} <= task.files.keys()


def test_a_student_s_program_is_built_from_what_people_wrote_and_not_from_what_a_build_left(
    tasks: list[Compilation], tmp_path: Path
) -> None:
    (tmp_path / "parts").mkdir()
    for name in ("mine.c", "mine.o", "mine", "Makefile", "parts/a.inc"):
        (tmp_path / name).write_text(name)
    build = Build(("make",), tmp_path, ("*.c", "*.inc"))
    assert sources.compiled({tmp_path / "mine": build}, print) == {tmp_path / "mine": b"mine"}
    assert tasks[0].files.keys() == {"mine.c", "Makefile", "parts/a.inc"}


def test_a_build_that_is_refused_names_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> dict[str, bytes]:
        raise BuildRefused("make: no rule")

    monkeypatch.setattr("lab.compiler.build.build_once", refuse)
    with pytest.raises(BuildRefused, match=rf"{tmp_path}: make: no rule"):
        sources.compiled({tmp_path / "mine": Build(("make",), tmp_path)}, print)


def test_a_site_that_boots_the_image_takes_them_and_another_this_computer_s(
    tasks: list[Compilation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(experiment("touch mine"))
    site, told = FakeSite(), print
    under_test([load(tmp_path / "small.toml")], site, told)
    assert (tmp_path / "mine" / "mine").exists() and not tasks
    monkeypatch.setattr(site, "boots_image", True)
    under_test([load(tmp_path / "small.toml")], site, told)
    assert [task.command for task in tasks] == [("touch", "mine")]


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> FakeSite:
    """A site that boots the image, and nobody who gives the compiler's packages."""

    def fail(*_: object) -> dict[str, bytes]:
        raise SupplyError("nobody gives gcc-12")

    site = FakeSite()
    monkeypatch.setattr(site, "boots_image", True)
    monkeypatch.setattr("lab.compiler.build.build_once", fail)
    return site


def test_without_the_locked_compiler_s_packages_this_computer_s_compiler_is_taken_and_named(
    tmp_path: Path, without_compiler: FakeSite
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(experiment("touch mine"))
    told = list[str]()
    programs = under_test([load(tmp_path / "small.toml")], without_compiler, told.append)
    assert programs.keys() == {tmp_path / "mine" / "mine"}
    assert told == ["nobody gives gcc-12: taking programs of this computer's compiler"]


def test_without_them_no_program_goes_over_a_card_since_its_module_is_missing(
    tmp_path: Path, without_compiler: FakeSite
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "small.toml").write_text(experiment("touch mine", "rdma = true") + 'link = { card = "qdr" }\n')
    with pytest.raises(SupplyError, match="nobody gives gcc-12"):
        under_test([load(tmp_path / "small.toml")], without_compiler, print)


def test_what_was_compiled_before_is_looked_up_by_the_same_sources(
    tasks: list[Compilation], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.c").write_text("int main;")
    mine, client = tmp_path / "mine", BENCH / "verbs-client"
    builds = {mine: Build(("make",), tmp_path), client: None}
    sources.compiled(builds, print)
    made = {task.command: task for task in tasks}
    monkeypatch.setattr(
        "lab.compiler.build.built_before",
        lambda task, *_: dict.fromkeys(task.wanted, b"before") if made[task.command] == task else {},
    )
    assert sources.compiled_before(builds).items() >= {mine: b"before", client: b"before"}.items()
