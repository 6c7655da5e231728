"""A kit to start from, and the parcel that students get."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.cli.main import main
from lab.errors import SpecError
from lab.kit.handout import handout
from lab.kit.kit import HANDOUT, Kit, load_kit, new_kit, parcel
from lab.places import ASSIGNMENTS, ROOT
from lab.plan.planning import all_experiments
from lab.submission.assignment import load_assignment

OWN = "experiments/assignments/write_the_programs"


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return parcel(load_kit("write_the_programs"), "<p>page</p>")


def test_it_holds_the_lab_the_starter_and_the_page(files: dict[str, bytes]) -> None:
    wanted = {"Makefile", "code/setup/setup", "results/reference/identity.json", f"{OWN}/program/open.c", HANDOUT}
    assert wanted <= files.keys()
    assert b"not_yet" in files[f"{OWN}/program/open.c"]


def test_it_holds_no_solution_no_other_kit_and_no_test(files: dict[str, bytes]) -> None:
    assert [name for name in files if "/solution/" in name or name.startswith("tests/")] == []
    kits = {name for name in files if name.startswith("experiments/assignments/")}
    assert {name for name in kits if name.count("/") == 2} == {f"{OWN}.toml", "experiments/assignments/honest_work.txt"}


def test_no_line_of_a_solution_is_in_it(files: dict[str, bytes]) -> None:
    starter = b"".join(
        content for name, content in files.items() if name.startswith(f"{OWN}/program/") and "course" not in name
    )
    for file in (ROOT / OWN / "solution" / "program").iterdir():
        own = [
            line.strip() for line in file.read_bytes().splitlines() if b"ibv_" in line and line.rstrip().endswith(b";")
        ]
        assert [line for line in own if line in starter] == []


def test_what_only_graders_ask_is_left_out_and_the_rest_is_an_assignment(
    files: dict[str, bytes], tmp_path: Path
) -> None:
    for name in (name for name in files if name.startswith(f"{OWN}/")):
        place = tmp_path / Path(name).relative_to(Path(OWN).parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(files[name])
    (tmp_path / "a.toml").write_bytes(files[f"{OWN}.toml"])
    students, course = load_assignment(tmp_path / "a.toml"), load_assignment(ROOT / f"{OWN}.toml")
    assert b"hidden_program" not in files[f"{OWN}.toml"]
    assert students.steps == course.steps and students.asked.sizes != course.asked.sizes


def test_a_kit_elsewhere_makes_no_parcel(kit: Kit) -> None:
    with pytest.raises(SpecError, match="inside the checkout"):
        parcel(kit, "")


def test_every_kit_of_the_lab_has_a_solution() -> None:
    for file in ASSIGNMENTS.glob("*.toml"):
        assert load_kit(file.stem).solved()


@pytest.mark.parametrize("experiment", [file.stem for file in all_experiments()])
def test_a_new_kit_is_whole_whatever_its_experiment(experiment: str, tmp_path: Path) -> None:
    new_kit("week3", experiment, tmp_path)
    kit = load_kit(str(tmp_path / "week3.toml"))
    assert kit.assignment.most == 100 and kit.experiment.name == experiment
    assert "Honest work" in handout(kit)


def test_a_kit_is_never_replaced(tmp_path: Path) -> None:
    new_kit("week3", "verbs_throughput", tmp_path)
    (tmp_path / "week3.toml").unlink()
    with pytest.raises(SpecError, match=r"handout.md: is there already"):
        new_kit("week3", "verbs_throughput", tmp_path)
    assert not (tmp_path / "week3.toml").exists()


@pytest.mark.parametrize("name", ["", "Week 3", "../x", "3", "a/b"])
def test_a_name_that_no_file_should_have_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="not a name of a kit"):
        new_kit(name, "verbs_throughput", tmp_path)


def test_the_command_makes_a_page_and_a_parcel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", "make", "write_parameters", "--out", str(tmp_path)]) == 0
    assert {each.name for each in tmp_path.iterdir()} == {"write_parameters.handout.html", "write_parameters.kit.zip"}
    assert "to give to students" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["make", "nothing"], "there is no assignment nothing"),
        (["new", "x y"], "is not a name of a kit"),
        (["sample", "verbs_throughput"], "try: --out hand-ins"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", *words]) == 2
    assert said in capsys.readouterr().err
