"""A kit to start from: lab.kit.{kit,commands}."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.cli.main import main
from lab.errors import SpecError
from lab.kit.handout import handout
from lab.kit.kit import load_kit, new_kit
from lab.plan.planning import all_experiments


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
    with pytest.raises(SpecError, match="no name of a kit"):
        new_kit(name, "verbs_throughput", tmp_path)


def test_the_command_makes_a_page_and_a_parcel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", "make", "write_parameters", "--out", str(tmp_path)]) == 0
    assert {each.name for each in tmp_path.iterdir()} == {"write_parameters.handout.html", "write_parameters.kit.zip"}
    assert "to give to students" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["make", "nothing"], "there is no assignment nothing"),
        (["new", "x y"], "is no name of a kit"),
        (["sample", "verbs_throughput"], "try: --out hand-ins"),
    ],
)
def test_a_mistake_is_one_sentence(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["kit", *words]) == 2
    assert said in capsys.readouterr().err
