"""What a command's words for an experiment mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import SpecError
from lab.places import EXAMPLES, EXPERIMENTS
from lab.plan import planning
from lab.plan.planning import all_experiments, find_experiment


def test_an_experiment_is_found_by_its_name_and_so_is_an_example() -> None:
    for file in (*EXPERIMENTS.glob("*.toml"), *EXAMPLES.glob("*.toml")):
        assert find_experiment(Path(file.stem)) == find_experiment(file) == file


def test_an_experiment_comes_before_an_example_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, example = tmp_path / "same.toml", tmp_path / "examples" / "same.toml"
    example.parent.mkdir()
    monkeypatch.setattr(planning, "FOLDERS", (mine.parent, example.parent))
    example.touch()
    assert find_experiment(Path("same")) == example
    mine.touch()
    assert find_experiment(Path("same")) == mine


def test_a_name_that_nobody_gave_is_refused_with_all_that_are_known() -> None:
    with pytest.raises(SpecError, match="there is no experiment frist_figure") as refused:
        find_experiment(Path("frist_figure"))
    known = refused.value.expected.removeprefix("one of ").split(", ")
    assert known == sorted(known) and {"first_figure", "verbs_throughput"} <= set(known)


def test_examples_are_measured_only_when_they_are_named() -> None:
    assert not [file for file in all_experiments() if file.parent != EXPERIMENTS]
