"""A new kit, and the parcel for students."""

import os
import subprocess
from pathlib import Path

import pytest

from lab.cli.main import main
from lab.errors import SpecError
from lab.kit.commands import handout
from lab.kit.kit import HANDOUT, Kit, load_kit, new_kit, parcel
from lab.places import ASSIGNMENTS, ROOT
from lab.plan.planning import all_experiments
from lab.submission.assignment import load_assignment

COURSE = "experiments/assignments/write_the_programs"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return parcel(load_kit("write_the_programs"), "<p>page</p>")


def test_parcel_has_verbyte_the_starter_and_the_page_of_one_kit(files: dict[str, bytes]) -> None:
    starter = f"{COURSE}/program/open.c"
    assert {"Makefile", "code/setup/setup", "results/reference/identity.json", starter, HANDOUT} <= files.keys()
    assert b"not_yet" in files[starter]
    assert [name for name in files if "/solution/" in name or name.startswith("tests/")] == []
    kits = {name for name in files if name.startswith("experiments/assignments/") and name.count("/") == 2}
    assert kits == {f"{COURSE}.toml", "experiments/assignments/honest_work.txt"}


def test_parcel_has_no_line_of_the_solution(files: dict[str, bytes]) -> None:
    names = [name for name in files if name.startswith(f"{COURSE}/program/") and "course" not in name]
    starter = b"".join(files[name] for name in names)
    for file in (ROOT / COURSE / "solution" / "program").iterdir():
        lines = [line.strip() for line in file.read_bytes().splitlines()]
        calls = [line for line in lines if b"ibv_" in line and line.endswith(b";")]
        assert [line for line in calls if line in starter] == []


def test_parcel_has_the_assignment_without_hidden_demands(files: dict[str, bytes], tmp_path: Path) -> None:
    for name in (name for name in files if name.startswith(f"{COURSE}/")):
        place = tmp_path / Path(name).relative_to(Path(COURSE).parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(files[name])
    (tmp_path / "a.toml").write_bytes(files[f"{COURSE}.toml"])
    students, course = load_assignment(tmp_path / "a.toml"), load_assignment(ROOT / f"{COURSE}.toml")
    assert b"hidden_program" not in files[f"{COURSE}.toml"]
    assert students.steps == course.steps and students.asked.sizes != course.asked.sizes


def test_kit_outside_the_checkout_makes_no_parcel(kit: Kit) -> None:
    with pytest.raises(SpecError, match="inside the checkout"):
        parcel(kit, "")


def test_every_bundled_kit_has_a_solution() -> None:
    assert all(load_kit(file.stem).solution() for file in ASSIGNMENTS.glob("*.toml"))


@pytest.mark.parametrize("experiment", [*(file.stem for file in all_experiments()), "tcp_select"])
def test_new_kit_is_complete_for_any_experiment(experiment: str, tmp_path: Path) -> None:
    new_kit("week3", experiment, tmp_path)
    kit = load_kit(str(tmp_path / "week3.toml"))
    assert kit.assignment.most == 100 and kit.experiment.name == experiment
    assert "Honest work" in handout(kit)


def test_kit_is_never_replaced(tmp_path: Path) -> None:
    new_kit("week3", "verbs_throughput", tmp_path)
    (tmp_path / "week3.toml").unlink()
    with pytest.raises(SpecError, match=r"handout.md: exists already"):
        new_kit("week3", "verbs_throughput", tmp_path)
    assert not (tmp_path / "week3.toml").exists()


@pytest.mark.parametrize("name", ["", "Week 3", "../x", "3"])
def test_invalid_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a valid name for a kit"):
        new_kit(name, "verbs_throughput", tmp_path)


def test_command_makes_a_page_and_a_parcel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", "make", "write_parameters", "--out", str(tmp_path)]) == 0
    assert {file.name for file in tmp_path.iterdir()} == {"write_parameters.handout.html", "write_parameters.kit.zip"}
    assert "to give to students" in capsys.readouterr().out


def test_template_is_a_repository_with_the_parcel_a_dev_container_and_a_workflow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], files: dict[str, bytes]
) -> None:
    command = ["kit", "make", "write_the_programs", "--template", "--out", str(tmp_path)]
    assert main(command) == 0
    folder = tmp_path / "write_the_programs.template"
    git = ("git", "-C", str(folder))
    committed = subprocess.run((*git, "ls-files"), capture_output=True, text=True, check=True).stdout.splitlines()
    added = {".devcontainer/devcontainer.json", ".github/workflows/preview-grade.yml", ".gitignore"}
    assert files.keys() | added <= set(committed)
    assert "run: make preview-grade\n" in (folder / ".github/workflows/preview-grade.yml").read_text()
    assert f"# {load_kit('write_the_programs').assignment.title}\n" in (folder / "README.md").read_text()
    assert os.access(folder / "code/setup/setup", os.X_OK)
    assert not subprocess.run((*git, "status", "--porcelain"), capture_output=True, check=True).stdout
    assert main(command) == 2
    assert "exists already, and a repository is never replaced" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["make", "nothing"], "unknown assignment nothing"),
        (["new", "x y"], "is not a valid name for a kit"),
        (["sample", "verbs_throughput"], "try: --out submissions"),
    ],
)
def test_mistake_is_one_sentence(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", *words]) == 2
    assert message in capsys.readouterr().err
